"""Products: what is float noise about zero in them, and what is a number."""

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, explain, toy_inputs
from core.operations.products import scale_rows
from core.program.display import shown
from tests.core.support import random_run

PRODUCTS = ("Q", "K", "V", "scores", "context", "output")


def sizes_of_terms(trace: Trace) -> dict[str, np.ndarray]:
    """For each cell of a product the sum of its terms' sizes, which bounds its rounding."""
    size = {name: np.abs(array) for name, array in trace.items() if array.dtype != bool}
    share = len(size["Q"]) // len(size["K"])
    for step in "QKV":
        size[step] = size["X"] @ size[f"W_{step}"]
    K, V = (size[name].repeat(share, axis=0) for name in "KV")
    size["scores"] = size["Q"] @ K.swapaxes(1, 2)
    size["context"] = size["weights"] @ V
    size["output"] = size["context"].swapaxes(0, 1).reshape(len(size["X"]), -1) @ size["W_O"]
    return size


@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-5, 1e-8, 1e-40])
def test_no_number_is_shown_as_zero_that_rounding_does_not_explain(size: float) -> None:
    trace = random_run(5, size=size, heads=4, kv_heads=2)
    terms = sizes_of_terms(trace)
    for name in PRODUCTS:
        for cell in np.ndindex(trace[name].shape):
            text = shown(trace, name, cell)
            assert float(text) != 0 or abs(trace[name][cell]) <= 1e-12 * terms[name][cell], name
            assert (float(text) < 0) == (trace[name][cell] < 0 and float(text) != 0)


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


def test_rows_are_scaled_each_by_its_own_number() -> None:
    weights, values = (
        np.array([[[0.5, 0.0, 2.0]]]),
        np.array([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]),
    )
    made = scale_rows("h 0 j, h j v -> h j v").forward(weights, values)
    np.testing.assert_array_equal(made, [[[0.5, 1.0], [0.0, 0.0], [10.0, 12.0]]])
