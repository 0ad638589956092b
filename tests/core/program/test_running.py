"""Numbers from outside: what a run takes as given, and what it refuses."""

import numpy as np
import pytest

from core import InputError, attention_program, toy_inputs

INPUTS = toy_inputs("the cat sat")
STEPS = ["Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "concat", "output"]


def test_masked_scores_are_given_with_minus_infinity_where_a_key_is_hidden() -> None:
    program = attention_program()
    masked = np.array(program.run(INPUTS)["masked"])
    masked[1, 2, 0] = -np.inf
    trace = program.run(INPUTS, pinned={"masked": masked})
    np.testing.assert_array_equal(trace["masked"], masked)
    np.testing.assert_array_equal(trace["weights"] == 0, masked == -np.inf)
    assert trace.is_removed("weights", (1, 2, 0))


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (array, value)
        for array in STEPS
        for value in (np.inf, np.nan, -np.inf)
        if (array, value) != ("masked", -np.inf)
    ],
)
def test_no_other_infinity_and_no_nan_is_taken_as_given(array: str, value: float) -> None:
    program = attention_program()
    given = np.array(program.run(INPUTS)[array])
    given[(0,) * (given.ndim - 2) + (2, 1)] = value
    with pytest.raises(InputError, match=rf"{array} is {value}.* at (1, )?3, 2"):
        program.run(INPUTS, pinned={array: given})
