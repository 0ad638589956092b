"""The way back to the toggles of an untouched page."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import heard, option


@pytest.mark.deep
def test_reset_is_there_on_a_link_that_changes_a_toggle_of_a_chapter(open_page: OpenPage) -> None:
    page = open_page("softmax?softmax_made=square")
    page.get_by_role("button", name="Reset toggles: Made positive by eˣ").click()
    chosen = page.locator(option("softmax_made", "exp"))
    expect(chosen).to_have_attribute("aria-checked", "true")
    heard(page)
    assert "softmax_made" not in page.url
