"""How the numbers of a matrix are written: cell by cell by one rule, on a screen and on paper."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Trace, attention_from
from core.attention.examples.presets import preset
from core.program.numbers import rounding
from core.program.numbers.display import cell_texts, paper_matrix, shown_matrix
from core.program.numbers.rounding import FEW_DECIMALS, SCIENTIFIC_FROM, cell_text, decimal_text


def two_decimals(value: float) -> str:
    """A number at two decimals, halves away from zero, by Python's `decimal`."""
    text = str(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return "0.00" if text == "-0.00" else text


def mixed(weights: list[list[float]], values: list[list[float]]) -> Trace:
    return attention_from(weights=np.array(weights), V=np.array(values))


def test_on_paper_numbers_have_two_decimals_or_none_if_all_are_whole() -> None:
    trace = mixed([[2e-9, 1 - 2e-9], [0.25, 0.75]], [[1.005, -2e-7], [0.125, -0.004]])
    assert shown_matrix(trace, "V", (0,))[0][1] == "-2e-7"
    for name in ("weights", "V"):
        prefix = (0,) * (trace[name].ndim - 2)
        wanted = [[two_decimals(float(x)) for x in row] for row in trace[name][prefix]]
        assert paper_matrix(trace, name, prefix) == wanted
    trace = mixed([[2e-9, 1 - 2e-9], [1.0, 0.0]], [[3.0, -2.0], [0.0, 12.0]])
    for name, wanted in (("weights", [["0", "1"], ["1", "0"]]), ("V", [["3", "-2"], ["0", "12"]])):
        assert paper_matrix(trace, name, (0,) * (trace[name].ndim - 2)) == wanted


@pytest.mark.parametrize("name", ["masked", "mask", "weights"])
def test_on_paper_hidden_keys_are_as_on_the_stage(name: str) -> None:
    trace = preset("P2").built().run()
    prefix = (0,) * (trace[name].ndim - 2)
    paper, stage = (written(trace, name, prefix) for written in (paper_matrix, shown_matrix))
    for here, there in zip(chain(*paper), chain(*stage), strict=True):
        assert here == there or float(here) == float(there)


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
