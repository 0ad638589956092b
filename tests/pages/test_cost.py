"""The chapter on cost: what its page shows, and what follows from its controls."""

from functools import partial

import pytest

from core.chapters.cost.growth import (
    HELD,
    NAMES,
    PARTS_LENGTHS,
    PARTS_PLACES,
    PLACES,
    WORK,
    model_named,
    share,
    share_of_block,
    shares_over,
)
from core.chapters.cost.real_model import TEXTS_READ, weights_read
from tests.ui.support import charts, opened_by, prose, stage, untouched

opened = partial(opened_by, "cost")


def test_the_untouched_page_shows_a_text_that_is_filled_up() -> None:
    shown = stage(untouched("cost"))
    assert shown.step == "weights"
    assert shown.labels("weights")[0] == ["Good", "morning", "PAD₁", "PAD₂", "PAD₃", "PAD₄"]
    _, crossing, *others = charts(untouched("cost"))
    assert len(others) == 3
    of_attention, of_block = ("attention only", "a whole block")
    drawn = {line["name"]: line["y"] for line in crossing["data"] if line.get("name")}
    assert drawn[of_attention] == pytest.approx([100 * share(T) for T in PLACES])
    assert drawn[of_block] == pytest.approx([100 * share_of_block(T) for T in PLACES])


@pytest.mark.parametrize("tokens", ["8", "4096", "131072"])
def test_the_curves_are_marked_where_is_counted(tokens: str) -> None:
    page = opened(tokens=tokens, text="a b c")
    T = int(tokens)
    for chart, quantities in zip(charts(page)[2:4], (WORK, HELD), strict=True):
        points = chart["data"][len(quantities) :]
        for quantity, drawn in zip(quantities, points, strict=True):
            assert drawn["x"] == [3, T, 2 * T]
            assert drawn["y"] == [quantity.count(n) for n in (3, T, 2 * T)]
    assert page.query_params["cost_tokens"] == tokens


def test_packed_all_texts_stand_in_one_row_and_the_same_rows_are_kept() -> None:
    pages = [opened(layout=way, step="kept", cell="kept.0.0") for way in ("padded", "packed")]
    padded, packed = map(stage, pages)
    every = "The cat sat on the mat A dog slept Good morning"
    assert packed.labels("scores")[0] == every.split()
    assert padded.texts("kept").tolist() == packed.texts("kept").tolist()
    assert padded.labels("kept")[0] == packed.labels("kept")[0] == ["Good", "morning"]
    assert pages[1].query_params["cost_layout"] == "packed"


@pytest.mark.parametrize("which", ["1", "2", "3"])
def test_the_text_that_is_chosen_is_filled_up_to_the_longest(which: str) -> None:
    page = opened(which=which, text="a b c d")
    rows = stage(page).labels("X")[0]
    words = {"1": ["a", "b", "c", "d"], "2": ["A", "dog", "slept", "PAD"],
             "3": ["Good", "morning", "PAD₁", "PAD₂"]}  # fmt: skip
    assert rows == words[which]
    hidden = [name.startswith("PAD") for name in rows]
    for row in stage(page).texts("mask").tolist():
        assert all(cell == "0" for cell, gone in zip(row, hidden, strict=True) if gone)


@pytest.mark.parametrize("name", NAMES)
def test_the_work_of_a_model_is_drawn_as_it_is_counted(name: str) -> None:
    page = opened(part="work", model=name, context="8192")
    model = model_named(name)
    assert set(PARTS_LENGTHS) < set(PARTS_PLACES)
    *_, chart = charts(page)
    for drawn, part in zip(chart["data"], shares_over(model, PARTS_PLACES), strict=True):
        assert drawn["y"] == pytest.approx([100 * share for share in part])
    assert [shape["x0"] for shape in chart["layout"]["shapes"]] == [8192, float(model.block.half)]
    assert "Where the work is" in page.segmented_control(key="cost_part").options


@pytest.mark.parametrize("name", NAMES)
def test_the_bars_are_of_every_model(name: str) -> None:
    *_, chart = charts(opened(model=name))
    assert len(chart["data"]) == 3
    assert [f"<b>{name}</b>" in bar for bar in chart["data"][0]["y"]] == [n == name for n in NAMES]


@pytest.mark.parametrize("name", TEXTS_READ)
def test_the_tab_on_a_real_model_draws_a_bar_for_each_layer(name: str) -> None:
    page = opened(run=name)
    read = weights_read(name)
    bars, line = charts(page)[-1]["data"]
    assert bars["y"] == list(read.by_layer)
    assert line["y"] == [read.seen] * 2
    assert page.button_group(key="cost_run").options == ["13", "21", "64"]


def test_a_long_sentence_is_packed_into_more_rows_than_a_sentence_may_have() -> None:
    page = opened(text=" ".join(f"w{n}" for n in range(64)), layout="packed")
    assert "of 192** rows are PAD" in prose(page)
    assert stage(page).document["axes"]["i"]["size"] == 69
