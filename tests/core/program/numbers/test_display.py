"""How the numbers of a matrix are written, on a screen and on paper."""

from decimal import ROUND_HALF_UP, Decimal
from itertools import chain

import numpy as np
import pytest

from core import attention_from
from core.attention.examples.presets import preset
from core.program.numbers.display import paper_matrix, shown_matrix
from core.program.trace import Trace


def two_decimals(value: float) -> str:
    """A number at two decimals, halves away from zero, by Python's `decimal`."""
    text = str(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return "0.00" if text == "-0.00" else text


def given(weights: list[list[float]], values: list[list[float]]) -> Trace:
    return attention_from(weights=np.array(weights), V=np.array(values))


def test_on_paper_a_small_number_is_0_and_others_have_two_decimals() -> None:
    trace = given([[2e-9, 1 - 2e-9], [0.25, 0.75]], [[1.005, -2e-7], [0.125, -0.004]])
    assert shown_matrix(trace, "V", (0,))[0][1] == "-2e-7"
    for name in ("weights", "V"):
        prefix = (0,) * (trace[name].ndim - 2)
        wanted = [[two_decimals(float(x)) for x in row] for row in trace[name][prefix]]
        assert paper_matrix(trace, name, prefix) == wanted


def test_on_paper_numbers_that_are_all_whole_have_no_decimals() -> None:
    trace = given([[2e-9, 1 - 2e-9], [1.0, 0.0]], [[3.0, -2.0], [0.0, 12.0]])
    for name, wanted in (("weights", [["0", "1"], ["1", "0"]]), ("V", [["3", "-2"], ["0", "12"]])):
        assert paper_matrix(trace, name, (0,) * (trace[name].ndim - 2)) == wanted


@pytest.mark.parametrize("name", ["masked", "mask", "weights"])
def test_on_paper_hidden_keys_are_as_on_the_stage(name: str) -> None:
    trace = preset("P2").built().run()
    prefix = (0,) * (trace[name].ndim - 2)
    paper, stage = (written(trace, name, prefix) for written in (paper_matrix, shown_matrix))
    for here, there in zip(chain(*paper), chain(*stage), strict=True):
        assert here == there or float(here) == float(there)
