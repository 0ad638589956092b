"""Untrusted text as Markdown that shows it as it is."""

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$:~&^=\"'@/])")


def escape_markdown(text: str) -> str:
    """Every mark that Markdown, its maths, directives or links could read is escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
