"""The buttons that send a stage to an example by hand."""

import pytest

from core.path import PATH
from tests.ui.support import arriving, opened, stages

BY_HAND = {
    "other_kinds": (0, "kinds_by_hand", "context.0.2.0", ["2.25"]),
    "block": (1, "block_by_hand", "x_1.0.0", ["2.00", "1.00"]),
}
"""Of a page: which of its stages, the button, the cell that it leads to, and the row there."""


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("other_kinds", {"kinds_brackets": "pairs", "kinds_text": "cat"}),
        ("other_kinds", {"kinds_cell": "state.0.0.0"}),
        ("block", {}),
        ("block", {"block_depth_step": "x_7", "block_depth_cell": "x_7.0.1"}),
    ],
)
def test_a_press_shows_the_example_and_its_link(page: str, link: dict[str, str]) -> None:
    at, button, cell, row = BY_HAND[page]
    shown = opened(page, **link)
    before, told = dict(shown.query_params), stages(shown)[at]
    shown.button(key=button).click().run()
    assert told.selected != cell
    assert shown.query_params != before
    for again in (shown, opened(page, **dict(shown.query_params))):
        after = stages(again)[at]
        assert after.selected == cell
        assert after.texts(after.step)[-1].tolist() == row


@pytest.mark.parametrize(
    ("page", "key", "drawn"),
    [("heads", "heads_count", "4"), ("other_kinds", "kinds_matrices", "drawn")],
)
@pytest.mark.parametrize(
    ("brought", "by_hand"), [("the children sat by the lake", True), ("red zebra", False)]
)
def test_a_brought_sentence_is_by_hand_if_its_words_are(
    page: str, key: str, drawn: str, brought: str, by_hand: bool
) -> None:
    shown = arriving(page, brought)
    assert not shown.exception
    assert shown.session_state[f"{PATH[page].key}_text"] == brought
    assert shown.session_state[key] == ("hand" if by_hand else drawn)
