"""The buttons that send a stage to an example by hand."""

import pytest

from tests.ui.support import opened, stages


@pytest.mark.parametrize(
    ("page", "at", "button", "kept", "step", "cell", "row"),
    [
        ("other_kinds", 0, "kinds_by_hand", {"kinds_brackets": "pairs", "kinds_text": "cat"},
         "context", "context.0.2.0", ["2.25"]),
        ("other_kinds", 0, "kinds_by_hand", {"kinds_cell": "state.0.0.0"},
         "context", "context.0.2.0", ["2.25"]),
        ("block", 1, "block_by_hand", {}, "x_1", "x_1.0.0", ["2.00", "1.00"]),
        ("block", 1, "block_by_hand", {"block_depth_step": "x_7", "block_depth_cell": "x_7.0.1"},
         "x_1", "x_1.0.0", ["2.00", "1.00"]),
    ],
)  # fmt: skip
def test_a_press_shows_the_example_on_the_stage_and_in_the_link(
    page: str, at: int, button: str, kept: dict[str, str], step: str, cell: str, row: list[str]
) -> None:
    shown = opened(page, **kept)
    before = dict(shown.query_params)
    told = stages(shown)[at]
    shown.button(key=button).click().run()
    assert not shown.exception
    after = stages(shown)[at]
    assert (after.step, after.selected) == (step, cell) != (told.step, told.selected)
    assert after.texts(step)[-1].tolist() == row
    again = stages(opened(page, **dict(shown.query_params)))[at]
    assert (again.step, again.selected) == (step, cell)
    assert again.texts(step)[-1].tolist() == row
    assert shown.query_params != before
