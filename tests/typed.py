"""A number worked out by hand, against the text of its cell and those that mistakes would give.

A browser does the same (stage/browser/act/answer_check.js).
"""

from collections.abc import Mapping

from core.questions.answers import TypedNumber, read_number

RIGHT, WRONG, NONE = "right", "wrong", ""
DECIMALS = 2
"""Nobody is asked for more of them."""


def judged(typed: str, shown: str, mistaken: Mapping[str, str]) -> str:
    """`RIGHT`, the first mistake that gives the number, `WRONG`, or `NONE` where it is no number.

    `shown` is the cell's text, `mistaken` what it would be by each mistake.
    """
    number = read_number(typed)
    if number is None:
        return NONE
    if _agrees(number, shown):
        return RIGHT
    named = (name for name, text in mistaken.items() if text != shown and _agrees(number, text))
    return next(named, WRONG)


def _agrees(number: TypedNumber, shown: str) -> bool:
    """Whether a number is what is shown, as far as both are written: to two decimals, or more."""
    other = read_number(shown)
    if other is None:
        return False
    if number.endless or other.endless:
        return number.endless == other.endless
    finest = -DECIMALS if other.unit is None else min(other.unit, -DECIMALS)
    if number.rounded(finest) == other.value:
        return True
    unit = number.unit
    return unit is not None and unit <= -DECIMALS and other.rounded(unit) == number.value
