"""Untrusted text as Markdown that shows it as it is."""

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$:~&^=\"'@/])")


def escape_markdown(text: str) -> str:
    """Every mark that Markdown, its maths, directives or links could read is escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts, shown as they are, numbers flush right."""
    lines = [header, ["---:"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(text if text == "---:" else escape_markdown(text) for text in line) + " |"
        for line in lines
    )
