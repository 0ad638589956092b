"""A number as a person writes it. A browser reads it by the same rule (answer_check.js)."""

import re
from dataclasses import dataclass
from fractions import Fraction

from core.program.numbers.rounding import typeset

_SPELLING = str.maketrans({"−": "-", "–": "-", "⁄": "/", "∕": "/", "\u00a0": " ", "\u202f": " "})
_DIGITS = r"(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})"
_DECIMAL = re.compile(rf"([+-]?) ?({_DIGITS})(?:e([+-]?[0-9]{{1,3}}))? ?(%?)")
_RATIO = re.compile(rf"([+-]?) ?({_DIGITS}) ?/ ?({_DIGITS})")
_INFINITE = re.compile(r"([+-]?) ?(?:∞|inf|infinity)")


@dataclass(frozen=True)
class TypedNumber:
    """A number and the place of its last digit as written: −2 for 0.40; None for a fraction.

    `endless` is 1 or −1 for ∞ and −∞, whose value means nothing.
    """

    value: Fraction
    unit: int | None = None
    endless: int = 0

    def rounded(self, unit: int) -> Fraction:
        """To that place, half away from zero; a number that is no finer stays as it is."""
        if self.unit is not None and self.unit >= unit:
            return self.value
        steps = abs(self.value) / Fraction(10) ** unit
        nearest = (2 * steps.numerator + steps.denominator) // (2 * steps.denominator)
        return (-nearest if self.value < 0 else nearest) * Fraction(10) ** unit


def normalised_text(text: str) -> str:
    """Return the text with ASCII signs, single spaces and small letters."""
    return " ".join(text.translate(_SPELLING).lower().split())


def written_number(text: str) -> str:
    """Return a number that a person typed as it is shown to others: with −, and ∞ in signs."""
    return typeset(normalised_text(text).replace("infinity", "inf"))


def read_number(text: str) -> TypedNumber | None:
    """Return the number of a text: 1.5, 1,5, −.5, 3/6, 25 %, 2e-3 or −∞; None if it is none."""
    short = normalised_text(text)
    if short.count(",") == 1 and "." not in short:
        short = short.replace(",", ".")
    if infinite := _INFINITE.fullmatch(short):
        return TypedNumber(Fraction(0), endless=-1 if infinite[1] == "-" else 1)
    if decimal := _DECIMAL.fullmatch(short):
        sign, digits, power, percent = decimal.groups()
        unit = int(power or 0) - len(digits.partition(".")[2]) - (2 if percent else 0)
        whole = int(f"{sign}{digits.replace('.', '')}")
        return TypedNumber(whole * Fraction(10) ** unit, unit)
    ratio = _RATIO.fullmatch(short)
    if ratio is None or not (under := Fraction(ratio[3])):
        return None
    value = Fraction(ratio[2]) / under
    return TypedNumber(-value if ratio[1] == "-" else value)
