"""The texts of whole arrays are those of the one rounding rule, cell by cell."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.program.numbers import rounding
from core.program.numbers.display import cell_texts
from core.program.numbers.rounding import FEW_DECIMALS, SCIENTIFIC_FROM, cell_text, decimal_text


def near(value: float) -> list[float]:
    """A number, those that float64 has next to it, and those a little further from it."""
    by = [0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 2e-3]
    return [
        *(value + n * float(np.spacing(value)) for n in range(-3, 4)),
        *(value + sign * d for d in by for sign in (-1, 1)),
    ]


def check(values: list[float], noise: float = 0.0) -> None:
    one_by_one = [cell_text(value, noise) for value in values]
    assert cell_texts(np.array(values), noise) == one_by_one
    for value, text in zip(values, one_by_one, strict=True):
        if np.isfinite(value) and abs(value) < SCIENTIFIC_FROM:  # a fraction takes no short cut
            assert text == decimal_text(Fraction(value), 2, noise)
            for decimals in (3, FEW_DECIMALS, FEW_DECIMALS + 1):
                exact = decimal_text(Fraction(value), decimals, noise)
                assert decimal_text(value, decimals, noise) == exact


@pytest.mark.parametrize("sign", [1, -1])
def test_ties_and_what_is_next_to_them(sign: int) -> None:
    """0.125 is 0.13: a half goes away from zero, at every magnitude that has hundredths."""
    assert cell_texts(np.array([0.125, -0.125, 2.675, 0.005])) == ["0.13", "-0.13", "2.68", "0.01"]
    for whole in (0, 1, 2, 7, 10, 99, 1_000, 12_345, 99_999, 524_288, 999_999):
        for hundredths in (0, 1, 12, 24, 37, 49, 50, 62, 87, 99):
            check([sign * value for value in near(whole + hundredths / 100 + 0.005)])


def test_where_numbers_begin_to_be_written_otherwise() -> None:
    for edge in (rounding.SCIENTIFIC_BELOW, SCIENTIFIC_FROM, 0.01, 1.0, 10.0, 1e6, 1e-9, 1e-300):
        check([sign * value for value in near(edge) for sign in (-1, 1)])
    check([0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, 5e-324])


@pytest.mark.parametrize("noise", [0.0, 1e-15, 1e-9, 0.004, 0.02, 1.0])
def test_many_magnitudes(noise: float) -> None:
    drawn = np.random.default_rng(0)
    sizes = 10.0 ** drawn.uniform(-12, 12, 4000)
    check((sizes * drawn.choice([-1, 1], 4000)).tolist(), noise)
    check(np.round(sizes, 3).tolist(), noise)  # one in ten is a tie


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20), st.integers(2, 7))
def test_decimals_as_people_type_them(units: list[int], decimals: int) -> None:
    check([number / 10**decimals for number in units])
