"""The walkthrough's view in the URL."""

import json
import tracemalloc
import zlib
from base64 import urlsafe_b64encode
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import InputError
from core.attention.family import read_scale
from core.attention.setups import Setup
from ui.chapters.walkthrough.keys import AXES_COUNT, DEFAULTS, WALKTHROUGH, packed_edits, unpack
from ui.links.links import LONGEST_LINK, to_query, values_of_link


def test_what_is_written_is_read_again() -> None:
    view = {
        **DEFAULTS, "text": "a & b = c", "mask": "custom", "heads": 4, "kv_heads": 2,
        "scale": "0.5", "step": "weights", "cell": "weights.1.0.2", "preset": "P4",
        "m": packed_edits({"X": np.eye(2)}),
    }  # fmt: skip
    values, messages = values_of_link(WALKTHROUGH, to_query(WALKTHROUGH, view))
    assert values == view
    assert messages == []


@given(st.dictionaries(st.sampled_from(list(DEFAULTS)), st.text(max_size=60)))
def test_any_link_gives_a_usable_view_and_says_what_was_wrong(raw: dict[str, str]) -> None:
    values, messages = values_of_link(WALKTHROUGH, raw)
    assert set(values) == set(DEFAULTS)
    assert len(messages) <= len(raw)
    again, complaints = values_of_link(WALKTHROUGH, to_query(WALKTHROUGH, values))
    assert again == values
    assert complaints == []


@given(st.integers(0, 2**32 - 1))
def test_matrices_travel_exactly(seed: int) -> None:
    draw = np.random.default_rng(seed)
    edits = {"X": draw.normal(size=(3, 5)), "scores": np.round(draw.normal(size=(2, 3, 3)), 1)}
    found = unpack(packed_edits(edits))
    assert set(found) == set(edits)
    for name, array in edits.items():
        np.testing.assert_array_equal(found[name], array)


def test_as_many_heads_as_there_may_be_travel_and_a_mask_as_booleans() -> None:
    assert unpack(packed_edits({"W_Q": np.ones((16, 64, 4))}))["W_Q"].shape == (16, 64, 4)
    assert unpack(packed_edits({"mask": np.tri(3, dtype=bool)}))["mask"].dtype == bool


NO_MATRICES = [
    ("Y", np.eye(2)), ("X", np.full((2, 2), 1e9)), ("X", np.ones((70, 2))), ("X", np.ones(3)),
    ("X", np.ones((2, 6, 8))), ("X", np.array(1.0)), ("W_Q", np.ones((64, 8, 4))),
    ("W_Q", np.ones(2)), ("Q", np.ones((6, 8))), ("scores", np.ones((17, 6, 6))),
    ("mask", np.ones((17, 6, 6))), ("mask", np.full((2, 2), 0.5)), ("b_O", np.ones((1, 6))),
    ("tokens", np.array(["x" * 201])), ("tokens", np.array(["x"] * 65)), ("tokens", np.ones(3)),
]  # fmt: skip
PACKED = ["x", "AAAA", "9" * 9000, *(packed_edits({name: array}) for name, array in NO_MATRICES)]


@pytest.mark.parametrize("packed", PACKED)
def test_packed_garbage_is_refused(packed: str) -> None:
    with pytest.raises(InputError):
        unpack(packed)


NUMBERS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
SHAPES = st.lists(st.integers(0, 3), max_size=4)
MATRICES = SHAPES.map(lambda shape: np.ones(shape).tolist()) | st.recursive(
    NUMBERS, lambda inner: st.lists(inner, max_size=3), max_leaves=8
)
NAMES = st.sampled_from([*AXES_COUNT, "Y", ""])


@given(st.dictionaries(NAMES, MATRICES, min_size=1) | st.dictionaries(NAMES, NUMBERS) | MATRICES)
def test_any_json_in_a_link_is_matrices_or_is_refused(value: Any) -> None:
    packed = urlsafe_b64encode(zlib.compress(json.dumps(value).encode())).decode().rstrip("=")
    try:
        found = unpack(packed)
    except InputError:
        return
    assert all(array.ndim in AXES_COUNT[name] for name, array in found.items())


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_in_a_link_are_matrices_or_are_refused(data: bytes, deflated: bool) -> None:
    packed = urlsafe_b64encode(zlib.compress(data) if deflated else data).decode()
    try:
        assert unpack(packed) == {}
    except InputError:
        assert packed


def test_a_link_that_unpacks_to_megabytes_is_refused_before_it_fills_memory() -> None:
    bomb = urlsafe_b64encode(zlib.compress(b" " * 5_000_000)).decode()
    assert len(bomb) < LONGEST_LINK
    tracemalloc.start()
    with pytest.raises(InputError):
        unpack(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000


@pytest.mark.parametrize(
    ("text", "scale"), [("on", True), ("off", False), ("0.5", 0.5), ("0,5", 0.5), ("2", 2.0)]
)
def test_scales_are_read(text: str, scale: bool | float) -> None:
    assert read_scale(text) == scale


@pytest.mark.parametrize("text", ["", "-1", "0", "nan", "inf", "1e7", "maybe"])
def test_scales_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_scale(text)


def test_a_whole_toy_view_fits_into_a_link() -> None:
    setup = Setup()
    edits = {name: np.array(setup.trace[name]) for name in ("X", "W_Q", "W_K", "W_V", "W_O")}
    assert len(packed_edits(edits)) < 2_000
