"""The way back to the toggles of an untouched page."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice, expect_step, heard, option, told_ahead


def test_reset_takes_back_every_toggle_without_the_server(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights")
    reset = page.get_by_role("button", name="Reset toggles:")
    told_ahead(page)
    expect(reset).to_have_count(0)
    changed, own = {"mask": "none", "scale": "off"}, {"mask": "causal", "scale": "on"}
    with stopped(page.url):
        for key, value in changed.items():
            choice(page, key, value).click()
            expect(reset).to_have_count(1)
        reset.click()
        for key, value in own.items():
            expect(page.locator(option(key, value))).to_have_attribute("aria-checked", "true")
        expect(reset).to_have_count(0)
        expect_step(page, "weights")
    heard(page)
    assert not any(f"{key}=" in page.url for key in own)


@pytest.mark.deep
def test_reset_is_there_on_a_link_that_changes_a_toggle_of_a_chapter(open_page: OpenPage) -> None:
    page = open_page("softmax?softmax_made=square")
    page.get_by_role("button", name="Reset toggles: Made positive by eˣ").click()
    chosen = page.locator(option("softmax_made", "exp"))
    expect(chosen).to_have_attribute("aria-checked", "true")
    heard(page)
    assert "softmax_made" not in page.url
