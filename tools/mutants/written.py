"""Mistakes in what is no Python: a text, a style sheet, a script."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise

from tools.mutants.mutant import Mutant

Change = tuple[int, int, str]
"""From and to which character, and what stands there instead."""

OPPOSITES = """
more fewer|larger smaller|higher lower|above below|before after|left right|rows columns|row column
query key|queries keys|first last|always never|earlier later|visible hidden|up down|longer shorter
with without|positive negative|same different|rises falls|grows shrinks|all none|adds removes
next previous|begins ends|wide narrow|past future|near far|open closed|most least|opposite same
""".replace("\n", "|").strip("|")
TURNED = {
    word: other
    for pair in map(str.split, OPPOSITES.split("|"))
    for word, other in (pair, pair[::-1])
}
WORD = re.compile(rf"\b({'|'.join(TURNED)})\b", re.IGNORECASE)
IDIOMS = (
    r"\b(?i:add(?:s|ed|ing)? up|up to|next to|at all|all at once|(?:how|so) far|left out"
    r"|one after another|light up)\b"
)
"""In these the words tell no direction."""
NUMBER = re.compile(r"(?<![\w.-])\d+(\.\d+)?(?![\w.]*\w)")
SIGN = re.compile(r"[−+](?=\s?[\d{])")
PLACEHOLDER = re.compile(r"{{\s*(\w+).*?}}")
TEXT_ID = re.compile(r"<!--.*?-->")
NO_PROSE = re.compile(rf"<!--.*?-->|{{[{{%#].*?[}}%#]}}|\]\([^)]*\)|`[^`]*`|{IDIOMS}", re.DOTALL)

COLOUR = re.compile(r"var\((--[\w-]+)")
SIZE = re.compile(r"(?<![\w#.-])(\d*\.?\d+)(?=(px|rem|em|%|vh|vw|ch|dvh|fr|s|ms)\b)")
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

OPERATORS = {
    "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+",
    "*": "/", "/": "*", "&&": "||", "||": "&&", "??": "&&", "+=": "-=", "-=": "+=",
}  # fmt: skip
OPERATOR = re.compile(rf"(?<= )({'|'.join(map(re.escape, OPERATORS))})(?= )")
CONSTANT = re.compile(r"\b(true|false)\b")
NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`|(?<=[(=:,] )/[^/\n]+/|(?<=\()/[^/\n]+/",
    re.DOTALL,
)


def in_text(text: str) -> Iterator[Change]:
    """A number, a sign, a word of direction; two neighbouring values of one text swapped."""
    yield from changes(text, NUMBER, _one_more, NO_PROSE)
    yield from changes(text, SIGN, lambda sign: "+" if sign == "−" else "−", NO_PROSE)
    yield from changes(text, WORD, _turned, NO_PROSE)
    ids = [found.start() for found in TEXT_ID.finditer(text)]
    for start, end in pairwise([0, *ids, len(text)]):
        for one, other in pairwise(PLACEHOLDER.finditer(text, start, end)):
            if one[0] != other[0]:
                between = text[one.end() : other.start()]
                yield one.start(), other.end(), other[0] + between + one[0]


def in_style(text: str) -> Iterator[Change]:
    """A colour or another variable is the next one of the sheet; a size is twice as large."""
    names = sorted({found[1] for found in COLOUR.finditer(text)})
    following = dict(zip(names, names[1:] + names[:1], strict=True))
    yield from changes(text, COLOUR, lambda said: f"var({following[said[4:]]}", CSS_COMMENT)
    yield from changes(text, SIZE, lambda size: f"{2 * float(size):g}", CSS_COMMENT)


def in_script(text: str) -> Iterator[Change]:
    """An operator, a comparison, a constant."""
    yield from changes(text, OPERATOR, OPERATORS.__getitem__, NO_CODE)
    yield from changes(text, NUMBER, _one_more, NO_CODE)
    yield from changes(text, CONSTANT, {"true": "false", "false": "true"}.__getitem__, NO_CODE)


def changes(
    text: str, what: re.Pattern[str], into: Callable[[str], str], apart: re.Pattern[str]
) -> Iterator[Change]:
    """Each place of that pattern outside what is apart, as it would be."""
    left = [found.span() for found in apart.finditer(text)]
    for found in what.finditer(text):
        new = into(found[0])
        if new != found[0] and not any(start <= found.start() < end for start, end in left):
            yield *found.span(), new


def changed(path: str, text: str, change: Change) -> Mutant:
    start, end, new = change
    return Mutant(path, text, text[:start] + new + text[end:])


def _one_more(number: str) -> str:
    """In its last digit."""
    decimals = len(number.partition(".")[2])
    return str(Decimal(number) + Decimal(1).scaleb(-decimals))


def _turned(word: str) -> str:
    other = TURNED[word.lower()]
    return other.capitalize() if word[0].isupper() else other
