"""TOML from outside, measured before it is parsed.

Python's parser keeps every prefix of a dotted name and calls itself for every bracket, so that a
small file may cost gigabytes. A lesson has neither long names nor deep brackets.
"""

import re
import tomllib
from typing import Any

from core.errors import input_error
from core.files.matrices import shorten
from core.program.numbers.literals import prints
from core.texts import core_texts

TEXTS = core_texts("lesson")

LONGEST_WORD = 100
"""Characters of a name or a number outside quotes."""
LONGEST_FAULT = 300
"""Characters of the parser's message."""
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
    """Return the tables of a lesson. Raises `InputError` if it is not TOML, or costs too much.

    A text that costs too much is not parsed.
    """
    _measure(text.replace("\r\n", "\n"))  # as the parser does
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise input_error(TEXTS, "no_toml", fault=_fault(str(error))) from None


def _fault(message: str) -> str:
    """The parser's message, whose end says the line; a long one is cut before its end."""
    if len(message) > LONGEST_FAULT:
        message = f"{message[: LONGEST_FAULT // 2]}…{message[-LONGEST_FAULT // 4 :]}"
    return "".join(c if seen else "�" for c, seen in zip(message, prints(message), strict=True))


def _measure(text: str) -> None:
    """Raise `InputError` for what costs the parser more than its length does."""
    parts, depth = 1, 0
    for number, piece in enumerate(_PIECES.finditer(text), start=1):
        kind, length = piece.lastgroup, len(piece[0])
        parts = parts + (kind == "dot") if kind in _IN_A_NAME else 1
        depth += (kind == "open") - (kind == "close")
        if kind == "word" and length > LONGEST_WORD:
            word = shorten(repr(piece[0]))
            raise input_error(
                TEXTS, "long_word", word=word, length=f"{length:,}", most=LONGEST_WORD
            )
        if parts > MOST_PARTS:
            raise input_error(TEXTS, "dots", most=MOST_PARTS - 1)
        if depth > DEEPEST:
            raise input_error(TEXTS, "deep", most=DEEPEST)
        if number > MOST_PIECES:
            raise input_error(TEXTS, "many_pieces", most=f"{MOST_PIECES:,}")
