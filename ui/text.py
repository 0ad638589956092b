"""Texts as Markdown: untrusted ones shown as they are, a question's own with its marks."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from core.questions.texts import CODE, MATHS, PROSE, TOKEN, text_parts
from core.texts.text_file import Plain
from ui.directions import DIRECTING, isolated

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$:~&^=\"'@/])")
_CHANGED_LATER = re.compile(
    r"https?:(?=//)|www(?=\.)|(?<=[-.\w+])@(?=[-\w])"  # links
    r"|:(?=[\w+-]+:)"  # emoji, icons, Streamlit's logo
    r"|-(?=[->])|<(?=[-=])|[>~](?==)",  # arrows, dashes and ≤
    re.IGNORECASE,
)
"""Where Streamlit makes something of a text that is parsed already: no escape is left there."""
_JOINER = "\u2060"
"""Invisible, of no width, and no place to break a line."""


@lru_cache(maxsize=1024)
def escape_markdown(text: str) -> str:
    """Return Markdown that shows a text as it is: no mark, mathematics, icon or link is made of it.

    What turns the direction of a text ends with it.
    """
    text = " ".join(text.split())
    text = isolated(text) if DIRECTING & set(text) else text
    escaped = _SPECIAL.sub(r"\\\1", _CHANGED_LATER.sub(rf"\g<0>{_JOINER}", text))
    return escaped.replace("ᵀ", "&#7488;")  # no transpose of ours, to be typeset


class Markdown(Plain):
    """A text in Markdown; another text that is filled into it is shown as it is."""

    __slots__ = ()

    @staticmethod
    def escape(text: str) -> str:
        return escape_markdown(text)


def escape_beside(text: str) -> Markdown:
    """Return the same of a text in a line with others: none turns another's direction."""
    return Markdown(escape_markdown(isolated(text)))


def token_text(token: str) -> Markdown:
    """A token, set off from the sentence around it."""
    return Markdown(f"*{escape_markdown(token)}*")


def link_to(address: str) -> Markdown:
    """A link to an address of our own, which reads as the address without its protocol."""
    return Markdown(f"[{escape_markdown(address.partition('://')[2])}]({address})")


def question_markdown(text: str) -> Markdown:
    """Return what a question says: its mathematics typeset, tokens and code set off."""
    return Markdown("".join(_WRITTEN[kind](piece) for kind, piece in text_parts(text)))


def markdown_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    write: Callable[[str], str] = escape_markdown,
) -> str:
    """A table of texts, as `write` writes them: shown as they are. Numbers flush right.

    Each column has a name.
    """
    assert all(header), f"a column of no name: {header}"
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
