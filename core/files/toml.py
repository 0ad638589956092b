"""TOML from outside, measured before it is parsed.

Python's parser keeps every prefix of a dotted name and calls itself for every bracket, so that a
small file may cost gigabytes. A lesson has neither long names nor deep brackets.
"""

import re
import tomllib
from typing import Any

from core.errors import InputError
from core.files.matrices import shorten

LONGEST_WORD = 100
"""Characters of a name or a number outside quotes."""
MOST_PARTS = 8
"""Parts of a dotted name."""
DEEPEST = 8
"""Brackets around a value."""
MOST_PIECES = 10_000
"""Names, numbers, signs, lines, and texts in quotes, each counted as one."""
_PIECES = re.compile(
    r'(?P<text>"""(?:[^"\\]|\\.?|"(?!""))*(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'(?!''))*(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\.?)*"?'
    r"|'[^'\n]*'?)"
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<word>[^\s.,=\[\]{}\"'#]+)"
    r"|(?P<dot>\.)"
    r"|(?P<open>[\[{])"
    r"|(?P<close>[\]}])"
    r"|(?P<mark>[=,])"
    r"|(?P<line>\n)",
    re.DOTALL,
)
"""The pieces of TOML. Up to its first fault, a text falls into the same ones as in the parser."""
_IN_A_NAME = ("word", "text", "dot")


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a lesson. Raises `InputError` for no TOML, or for one that costs much.

    Of the latter nothing is parsed.
    """
    text = text.replace("\r\n", "\n")
    _measure(text)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise InputError(
            f"The lesson cannot be read ({shorten(str(error))})", "it must be TOML",
            "begin with title = \"…\" and put [[scene]] before each scene",
        ) from None  # fmt: skip


def _measure(text: str) -> None:
    """Raise `InputError` for what costs the parser more than its length does."""
    parts, depth = 1, 0
    for number, piece in enumerate(_PIECES.finditer(text), start=1):
        kind, length = piece.lastgroup, len(piece[0])
        parts = parts + (kind == "dot") if kind in _IN_A_NAME else 1
        depth += (kind == "open") - (kind == "close")
        if kind == "word" and length > LONGEST_WORD:
            raise InputError(
                f"The lesson has {shorten(repr(piece[0]))}, {length:,} characters without quotes",
                f"there may be up to {LONGEST_WORD}", "shorten it, or put it into quotes",
            )  # fmt: skip
        if parts > MOST_PARTS:
            raise InputError(
                "A name in the lesson has too many dots", f"it may have up to {MOST_PARTS - 1}",
                "write title = …",
            )  # fmt: skip
        if depth > DEEPEST:
            raise InputError(
                "Brackets in the lesson are nested too deep", f"the limit is {DEEPEST}",
                "put [[scene]] before each scene",
            )  # fmt: skip
        if number > MOST_PIECES:
            raise InputError(
                "The lesson has too many words and signs outside quotes",
                f"the limit is {MOST_PIECES:,}", "put texts into quotes",
            )  # fmt: skip
