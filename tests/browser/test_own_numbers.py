"""The panel of one's own numbers, in a real browser."""

from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.controls import open_own_numbers
from tests.browser.stage import focus_cell
from tests.sampling import some
from tests.ui.chapters.walkthrough.test_own_numbers import PASTED


@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_an_exercise_is_pasted_and_used(
    open_page: OpenPage, theme: Literal["light", "dark"]
) -> None:
    page = open_page("?step=scores", width=1280, height=720, theme=theme)
    open_own_numbers(page)
    panel = page.get_by_test_id("stPopoverBody")
    panel.get_by_role("textbox", name="Numbers").fill(PASTED)
    panel.get_by_role("textbox", name="Numbers").press("Control+Enter")
    expect(panel.get_by_role("row")).to_have_count(7)
    expect(panel.get_by_role("button", name="Use these numbers")).to_be_in_viewport()
    # It is drawn outside of the app: its selected options and the table's edges need its theme.
    assert panel.evaluate("(body) => getComputedStyle(body).colorScheme") == theme
    panel.get_by_role("button", name="Use these numbers").click()
    expect(focus_cell(page, "scores.0.1.1")).to_have_text("16.00")
    expect(page.get_by_role("button", name="Numbers: your own")).to_be_visible()
