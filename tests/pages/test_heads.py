"""The page in its starting state and through its controls, and its charts."""

from base64 import b64decode
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.heads import heads
from core.chapters.heads.real_model import SHARING, percents_in_run, sharing_run
from stage.document.colour_levels import LEVELS, MASKED
from tests.sampling import some
from tests.ui import support
from tests.ui.support import changed, charts, link_of, prose, stages, told, untouched, values

PARTS = {"share": 2, "split": 0, "join": 1, "order": 1}
opened = partial(support.opened, "heads")


def test_the_untouched_page_shows_every_head() -> None:
    page = untouched("heads")
    first, hand = stages(page)
    assert first.selected == "weights.0.5.4"  # "bank" and "river"
    assert hand.selected == "weights.0.3.2"
    names = [picture["name"] for picture in maps(page)["pictures"]]
    assert names == ["Head 1 (which meaning?)", "Head 2 (who does it?)"]
    assert any("made by hand" in caption.value for caption in page.caption)


def maps(page: AppTest) -> dict[str, Any]:
    """What the row of small maps was told."""
    ((data,),) = told(page, "small_maps")
    return dict(data)


@pytest.mark.parametrize("count", some(heads.HEADS, 2))
def test_as_many_maps_as_heads_are_drawn(count: int) -> None:
    page = opened(heads_count=str(count))
    weights = heads.drawn_heads(DEFAULT_TEXT, count)["weights"]
    pictures = maps(page)["pictures"]
    assert len(pictures) == count
    for h, picture in enumerate(pictures):
        (matrix,) = picture["matrices"]
        levels = np.frombuffer(b64decode(matrix["levels"]), np.uint8).reshape(6, 6)
        seen = np.tri(6, dtype=bool)
        np.testing.assert_array_equal(levels[seen], np.rint(LEVELS * weights[h][seen]))
        assert (levels[~seen] == MASKED).all()
        assert picture["place"] == f"weights.{h}.2.{weights[h, 2].argmax()}"
    assert f"$d_{{text{{model}}}}$ / H = **{16 // count}**" in prose(page)


def test_the_head_that_is_picked_is_on_the_stage_and_framed() -> None:
    page = changed(opened(heads_count="4"), heads_head=3)
    for shown in (page, opened(**link_of(page))):
        first, hand = stages(shown)
        assert (first.selected, hand.selected) == ("weights.2.2.1", "weights.0.3.2")
        assert (maps(shown)["chosen"], maps(shown)["row"]) == (2, 2)


@pytest.mark.parametrize("step", ["X", "Q", "weights", "output"])
def test_the_row_that_is_looked_at_is_framed_in_every_map(step: str) -> None:
    page = opened(heads_step=step, heads_cell=f"{step}.{'0.' * (step in 'Qweights')}4.0")
    assert maps(page)["row"] == 4
    assert {picture["said"][1] for picture in maps(page)["pictures"]} == {"the"}


def test_a_linked_cell_decides_the_head_and_picking_one_carries_it() -> None:
    page = opened(heads_cell="weights.1.4.3")
    assert page.session_state["heads_head"] == 2
    assert stages(page)[0].selected == "weights.1.4.3"
    changed(page, heads_head=4, heads_cell="")
    assert stages(page)[0].selected == "weights.3.4.3"


def test_fewer_heads_show_one_that_is_there() -> None:
    page = changed(opened(heads_head="4"), heads_count="2")
    assert page.session_state["heads_head"] == 2
    assert stages(page)[0].selected.startswith("weights.1.")


def test_both_hand_made_heads_can_be_looked_at() -> None:
    hand = stages(opened(heads_hand_head="2"))[1]
    assert hand.selected == "weights.1.3.2"
    assert hand.texts("weights").diagonal().tolist() == ["1.00"] * 5


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_drawn(part: str) -> None:
    page = opened(heads_part=part)
    assert len(charts(page)) == PARTS[part]
    assert len(stages(page)) == 2 + (part == "split")
    assert all(len(chart.proto.alt) > 60 for chart in page.get("plotly_chart"))


def test_the_tab_on_a_real_model_has_two_heads_of_queries_on_one_of_keys() -> None:
    """The head that is looked at is in the link, which opens the tab."""
    page = changed(opened(), fold_heads_real=True)
    shown = stages(page)[-1]
    last = len(sharing_run().tokens) - 1
    assert shown.selected == f"weights.0.{last}.{sharing_run()['weights'][0, last].argmax()}"
    assert shown.texts("weights").shape == (last + 1, last + 1)
    assert shown.document["arrays"]["K"]["shape"] == [1, last + 1, 64]
    assert shown.document["axes"]["h"]["labels"] == ["induction", "first token"]
    (own,), (others,) = told(page, "small_maps")
    names = [picture["name"] for picture in others["pictures"]]
    assert names == ["Head 1 (induction)", "Head 2 (first token)"]
    assert len(own["pictures"]) == 2
    followed, first = percents_in_run(sharing_run())
    assert f"a repeated token gives {followed} % of its weight to what followed" in prose(page)
    assert f"a token gives {first} % to the first token" in prose(page)
    for name in SHARING:
        assert f"(real-heads?real_capture={name})" in prose(page)
    assert dict(page.query_params) == {}
    assert changed(page, heads_real_head=2).query_params["heads_real_head"] == "2"
    assert stages(opened(heads_real_head="2"))[-1].selected.startswith("weights.1.")


@pytest.mark.parametrize("groups", some(heads.GROUPS, 2))
def test_the_cache_shrinks_with_the_groups(groups: int) -> None:
    sizes = {count: heads.cache_size(heads.shared_keys(count)) for count in heads.GROUPS}
    page = opened(heads_groups=str(groups))
    _, bars = charts(page)
    assert values(bars["data"][0]["y"]).tolist() == [*sizes.values()]
    assert f"**{sizes[groups]}** numbers" in prose(page)


@pytest.mark.parametrize(
    ("way", "rows"),
    [("wrong", ["0.00", "1.00", "2.00", "3.00"]), ("right", ["0.00", "1.00", "4.00", "5.00"])],
)
def test_the_split_is_compared_right_and_wrong(way: str, rows: list[str]) -> None:
    page = opened(heads_part="split", heads_way=way)
    assert "| reshape and transpose | [0, 1], [4, 5] | [2, 3], [6, 7] |" in prose(page)
    assert "| reshape only | [0, 1], [2, 3] | [4, 5], [6, 7] |" in prose(page)
    split = stages(page)[2]
    assert split.texts("Q").ravel().tolist() == rows
    assert split.compared.startswith("2 of 4 numbers of Q differ")


def test_bars_of_the_heads_add_up_to_the_output() -> None:
    made = {way: heads.joined_heads(heads.to_join(), way) for way in (heads.CONCAT, heads.AVERAGE)}
    page = opened(heads_part="join")
    for way, joined in made.items():
        *bars, total = charts(changed(page, heads_join=way, heads_token=5))[0]["data"]
        assert len(bars) == 4
        parts = [values(bar["y"]) for bar in bars]
        np.testing.assert_allclose(sum(parts), values(total["y"]), rtol=0, atol=1e-12)
        np.testing.assert_allclose(values(total["y"]), joined.output[4])
    swap = made[heads.CONCAT].swap
    assert f"**{swap:.2f}** with concat, and by **0.00** with" in prose(page)


def test_the_dependency_picture_marks_what_moves() -> None:
    for number in (1, 4):
        page = opened(heads_part="order", heads_changed=str(number))
        first, second = charts(page)[0]["data"][-2:]
        marked = [h for h, symbol in enumerate(first["marker"]["symbol"]) if symbol == "diamond"]
        assert (marked, len(first["marker"]["symbol"])) == ([number - 1], 4)
        assert set(second["marker"]["symbol"]) == {"diamond"}


def test_what_is_changed_is_in_the_link_and_found_again() -> None:
    page = changed(opened(heads_count="8"), heads_head=6, heads_part="join")
    changed(page, heads_join=heads.AVERAGE, heads_token=2)
    assert link_of(page) == {
        "heads_text": DEFAULT_TEXT, "heads_count": "8", "heads_head": "6", "heads_part": "join",
        "heads_join": "average", "heads_token": "2",
    }  # fmt: skip
    assert charts(opened(**link_of(page))) == charts(page)
