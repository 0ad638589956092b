"""A lesson's scene beside the page, as a person sees it."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.waiting import settle


def words(page: Page) -> Locator:
    return page.locator(".st-key-lesson")


def way(page: Page) -> Locator:
    return words(page).get_by_role("navigation", name="Scenes")


def arrived(page: Page, number: int, of: int) -> None:
    """Wait until a scene is there, with all its numbers."""
    expect(way(page)).to_contain_text(f"{number} / {of}")
    expect(words(page).get_by_text(re.compile(r"^[A-Za-z_]\w*(\.\d+)+$"))).to_have_count(0)
    settle(page)
