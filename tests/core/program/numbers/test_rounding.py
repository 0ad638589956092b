"""The one rounding rule."""

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.program.numbers import rounding
from tests.quotes import proves


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.125, "0.13"), (-0.125, "-0.13"), (1.005, "1.01"), (2.675, "2.68"), (-0.0, "0.00"),
        (3.2e-7, "3e-7"), (-2.5e-7, "-3e-7"), (0.00499, "5e-3"), (0.005, "0.01"), (9.6e-5, "1e-4"),
        (999_999.994, "999999.99"), (1e6, "1.00e6"), (-123_456_789.0, "-1.23e8"),
        (float("-inf"), "-inf"), (float("nan"), "NaN"), (1.0, "1.00"),
    ],
)  # fmt: skip
def test_halves_go_away_from_zero_and_small_numbers_keep_digits(value: float, text: str) -> None:
    assert rounding.cell_text(value) == text


@proves("A 5 rounds away from 0: 0.125 to 0.13, −0.125 to −0.13")
@pytest.mark.parametrize(
    ("value", "number"),
    [(0.125, 0.13), (-0.125, -0.13), (0.615, 0.62), (1.23 / 2, 0.62), (-0.004, 0.0), (3e-7, 0.0),
     (float("-inf"), float("-inf")), (4.0, 4.0)],
)  # fmt: skip
def test_on_paper_numbers_are_rounded_alike_small_ones_to_zero(value: float, number: float) -> None:
    assert repr(rounding.rounded(value, 2)) == repr(number)


@given(st.integers(-(10**7), 10**7), st.integers(0, 6))
def test_a_decimal_number_is_written_in_full_and_reads_back(units: int, decimals: int) -> None:
    text = rounding.full_text(units / 10**decimals)
    assert Fraction(text) == Fraction(units, 10**decimals)
    assert len(text.partition(".")[2]) >= 2


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("(0.5*-3e-4) + 2 ≈ 2", "(0.5 × −0.0003) + 2 ≈ 2"),
        ("exp(-3 - 2) ≈ 6.74e-3", "exp(−3 − 2) ≈ 0.00674"),
        ("exp(-400) ≈ 1.92e-174", "exp(−400) ≈ 0.000000000"),
        ("2.5e6", "2500000"),
        ("scores × 1.25e−5", "scores × 0.0000125"),
        ("max(-inf, 1)", "max(−∞, 1)"),
    ],
)
def test_arithmetic_is_written_as_by_hand(line: str, written: str) -> None:
    assert rounding.handwritten(line) == written


def test_what_is_no_more_than_noise_is_zero() -> None:
    residue = 0.1 + 0.2 - 0.3
    assert rounding.cell_text(residue, 1e-9) == "0.00"
    assert rounding.cell_text(residue, 0.0) == "6e-17"


@given(st.integers(-(10**9), 10**9), st.integers(2, 6))
def test_it_agrees_with_decimal_arithmetic(units: int, decimals: int) -> None:
    exact = Decimal(units).scaleb(-7)
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    text = rounding.decimal_text(float(exact), decimals)
    if abs(exact) >= Decimal("0.005"):
        assert Decimal(text) == rounded
        assert len(text.partition(".")[2]) == decimals
    assert not (text.startswith("-") and Fraction(text) == 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 200), "0.01"), (Fraction(-1, 200), "-0.01"), (Fraction(-5, 8), "-0.63"),
        (Fraction(10) ** 400, "1.00e400"), (-(Fraction(10) ** 400), "-1.00e400"),
        (Fraction(1, 10**400), "1e-400"),
        # noise is rounded off at the 9th decimal, its halves to even
        (Fraction("0.0149999995"), "0.02"), (Fraction("0.0149999985"), "0.01"),
    ],
)  # fmt: skip
def test_fractions_at_and_beyond_the_ends_of_floats_are_written(value: Fraction, text: str) -> None:
    assert rounding.decimal_text(value) == text


def test_an_operand_drops_zeros_only_where_it_is_exact() -> None:
    assert rounding.operand_text(1.1, 2) == "1.1"
    assert rounding.operand_text(-2.0, 2) == "-2"
    assert rounding.operand_text(1.1049, 2) == "1.10"
    assert rounding.operand_text(float("nan"), 2) == "NaN"


NUMBERS = st.floats(-1e7, 1e7) | st.integers(-9999, 9999).map(lambda n: n / 1000) | st.floats()


@given(st.lists(NUMBERS, max_size=8), st.integers(0, 7), st.sampled_from([0.0, 1e-9, 0.02]))
@example([0.125, -2.675, 1.005, 0.015], 2, 0.0)
@example([1.1, -2.0, 1.1049, 0.125, -1e-5, 10.0, 20.0, 3e8, math.nan, -math.inf], 0, 0.0)
def test_numbers_together_are_as_each(values: list[float], decimals: int, noise: float) -> None:
    each = [rounding.operand_text(value, decimals, noise) for value in values]
    assert rounding.operand_texts(values, decimals, noise) == each


def test_numbers_for_people_have_a_real_minus_and_an_infinity_sign() -> None:
    assert rounding.typeset("-inf") == "−∞"
    assert rounding.typeset("NaN") == "NaN"
    assert rounding.typeset("-3e-7") == "−3e−7"
