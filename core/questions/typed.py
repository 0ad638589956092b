"""A number worked out by hand, against the text of its cell and those that mistakes would give.

Only decimals are compared, none is computed: a browser does the same (stage/judging.js).
"""

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal

RIGHT, WRONG, NONE = "right", "wrong", ""
DECIMALS = 2
"""Nobody is asked for more of them."""
_SPELLING = str.maketrans({"−": "-", "–": "-"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:e[+-]?[0-9]{1,3})?")
_INFINITE = re.compile(r"([+-]?)(?:∞|inf|infinity)")
_EXACT = Context(prec=2_200)
"""As many digits as two numbers that `_NUMBER` takes can have together."""


def judged(typed: str, shown: str, mistaken: Mapping[str, str]) -> str:
    """`RIGHT`, the first mistake that gives the number, `WRONG`, or `NONE` where it is no number.

    `shown` is the cell's text, `mistaken` what it would be by each mistake.
    """
    number = _read(typed)
    if number is None:
        return NONE
    if _agrees(number, shown):
        return RIGHT
    named = (name for name, text in mistaken.items() if text != shown and _agrees(number, text))
    return next(named, WRONG)


def _agrees(number: Decimal, shown: str) -> bool:
    """Whether a number is what is shown, as far as both are written: to two decimals, or more."""
    other = _read(shown)
    if other is None:
        return False
    if not (number.is_finite() and other.is_finite()):
        return number == other
    if _rounded(number, min(_unit(other), -DECIMALS)) == other:
        return True
    return _unit(number) <= -DECIMALS and _rounded(other, _unit(number)) == number


def _read(text: str) -> Decimal | None:
    short = text.translate(_SPELLING).strip().lower()
    if short.count(",") == 1 and "." not in short:
        short = short.replace(",", ".")
    if infinite := _INFINITE.fullmatch(short):
        return Decimal(f"{infinite[1]}inf")
    return Decimal(short) if _NUMBER.fullmatch(short) else None


def _unit(number: Decimal) -> int:
    """The place of its last digit as written: −2 for 0.40."""
    return int(number.as_tuple().exponent)


def _rounded(number: Decimal, unit: int) -> Decimal:
    """To so many places, half away from zero; a number that is no finer stays as it is."""
    if _unit(number) >= unit:
        return number
    return number.quantize(Decimal((0, (1,), unit)), ROUND_HALF_UP, _EXACT)
