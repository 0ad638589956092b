"""Texts as Markdown: untrusted ones shown as they are, a question's own with its marks."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from core.questions.texts import CODE, MATHS, PROSE, TOKEN, parts

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$:~&^=\"'@/])")


@lru_cache(maxsize=1024)
def escape_markdown(text: str) -> str:
    """Every mark that Markdown, its maths, directives or links could read is escaped."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return escaped.replace("ᵀ", "&#7488;")  # no transpose of ours, to be typeset


def token_text(token: str) -> str:
    """A token, set off from the sentence around it."""
    return f"*{escape_markdown(token)}*"


def told(text: str) -> str:
    """What a question says, as Markdown: its mathematics typeset, tokens and code set off."""
    return "".join(_WRITTEN[kind](piece) for kind, piece in parts(text))


def markdown_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    write: Callable[[str], str] = escape_markdown,
) -> str:
    """A table of texts, as `write` writes them: shown as they are. Numbers flush right."""
    lines = [header, ["---:"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(text if text == "---:" else write(text) for text in line) + " |"
        for line in lines
    )


def escape_prose(text: str) -> str:
    """`escape_markdown` of prose beside parts of another kind: it keeps a space at either end."""
    inside = escape_markdown(text)
    if not inside:
        return text[:1] and " "
    return f"{text[0].isspace() * ' '}{inside}{text[-1].isspace() * ' '}"


_WRITTEN: Mapping[str, Callable[[str], str]] = {
    PROSE: escape_prose,
    MATHS: lambda latex: f"${latex}$",
    TOKEN: token_text,
    CODE: lambda code: f"`{code}`",
}
