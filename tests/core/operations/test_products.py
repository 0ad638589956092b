"""Products: what is float noise about zero in them, and what is a number."""

import numpy as np
import pytest

from core import Inputs, attention_program, explain, toy_inputs
from core.program.numbers.display import shown


def test_a_product_of_small_numbers_is_shown_as_what_it_is() -> None:
    inputs = toy_inputs("a b", heads=1, d_model=2)
    small = {name: np.full(array.shape, 1e-5) for name, array in inputs.items()}
    small["X"][0, 1] = 0.0
    trace = attention_program(heads=1).run(small)
    assert shown(trace, "Q", (0, 0, 0)) == "1e-10"
    assert shown(trace, "scores", (0, 0, 0)) == "2e-20"
    assert explain(trace, "Q", (0, 0, 1)).plain == ["(1e-5*1e-5) + (0*1e-5) = 1e-10"]


def test_terms_that_cancel_are_shown_as_zero_though_floats_leave_a_residue() -> None:
    weights = np.array([[[1, 0], [1, 1], [1, 2]]])
    inputs = {"X": np.array([[0.1, 0.2, -0.3]]), "W_O": np.ones((2, 3))}
    trace = attention_program(heads=1).run(inputs | dict.fromkeys(("W_Q", "W_K", "W_V"), weights))
    for name in ("Q", "K", "V", "context"):
        assert trace[name][0, 0, 0] != 0
        assert [shown(trace, name, (0, 0, k)) for k in (0, 1)] == ["0.00", "-0.40"]
    assert explain(trace, "Q", (0, 0, 0)).plain == ["(0.1*1) + (0.2*1) + (-0.3*1) = 0.00"]


def test_the_score_of_a_query_that_cancels_to_zero_is_zero() -> None:
    """A product with what is nothing but float noise is noise."""
    one = np.ones((1, 3, 1))
    W_K = one * [[[1.0], [2.0], [3.0]]]
    X = np.array([[0.1, 0.2, -0.3]])
    arrays = {"X": X, "W_Q": one, "W_K": W_K, "W_V": one, "W_O": np.ones((1, 3))}
    trace = attention_program(heads=1).run(Inputs(arrays, ("a",)))
    assert 0 not in (trace["Q"][0, 0, 0], trace["K"][0, 0, 0])
    assert shown(trace, "Q", (0, 0, 0)) == shown(trace, "scores", (0, 0, 0)) == "0.00"
    assert explain(trace, "scores", (0, 0, 0)).plain[-1].endswith("0.00")


@pytest.mark.parametrize("seed", [0, 2])
def test_decimals_are_shown_as_zero_where_they_cancel_and_nowhere_else(seed: int) -> None:
    """Toy inputs are whole tenths, so that whole numbers tell which scores are exactly 0."""
    text = "The cat sat on the mat while dogs ran far"
    trace = attention_program(heads=4).run(toy_inputs(text, heads=4, seed=seed))
    X, W_Q, W_K = (np.rint(10 * trace[name]).astype(int) for name in ("X", "W_Q", "W_K"))
    exact = {"Q": X @ W_Q, "K": X @ W_K}
    exact["scores"] = exact["Q"] @ exact["K"].swapaxes(1, 2)
    for name, values in exact.items():
        zeros = [shown(trace, name, cell) == "0.00" for cell in np.ndindex(values.shape)]
        np.testing.assert_array_equal(np.reshape(zeros, values.shape), values == 0)
    assert any((values == 0).any() for values in exact.values())
