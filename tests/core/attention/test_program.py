"""The fixed contracts: names, shapes, masks, checks, and the example of the docs."""

from typing import Any

import numpy as np
import pytest

from core import attention_program, toy_inputs
from core.attention.masks import KINDS
from tests.core.support import random_run, refuses

NAMES = {
    "X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "scores", "scaled", "mask", "masked",
    "weights", "context", "concat", "output",
}  # fmt: skip


@pytest.mark.parametrize("mask", [*KINDS])
@pytest.mark.parametrize("scale", [True, False, 0.7])
def test_every_trace_has_every_name_read_only(mask: str, scale: bool | float) -> None:
    trace = random_run(1, T=5, mask=mask, scale=scale, heads=4, kv_heads=2)
    assert set(trace) == NAMES
    for name, array in trace.items():
        assert array.dtype == (bool if name == "mask" else np.float64)
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 0


BAD_INPUTS = [
    ({"X": None}, "X is missing"),
    ({"Y": np.ones((2, 2))}, "Y is not an input"),
    ({"X": np.ones((3, 9))}, "model feature"),
    ({"X": np.ones(3)}, "X has 1 axis; it must have 2"),
    ({"X": np.ones((0, 8))}, "no axis may be empty"),
    ({"X": np.full((3, 8), np.nan)}, "X is nan at 1, 1"),
    ({"X": np.full((3, 8), np.inf)}, "X is inf"),
    ({"X": np.full((3, 8), "a")}, "must hold numbers"),
    ({"X": np.full((3, 8), 1j)}, "must hold numbers"),
    ({"X": [[1.0, 2.0], [3.0]]}, "X"),
    ({"W_Q": np.ones((3, 8, 4))}, "W_Q has 3 along head"),
    ({"W_K": np.ones((2, 8, 5))}, "key feature"),
    ({"W_O": np.ones((9, 8))}, "joined feature"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_INPUTS)
def test_inputs_that_do_not_fit_are_refused(changed: dict[str, Any], message: str) -> None:
    inputs = {**toy_inputs("a b c"), **changed}
    inputs = {name: array for name, array in inputs.items() if array is not None}
    refuses(message, attention_program().run, inputs)


@pytest.mark.parametrize(
    "settings",
    [{"heads": 17}, {"heads": 0}, {"heads": 4, "kv_heads": 3}, {"mask": "diagonal"},
     {"scale": -1.0}, {"scale": float("nan")}, {"window": 0}, {"prefix": 0},
     {"windows": 3}],
)  # fmt: skip
def test_programs_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    refuses("", attention_program, **settings)


def test_running_changes_nothing_it_is_given() -> None:
    given = {name: np.array(array) for name, array in toy_inputs("a b c").items()}
    before = {name: array.copy() for name, array in given.items()}
    attention_program().run(given)
    for name, array in given.items():
        np.testing.assert_array_equal(array, before[name])
        assert array.flags.writeable
