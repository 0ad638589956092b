"""The walkthrough's view in the URL, with fewer queries than keys too."""

import json
import tracemalloc
import zlib
from base64 import urlsafe_b64encode
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core import InputError
from core.attention.family import read_scale
from core.attention.masks import LOWER_RIGHT
from core.attention.setups import Setup
from tests.ui import support
from tests.ui.chapters.walkthrough.test_own_numbers import taken, typed
from tests.ui.support import changed, prose, stage
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


GIVEN = {
    "Q": np.array([[[0.0, 0], [1, 0]]]),
    "K": np.array([[[1.0, 0], [0, 1], [1, 0], [0, 1], [1, 1]]]),
    "V": np.arange(10.0).reshape(1, 5, 2),
}
opened = partial(support.opened, "walkthrough", heads="1", d_model="2", step="masked")


def seen(page: AppTest) -> list[int]:
    """How many keys each query sees."""
    found: list[int] = page.session_state.good.trace["mask"].sum(axis=1).tolist()
    return found


def paste(page: AppTest, name: str) -> None:
    changed(page, numbers_panel=True, edit_panel=True)
    rows = "\n".join(" ".join(map(str, row)) for row in GIVEN[name][0])
    taken(typed(page, rows).selectbox(key="edit_name").set_value(name).run())


@pytest.mark.parametrize("order", ["QKV", "KVQ", "VKQ"])
def test_numbers_that_are_pasted_mean_the_lower_right_and_the_link_says_so(order: str) -> None:
    page = opened()
    for name in order:
        paste(page, name)
    assert seen(page) == [4, 5]
    assert page.query_params["corner"] == LOWER_RIGHT
    assert "ends in the lower right corner" in prose(page)
    assert seen(support.opened("walkthrough", **dict(page.query_params))) == [4, 5]
    page.button(key="reset_edits").click().run()
    assert "corner" not in page.query_params
    assert "corner of" not in prose(page)


def test_an_old_link_means_the_upper_left_says_so_and_keeps_it_with_other_numbers() -> None:
    """The stage offers the other corner, and the page leads to the chapter."""
    page = opened(m=packed_edits(GIVEN))
    assert seen(page) == [1, 2]
    assert "corner" not in page.query_params
    assert "begins in the upper left corner" in prose(page)
    toggles = {toggle["key"]: toggle for toggle in stage(page).document["toggles"]}
    assert [value for value, _ in toggles["corner"]["options"]] == ["upper-left", "lower-right"]
    (link,) = [link.proto for link in page.get("page_link") if "one-query" in link.proto.page]
    assert link.query_string == "query_part=corner"
    paste(page, "K")
    assert seen(page) == [1, 2]
    assert "corner" not in {toggle["key"] for toggle in stage(opened()).document["toggles"]}


def test_a_mask_is_drawn_for_as_many_queries_and_keys_and_travels_in_the_link() -> None:
    drawn = np.zeros((2, 5), dtype=bool)
    drawn[:, 2] = True
    page = opened(m=packed_edits({**GIVEN, "mask": drawn}), mask="custom")
    np.testing.assert_array_equal(page.session_state.good.trace["mask"], drawn)
    assert not page.warning


def test_the_check_against_pytorch_says_how_is_causal_differs() -> None:
    page = opened(m=packed_edits(GIVEN), corner=LOWER_RIGHT)
    page.button(key="torch_check").click().run()
    (said,) = [c.value.replace("\\", "") for c in page.caption if "PyTorch" in c.value]
    assert said.startswith("✓ equals PyTorch's scaled_dot_product_attention")
    differs = "is_causal=True begins upper left, and its context differs by up to"
    assert f"explicit attn_mask: {differs}" in said
