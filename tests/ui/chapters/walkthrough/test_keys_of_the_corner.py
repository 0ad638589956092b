"""Fewer queries than keys on the page: which corner "causal" means, what says so, and the link."""

from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.masks import LOWER_RIGHT
from tests.ui import support
from tests.ui.chapters.walkthrough.test_own_numbers import taken, typed
from tests.ui.support import changed, prose, stage
from ui.chapters.walkthrough.keys import packed_edits

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
