"""Arithmetic on paper: expressions made of printed numbers, and lines that state what they make.

A line is `left = right` or `left ≈ right`. Its right side is its own printed left side, rounded;
`=` stands only where the two are equal as printed, which is decided with exact fractions (and, for
the functions of `Call`, with 50 digits and the few arguments where they are rational), and where
both are NaN.

Each expression is written three ways: `plain` (evaluates in Python), `tree` (a formula, from which
its LaTeX is made), and its value.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

from core.program import formulas as f
from core.program.formulas import NOT_FINITE, Formula
from core.program.numbers.rounding import decimal_text

UNDERFLOW = -800
"""exp of less than this is under every float (float64 gives 0 below about −745)."""

FLAT: Mapping[str, int] = {"tanh": 60, "erf": 11}
"""Where these functions differ from 1 in no digit that is kept here."""
DIGITS = 50

RATIONAL: Mapping[tuple[str, "Value"], Fraction] = {
    ("exp", Fraction(0)): Fraction(1),
    ("log", Fraction(1)): Fraction(0),
    ("tanh", Fraction(0)): Fraction(0),
    ("erf", Fraction(0)): Fraction(0),
    ("sin", Fraction(0)): Fraction(0),
    ("cos", Fraction(0)): Fraction(1),
}
"""Where these functions are rational; sqrt has its own test."""

Value = Fraction | float
"""A fraction, or ±inf or NaN as a float."""


class WrittenExpression:
    """What each expression can be asked, beside its `plain` and its `value`."""

    __slots__ = ()

    @property
    def decimal(self) -> tuple[int, int] | None:
        """n and k of n · 10^k, where all that is in it are printed numbers that have them."""
        return None

    def tree(self) -> Formula:
        raise NotImplementedError

    def bracketed(self) -> Formula:
        """Its tree in brackets, as a factor of a product has them."""
        return f.bracketed(self.tree())

    def latex(self) -> str:
        return f.latex(self.tree())


@dataclass(frozen=True, slots=True)
class PrintedNumber(WrittenExpression):
    """A number as printed, a decimal or a fraction such as 1/6; `text` is all there is to it."""

    text: str

    @property
    def decimal(self) -> tuple[int, int] | None:
        """n and k of n · 10^k; None of a fraction, of NaN and of ±inf."""
        return _decimal(self.text)

    def plain(self) -> str:
        return self.text

    def tree(self) -> Formula:
        return f.number_formula(self.text)

    def bracketed(self) -> Formula:
        return _bracketed_number(self.text)

    def value(self) -> tuple[Value, bool]:
        return _read(self.text), True


@dataclass(frozen=True)
class Sum(WrittenExpression):
    """terms[0] + terms[1] + …; products stand in parentheses."""

    terms: tuple["Expression", ...]

    def plain(self) -> str:
        if len(self.terms) == 1:
            return self.terms[0].plain()
        return " + ".join(
            f"({t.plain()})" if isinstance(t, Product) else t.plain() for t in self.terms
        )

    def tree(self) -> Formula:
        first, *others = (term.tree() for term in self.terms)
        return f.row(first, *(part for term in others for part in f.added(term)))

    @cached_property
    def _whole(self) -> Fraction | None:
        """The sum of decimals as one fraction, where every term by itself would make several."""
        decimals = [term.decimal for term in self.terms]
        known = [decimal for decimal in decimals if decimal is not None]
        if len(known) < len(decimals):
            return None
        least = min(power for _, power in known)
        whole = sum(number * 10 ** (power - least) for number, power in known)
        return Fraction(whole * 10 ** max(least, 0), 10 ** max(-least, 0))

    def value(self) -> tuple[Value, bool]:
        if (whole := self._whole) is not None:
            return whole, True
        return _combined(operator.add, self.terms)


@dataclass(frozen=True, slots=True)
class Product(WrittenExpression):
    """factors[0] * factors[1] * …"""

    factors: tuple["Expression", ...]

    @property
    def decimal(self) -> tuple[int, int] | None:
        number, power = 1, 0
        for factor in self.factors:
            if (found := factor.decimal) is None:
                return None
            number *= found[0]
            power += found[1]
        return number, power

    def plain(self) -> str:
        return "*".join(factor.plain() for factor in self.factors)

    def tree(self) -> Formula:
        return f.row(*(factor.bracketed() for factor in self.factors))

    def value(self) -> tuple[Value, bool]:
        return _combined(operator.mul, self.factors)


@dataclass(frozen=True)
class Subtraction(WrittenExpression):
    """left - right; a negative right side is written as an addition only where LaTeX is read."""

    left: "Expression"
    right: "Expression"

    def plain(self) -> str:
        return f"{self.left.plain()} - {_bracketed(self.right.plain())}"

    def tree(self) -> Formula:
        right = self.right.tree()
        negative = f.without_minus(right) is not None
        return f.row(
            self.left.tree(), f.word_formula("−"), f.bracketed(right) if negative else right
        )

    def value(self) -> tuple[Value, bool]:
        return _combined(operator.sub, (self.left, self.right))


@dataclass(frozen=True)
class Quotient(WrittenExpression):
    """over / under"""

    over: "Expression"
    under: "Expression"

    def plain(self) -> str:
        return f"{self.over.plain()} / {_bracketed(self.under.plain())}"

    def tree(self) -> Formula:
        return f.fraction(self.over.tree(), self.under.tree())

    def value(self) -> tuple[Value, bool]:
        return _combined(operator.truediv, (self.over, self.under))


@dataclass(frozen=True)
class Power(WrittenExpression):
    """base ** exponent, for a whole exponent of 2 or more."""

    base: PrintedNumber
    exponent: int

    def plain(self) -> str:
        return f"{_bracketed(self.base.plain())}**{self.exponent}"

    def tree(self) -> Formula:
        base = self.base.tree()
        negative = f.without_minus(base) is not None
        return f.power(f.bracketed(base) if negative else base, self.exponent)

    def value(self) -> tuple[Value, bool]:
        value, exact = self.base.value()
        return value**self.exponent, exact


@dataclass(frozen=True)
class Call(WrittenExpression):
    """function(arguments), of exp sqrt log tanh erf sin cos max min sign; sign(0) is 1."""

    function: str
    arguments: tuple["Expression", ...]

    def plain(self) -> str:
        return f"{self.function}({', '.join(a.plain() for a in self.arguments)})"

    def tree(self) -> Formula:
        inside = [argument.tree() for argument in self.arguments]
        return f.root(*inside) if self.function == "sqrt" else f.call(self.function, *inside)

    def value(self) -> tuple[Value, bool]:
        if self.function in ("max", "min"):
            return _combined(max if self.function == "max" else min, self.arguments)
        argument, exact = self.arguments[0].value()
        if self.function == "sign":
            return Fraction(1 if argument >= 0 else -1), exact
        result, rational = _transcendental(self.function, argument)
        return result, exact and rational


def _combined(
    operation: Callable[[Value, Value], Value], parts: Sequence["Expression"]
) -> tuple[Value, bool]:
    """What an operation makes of the values of some parts, and whether all of them are exact."""
    values, exact = zip(*(part.value() for part in parts), strict=True)
    return reduce(operation, values), all(exact)


Expression = PrintedNumber | Sum | Product | Subtraction | Quotient | Power | Call


@dataclass(frozen=True)
class ArithmeticLine:
    """One line of arithmetic; `right` is `left` as printed, rounded."""

    left: Expression
    right: PrintedNumber

    @cached_property
    def exact(self) -> bool:
        (value, exact), (printed, _) = self.left.value(), self.right.value()
        return (exact and value == printed) or (_is_nan(value) and _is_nan(printed))

    @property
    def sign(self) -> str:
        return "=" if self.exact else "≈"

    def plain(self) -> str:
        return self._plain

    @cached_property
    def _plain(self) -> str:
        return f"{self.left.plain()} {self.sign} {self.right.plain()}"

    def tree(self) -> Formula:
        return f.row(self.left.tree(), f.word_formula(self.sign), self.right.tree())


def arithmetic_line(
    left: Expression, decimals: int, noise: float = 0.0, trim: bool = True
) -> ArithmeticLine:
    """`left` and what it comes to at so many decimals.

    `trim` drops the zeros that an exact result can spare; the last line of an explanation keeps
    them, because it is the cell.
    """
    value, _ = left.value()
    text = decimal_text(value, decimals, noise)
    if trim and "." in text and "e" not in text:
        short = text.rstrip("0").rstrip(".")
        text = short if _read(short) == value else text
    return ArithmeticLine(left, PrintedNumber(text))


def numbers(texts: Sequence[str]) -> tuple[PrintedNumber, ...]:
    return tuple(map(_printed_number, texts))


@lru_cache(maxsize=2**14)
def _printed_number(text: str) -> PrintedNumber:
    """One for each text: a run's sums go through the same numbers again and again."""
    return PrintedNumber(text)


@lru_cache(maxsize=2**14)
def _bracketed_number(text: str) -> Formula:
    """One tree for each text: nobody changes a tree."""
    return f.bracketed(f.number_formula(text))


@lru_cache(maxsize=4096)
def _read(text: str) -> Value:
    return float(text) if text in NOT_FINITE else Fraction(text)


@lru_cache(maxsize=2**14)
def _decimal(text: str) -> tuple[int, int] | None:
    if text in NOT_FINITE or "/" in text:
        return None
    mantissa, _, power = text.partition("e")
    whole, _, part = mantissa.partition(".")
    return int(whole + part), int(power or 0) - len(part)


def _is_nan(value: Value) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _bracketed(plain: str) -> str:
    return f"({plain})" if plain.startswith("-") or {" ", "/"} & {*plain} else plain


@lru_cache(maxsize=4096)
def _transcendental(function: str, x: Value) -> tuple[Value, bool]:
    """function(x) to 50 digits, and whether that is exact."""
    if (function, x) in RATIONAL:
        return RATIONAL[function, x], True
    if isinstance(x, float):
        return Fraction(0) if function == "exp" and x < 0 else getattr(math, function)(x), True
    if function == "exp" and x < UNDERFLOW:
        return Fraction(0), False
    if function == "sqrt":
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if root * root == x:
            return root, True
    if abs(x) > FLAT.get(function, math.inf):
        return Fraction(1 if x > 0 else -1), False
    with localcontext() as context:
        context.prec = DIGITS
        decimal = Decimal(x.numerator) / Decimal(x.denominator)
        if function == "tanh":
            growth = (2 * decimal).exp()
            return Fraction((growth - 1) / (growth + 1)), False
        if function in OTHERS:
            return Fraction(OTHERS[function](decimal)), False
        method = {"exp": decimal.exp, "sqrt": decimal.sqrt, "log": decimal.ln}[function]
        return Fraction(method()), False


def _summed(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """first · (1 + ratio(1) · (1 + ratio(2) · (…))), until a term changes no digit."""
    total = term = +first
    n = 0
    while abs(term) > abs(total).scaleb(-getcontext().prec):
        n += 1
        term *= ratio(n)
        total += term
    return total


def _pi() -> Decimal:
    """π as 6 arcsin(½)."""
    return 6 * _summed(
        Decimal("0.5"), lambda n: Decimal((2 * n - 1) ** 2) / Decimal(8 * n * (2 * n + 1))
    )


def _sin(x: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS + 10 + max(x.adjusted(), 0)
        turn = 2 * _pi()
        x -= turn * (x / turn).to_integral_value()
        return _summed(x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def _cos(x: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS + 10 + max(x.adjusted(), 0)
        return _sin(x + _pi() / 2)


def _erf(x: Decimal) -> Decimal:
    """2/√π · e^(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1 · 3 · … · (2n + 1)): every term has the sign of x."""
    with localcontext() as context:
        context.prec = DIGITS + 10
        return 2 / _pi().sqrt() * (-x * x).exp() * _summed(x, lambda n: 2 * x * x / (2 * n + 1))


OTHERS: Mapping[str, Callable[[Decimal], Decimal]] = {"sin": _sin, "cos": _cos, "erf": _erf}
"""Functions that `decimal` does not know."""
