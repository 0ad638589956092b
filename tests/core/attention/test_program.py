"""The fixed contracts: names, shapes, masks, checks, and the example of the docs."""

from typing import Any

import numpy as np
import pytest

from core import InputError, attention_program, explain, toy_inputs
from core.attention.masks import MASKS
from tests.core.support import random_run

NAMES = {
    "X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "scores", "scaled", "mask", "masked",
    "weights", "context", "concat", "output",
}  # fmt: skip


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [True, False, 0.7])
def test_every_trace_has_every_name_read_only(mask: str, scale: bool | float) -> None:
    trace = random_run(1, T=5, mask=mask, scale=scale, heads=4, kv_heads=2)
    assert set(trace) == NAMES
    for name, array in trace.items():
        assert array.dtype == (bool if name == "mask" else np.float64)
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 0


def test_shapes_are_the_fixed_ones() -> None:
    T, d_model, H, G, d_k, d_v = 5, 7, 6, 3, 2, 11
    trace = random_run(2, T=T, d_model=d_model, heads=H, kv_heads=G, d_k=d_k, d_v=d_v)
    shapes = {
        "X": (T, d_model), "W_Q": (H, d_model, d_k), "W_K": (G, d_model, d_k),
        "W_V": (G, d_model, d_v), "W_O": (H * d_v, d_model), "Q": (H, T, d_k), "K": (G, T, d_k),
        "V": (G, T, d_v), "scores": (H, T, T), "scaled": (H, T, T), "mask": (T, T),
        "masked": (H, T, T), "weights": (H, T, T), "context": (H, T, d_v),
        "concat": (T, H * d_v), "output": (T, d_model),
    }  # fmt: skip
    assert {name: array.shape for name, array in trace.items()} == shapes


def test_the_example_of_the_readme_runs() -> None:
    program = attention_program(heads=2, kv_heads=1, mask="causal", scale=True)
    text = "The cat sat on the mat"
    trace = program.run(toy_inputs(text, heads=2, kv_heads=1, d_model=8, seed=0))
    assert trace["weights"].shape == (2, 6, 6)
    sources = trace.sources("scores", (0, 2, 1))
    assert sources == {"Q": [(0, 2, k) for k in range(4)], "K": [(0, 1, k) for k in range(4)]}
    uses = trace.uses("K", (0, 1, 0))
    assert uses == {"scores": [(h, i, 1) for h in range(2) for i in range(6)]}
    explanation = explain(trace, "scores", (0, 2, 1))
    assert explanation.title == "scores[sat, cat] of head 1"
    assert isinstance(explanation.latex, list)
    assert isinstance(explanation.plain, list)
    assert "dot product" in explanation.words
    pinned = program.run(toy_inputs(text, kv_heads=1), pinned={"scores": np.ones((2, 6, 6))})
    np.testing.assert_array_equal(pinned["scores"], 1.0)


def test_scale_divides_by_root_d_k_leaves_or_multiplies() -> None:
    inputs = toy_inputs("a b c", heads=2)
    raw = attention_program(scale=False).run(inputs)
    np.testing.assert_array_equal(raw["scaled"], raw["scores"])
    halved = attention_program(scale=True).run(inputs)
    np.testing.assert_array_equal(halved["scaled"], raw["scores"] / 2)
    times = attention_program(scale=3.5).run(inputs)
    np.testing.assert_array_equal(times["scaled"], raw["scores"] * 3.5)


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
    with pytest.raises(InputError, match=message):
        attention_program().run(inputs)


@pytest.mark.parametrize(
    "settings",
    [{"heads": 17}, {"heads": 0}, {"heads": 4, "kv_heads": 3}, {"mask": "diagonal"},
     {"scale": -1.0}, {"scale": float("nan")}, {"window": 0}, {"prefix": 0},
     {"windows": 3}],
)  # fmt: skip
def test_programs_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        attention_program(**settings)


def test_running_changes_nothing_it_is_given() -> None:
    given = {name: np.array(array) for name, array in toy_inputs("a b c").items()}
    before = {name: array.copy() for name, array in given.items()}
    attention_program().run(given)
    for name, array in given.items():
        np.testing.assert_array_equal(array, before[name])
        assert array.flags.writeable
