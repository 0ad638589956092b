"""How numbers are written: the project's only rounding rule.

A number is rounded to decimals, halves away from zero, after float noise has been rounded off at
the 9th decimal, so that 0.1 × 0.3 + … shows what a person with a calculator gets. A number that is
small but not zero keeps its leading digits (3e-7) instead of pretending to be 0.00, and one from a
million up is written in powers of ten. Zero never carries a minus sign.

Texts are plain ASCII ("-1.56", "3e-7", "-inf", "NaN") and read back by `float`, and by `Fraction`
where they are finite, as printed.
"""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

SCIENTIFIC_BELOW = 0.005
"""Below this, two decimals would show a number that is not zero as 0.00."""
SCIENTIFIC_FROM = 1e6
"""From here on a number is written in powers of ten."""
NOISE_DECIMALS = 9
FLOAT_NOISE = 1e-9
"""A number that is as near to a whole one is that one."""
MANTISSA_NOISE = 14
"""The same for the mantissa of a number in powers of ten: a float64 has some 16 digits."""
PRODUCT_NOISE = 0.07
"""A float64 product below 10¹⁵ (less than `SCIENTIFIC_FROM` times 10⁹) is off by less than this."""
CELL_DECIMALS = 2
LARGEST_DENOMINATOR = 12
"""A number on paper that is such a fraction may be written as one."""
PAPER_DECIMALS = 9
"""A number that has only zeros in this many decimals is written as these zeros on paper."""
FAR_FROM_A_HALF = 1e-4
"""In units of the last decimal: far more than the noise that is rounded off before, of a number
below `SCIENTIFIC_FROM` with up to `FEW_DECIMALS`. So any rule rounds such a number the same."""
FEW_DECIMALS = 4
_POWERS = tuple(10.0**n for n in range(FEW_DECIMALS + 1))
_WRITTEN = tuple(f"{{:.{n}f}}".format for n in range(FEW_DECIMALS + 1))
HALF = "500000"
"""What stands after the last digit that is kept, in so many digits, where it is a half."""


def decimal_text(value: float | Fraction, decimals: int = CELL_DECIMALS, noise: float = 0.0) -> str:
    """`value` as a decimal number; anything of size `noise` or less is 0.

    Below `SCIENTIFIC_BELOW` and from `SCIENTIFIC_FROM` on, the mantissa has as many digits as keep
    the number's precision in step with its neighbours: 0.00314 is 3e-3 at two decimals, 3.1e-3
    at three.
    """
    if isinstance(value, float) and decimals <= FEW_DECIMALS:
        size = abs(value)
        if noise < size and SCIENTIFIC_BELOW <= size < SCIENTIFIC_FROM:
            beyond = size * _POWERS[decimals] % 1 - 0.5
            if beyond > FAR_FROM_A_HALF or beyond < -FAR_FROM_A_HALF:
                return _WRITTEN[decimals](value)
    near = _float(value)  # a fraction takes ten times as long to compare
    if not math.isfinite(near) and isinstance(value, float):
        return "NaN" if math.isnan(value) else str(float(value))
    size = abs(near)
    if value == 0 or (noise and size <= noise):
        return _fixed(0.0, decimals, negative=False)
    if size < SCIENTIFIC_BELOW:
        return _scientific(value, max(decimals - 2, 0))
    if size >= SCIENTIFIC_FROM:
        return _scientific(value, decimals)
    return _fixed(value if near > 0 else -value, decimals, negative=near < 0)


def cell_text(value: float, noise: float = 0.0) -> str:
    """A cell of a matrix as every part of the product shows it: two decimals."""
    return decimal_text(float(value), CELL_DECIMALS, noise)


def operand_texts(values: Sequence[float], decimals: int, noise: float = 0.0) -> list[str]:
    """`operand_text` of each, faster: most are numbers that any rule rounds the same."""
    if not 0 < decimals <= FEW_DECIMALS:
        return [operand_text(value, decimals, noise) for value in values]
    least, unit, written = max(SCIENTIFIC_BELOW, noise), _POWERS[decimals], _WRITTEN[decimals]
    texts = []
    for value in values:
        size = abs(value)
        if least < size < SCIENTIFIC_FROM and abs(size * unit % 1 - 0.5) > FAR_FROM_A_HALF:
            text = written(value)
            texts.append(text if text[-1] != "0" else _spared(text, value, noise))
        else:
            texts.append(operand_text(value, decimals, noise))
    return texts


@lru_cache(maxsize=2**14)
def operand_text(value: float, decimals: int, noise: float = 0.0) -> str:
    """A number inside an arithmetic line: as `decimal_text`, without zeros an exact one can spare.

    1.10 that stands for exactly 1.1 is written 1.1; one that was rounded keeps its zero.
    """
    text = decimal_text(float(value), decimals, noise)
    if "." not in text or "e" in text or "n" in text:
        return text
    return _spared(text, value, noise) if text[-1] == "0" else text


def _spared(text: str, value: float, noise: float) -> str:
    """A text that ends in zeros without them, if it stands for an exact number."""
    short = text.rstrip("0").rstrip(".")
    return short if abs(float(short) - value) <= max(noise, 1e-12 * abs(value)) else text


def rounded(value: float, decimals: int) -> float:
    """`value` rounded to decimals by the rule above; a number that is small becomes 0."""
    if not math.isfinite(value):
        return value
    size: float = _half_away(abs(value), decimals) / 10**decimals
    return -size if value < 0 and size else size


def settled(value: float, room: float) -> float:
    """`value`, or the whole number that is nearer to it than `room`. One near 0 stays as it is."""
    whole = float(round(value)) if math.isfinite(value) else 0.0
    return whole if whole and abs(value - whole) < room else value


def fraction_text(value: float) -> str:
    """A number as a fraction with a small denominator, "1/6"; "" if it is none."""
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR) if math.isfinite(value) else None
    return str(near) if near is not None and abs(value - near) <= FLOAT_NOISE else ""


def are_fractions(values: Sequence[float]) -> bool:
    """Whether numbers are best written as fractions: all are, and of some two decimals are not all
    that they have."""
    finite = [value for value in values if math.isfinite(value)]
    return all(map(fraction_text, finite)) and any(
        abs(rounded(value, CELL_DECIMALS) - value) > FLOAT_NOISE for value in finite
    )


def full_text(value: float) -> str:
    """A number with all of its decimals, two at least, and never in powers of ten."""
    if not math.isfinite(value):
        return decimal_text(value)
    whole, _, part = f"{Decimal(repr(abs(value))):-f}".partition(".")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{part.rstrip('0'):0<{CELL_DECIMALS}}"


def _fixed(size: float | Fraction, decimals: int, negative: bool) -> str:
    units = _half_away(size, decimals)
    whole, part = divmod(units, 10**decimals)
    digits = f"{whole}.{part:0{decimals}d}" if decimals else str(whole)
    return f"-{digits}" if negative and units else digits


def _scientific(value: float | Fraction, decimals: int) -> str:
    if isinstance(value, float) and decimals + len(HALF) <= MANTISSA_NOISE:
        longer = f"{value:.{decimals + len(HALF)}e}".partition("e")[0]
        beyond = int(longer[-len(HALF) :]) - int(HALF)
        if abs(beyond) > 1:  # far from a half any rule rounds the same
            digits, _, power = f"{value:.{decimals}e}".partition("e")
            return f"{digits}e{int(power)}"
    exact = Fraction(value)
    exponent = (Decimal(exact.numerator) / Decimal(exact.denominator)).adjusted()
    mantissa = abs(exact) / Fraction(10) ** exponent
    if mantissa < 1:  # the quotient was itself rounded, up to a power of ten
        exponent, mantissa = exponent - 1, 10 * mantissa
    units = _half_away(mantissa, decimals, MANTISSA_NOISE)
    if units == 10 ** (decimals + 1):
        units, exponent = 10**decimals, exponent + 1
    digits = _fixed(Fraction(units, 10**decimals), decimals, negative=bool(value < 0))
    return f"{digits}e{exponent}"


def _half_away(size: float | Fraction, decimals: int, noise: int = NOISE_DECIMALS) -> int:
    """`size` ≥ 0 in units of the last decimal, a half going up.

    What stands after decimal `noise` is rounded off before.
    """
    if decimals >= noise:
        scale: int = 10**decimals
        return math.floor(Fraction(size) * scale + Fraction(1, 2))
    unit: int = 10 ** (noise - decimals)
    units: int
    if isinstance(size, Fraction):
        units, rest = divmod(size.numerator * 10**noise, size.denominator)
        units += 2 * rest > size.denominator - units % 2  # as `round`, halves to even
    else:
        scaled = size * 10**noise
        near_a_half = abs(scaled % 1 - 0.5) < PRODUCT_NOISE
        units = round(Fraction(size) * 10**noise if near_a_half else scaled)
    return (units + unit // 2) // unit


def _float(value: float | Fraction) -> float:
    """The nearest float; ±∞ where that is beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


_IN_POWERS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?e[-−]?\d+")


def handwritten(text: str) -> str:
    """A line of arithmetic as people write it: 0.5 × −0.0003 and not 0.5*-3e-4."""
    factors = text.replace("**", "^").replace("*", " × ")
    return typeset(_IN_POWERS.sub(_written_out, factors))


def _written_out(number: re.Match[str]) -> str:
    value = Decimal(number[0].replace("−", "-"))
    return f"{value:-f}" if value.adjusted() >= -PAPER_DECIMALS else f"0.{'0' * PAPER_DECIMALS}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_text(text: str) -> str:
    """A number in powers of ten as books write it: 2e-9 is 2 × 10⁻⁹."""
    mantissa, _, exponent = text.partition("e")
    return f"{typeset(mantissa)} × 10{exponent.translate(_SUPERSCRIPTS)}"


def typeset(text: str) -> str:
    """A number's text as it is printed for people: −1.56, −∞."""
    return text.replace("inf", "∞").replace("-", "−")
