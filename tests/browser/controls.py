"""What the browser tests ask of the row above the walkthrough's stage."""

import re

from playwright.sync_api import Locator, Page

from core.attention.examples.presets import PRESETS
from core.attention.examples.two_meanings import BY_ID
from tests.browser.waiting import settle


def example(page: Page, name: str) -> Locator:
    """One of the examples, in the panel that is opened for it."""
    page.get_by_role("button", name="Examples").click()
    if name in BY_ID:
        return page.get_by_test_id("stButtonGroup").get_by_text(BY_ID[name].word, exact=True)
    return page.get_by_test_id("stRadio").get_by_text(PRESETS[name].title, exact=True)


def choose_example(page: Page, name: str) -> None:
    example(page, name).click()


def open_numbers(page: Page) -> None:
    """Open the panel that says where the numbers come from."""
    page.get_by_role("button", name=re.compile("^Numbers: ")).click()


def open_own_numbers(page: Page) -> None:
    """Open the part of it in which whole matrices are given."""
    open_numbers(page)
    page.get_by_text("Your own numbers").click()
    settle(page)
