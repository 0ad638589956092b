"""The forms of an answer: number, cell, choice, text. Each reads, compares and writes it.

A browser reads a number as a person writes it by the same rule (answer_check.js).
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from core.errors import input_error
from core.program.labels import as_prose
from core.program.numbers.rounding import FLOAT_NOISE, decimal_text, operand_text, typeset
from core.program.patterns import Cell, Shape
from core.texts import core_texts

TEXTS = core_texts("questions")
Answer = int | float | Cell | str

LONGEST, LONGEST_TEXT = 40, 200
"""Characters of an answer, and of one that is a free text."""
HEARD_DECIMALS = 6
LARGEST = 1e9
"""No number that is asked for comes near it."""
_BY_ZERO = re.compile(r"[^/]*[0-9][^/]*/ ?0*[.,]?0*")
_MAYBE_THOUSANDS = re.compile(r"[+-]? ?[1-9][0-9]{0,2},[0-9]{3}")
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


@dataclass(frozen=True)
class NumberAnswer:
    """A number; answers within `tolerance` of it are right."""

    tolerance: float
    decimals: int = 2

    def parse(self, text: str) -> float:
        """1.5, 1,5, −0.5, 1/4, 25 %, 2e-3, −∞. Raises `InputError`."""
        return _parsed_number(text)

    def allows(self, value: Answer) -> bool:
        return isinstance(value, int | float) and not math.isnan(value)

    def same(self, a: Answer, b: Answer) -> bool:
        if not (isinstance(a, int | float) and isinstance(b, int | float)):
            return False
        return a == b or abs(a - b) <= self.tolerance * (1 + 1e-9)

    def confusable(self, a: Answer, b: Answer) -> bool:
        """Whether one number could be within tolerance of both, with something to spare."""
        return NumberAnswer(2.5 * self.tolerance).same(a, b)

    def gap(self, given: Answer, answer: Answer) -> float | None:
        """given − answer; None where that is no number."""
        if not (isinstance(given, int | float) and isinstance(answer, int | float)):
            return None
        gap = 0.0 if given == answer else float(given - answer)
        return gap if math.isfinite(gap) else None

    def text(self, value: Answer) -> str:
        if not isinstance(value, int | float):
            return str(value)
        is_whole = math.isfinite(value) and abs(value - round(value)) < FLOAT_NOISE
        return decimal_text(float(value), 0 if is_whole else self.decimals)

    def given_text(self, value: Answer) -> str:
        """What a person said, with the decimals that it has, six at most."""
        text = self.text(value)
        if not isinstance(value, int | float) or float(text) == value:
            return text
        return operand_text(float(value), HEARD_DECIMALS)


COUNT = NumberAnswer(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
TWO_DECIMALS = NumberAnswer(0.006)


class _Picked:
    """An answer that is one of several: it is the right one or not, and never near it."""

    def text(self, value: Answer) -> str:
        raise NotImplementedError

    def given_text(self, value: Answer) -> str:
        return self.text(value)

    def same(self, a: Answer, b: Answer) -> bool:
        return a == b

    confusable = same

    def gap(self, given: Answer, answer: Answer) -> None:
        return None


@dataclass(frozen=True)
class CellPick(_Picked):
    """One cell of an array; `labels` name the places along each axis."""

    array: str
    labels: tuple[tuple[str, ...], ...]

    @property
    def shape(self) -> Shape:
        return tuple(map(len, self.labels))

    def parse(self, text: str) -> Cell:
        """Places counted from 1, one for each axis: "2, 3". Raises `InputError`."""
        found = re.fullmatch(r"\D{0,3}[0-9]{1,4}(?:[ ,.;]{1,3}[0-9]{1,4})*\D{0,3}", text[:LONGEST])
        cell = tuple(int(n) - 1 for n in re.findall(r"[0-9]+", text)) if found else ()
        if not self.allows(cell):
            sizes = " × ".join(map(str, self.shape))
            raise input_error(TEXTS, "no_cell", given=_quoted(text), array=self.array, sizes=sizes)
        return cell

    def allows(self, value: Answer) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.shape)
            and all(0 <= at < size for at, size in zip(value, self.shape, strict=True))
        )

    def text(self, value: Answer) -> str:
        if not isinstance(value, tuple) or not self.allows(value):
            return str(value)
        names = (labels[at] for labels, at in zip(self.labels, value, strict=True))
        return f"{self.array}[{', '.join(names)}]"


@dataclass(frozen=True)
class Choice(_Picked):
    """One of some options, all different."""

    options: tuple[str, ...]

    def parse(self, text: str) -> str:
        """An option as it is written; case matters only where it has to. Raises `InputError`."""
        wanted = text.strip()
        if wanted in self.options:
            return wanted
        alike = [option for option in self.options if option.casefold() == wanted.casefold()]
        if len(alike) != 1:
            options = ", ".join(self.options)
            raise input_error(TEXTS, "no_option", given=_quoted(text), options=options)
        return alike[0]

    def allows(self, value: Answer) -> bool:
        return value in self.options and len(set(self.options)) == len(self.options)

    def text(self, value: Answer) -> str:
        return str(value)


@dataclass(frozen=True)
class FreeText(_Picked):
    """A text of one line. None is right, and none is wrong."""

    longest: int = LONGEST_TEXT

    def parse(self, text: str) -> str:
        """The text without the spaces around it. Raises `InputError`."""
        line = text.strip()
        if not line:
            raise input_error(TEXTS, "no_text")
        if len(line) > self.longest:
            raise input_error(TEXTS, "long_text", count=len(line), most=self.longest)
        return line

    def allows(self, value: Answer) -> bool:
        return isinstance(value, str)

    def same(self, a: Answer, b: Answer) -> bool:
        return False

    confusable = same

    def text(self, value: Answer) -> str:
        return as_prose(str(value))


def _parsed_number(text: str) -> float:
    short = normalised_text(text)
    if not short:
        raise input_error(TEXTS, "empty")
    if _MAYBE_THOUSANDS.fullmatch(short):
        whole, _, part = short.partition(",")
        decimal, thousands = f"{whole}.{part}", f"{whole}{part}"
        raise input_error(
            TEXTS, "two_ways", given=_quoted(text), decimal=decimal, thousands=thousands
        )
    if _BY_ZERO.fullmatch(short):
        raise input_error(TEXTS, "by_zero", given=_quoted(short))
    number = read_number(short) if len(short) <= LONGEST else None
    if number is None:
        raise input_error(TEXTS, "not_number", given=_quoted(text))
    if number.endless:
        return number.endless * math.inf
    if abs(number.value) > LARGEST:
        raise input_error(TEXTS, "too_large", given=_quoted(text), limit=f"{LARGEST:,.0f}")
    return float(number.value)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")
