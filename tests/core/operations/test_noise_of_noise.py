"""A product with what is nothing but float noise is noise, and is shown as 0."""

import numpy as np

from core import Inputs, attention_program, explain
from core.program.display import shown


def test_the_score_of_a_query_that_cancels_to_zero_is_zero() -> None:
    one = np.ones((1, 3, 1))
    X = np.array([[0.1, 0.2, -0.3]])
    inputs = {"X": X, "W_Q": one, "W_K": one * [[[1.0], [2.0], [3.0]]], "W_V": one}
    arrays = inputs | {"W_O": np.ones((1, 3))}
    trace = attention_program(heads=1).run(Inputs(arrays, ("a",)))
    assert trace["Q"][0, 0, 0] != 0
    assert shown(trace, "Q", (0, 0, 0)) == "0.00"
    assert trace["K"][0, 0, 0] != 0
    assert shown(trace, "scores", (0, 0, 0)) == "0.00"
    assert explain(trace, "scores", (0, 0, 0)).plain[-1].endswith("0.00")
