"""Going from page to page as a person does: by the header, which lists all chapters."""

import re

from playwright.sync_api import Locator, Page, expect


def header_of(page: Page) -> Locator:
    return page.locator(".st-key-header")


def expect_chapter(page: Page, number: int) -> None:
    """Wait until the page is this chapter."""
    expect(header_of(page).get_by_role("img")).to_have_accessible_name(
        re.compile(rf"^Chapter {number} of \d+")
    )


def opened_path(page: Page) -> Locator:
    """The list of all chapters, opened."""
    header_of(page).get_by_role("button", name="Chapters").click()
    listed = header_of(page).get_by_role("navigation", name="Chapters")
    expect(listed).to_be_visible()
    return listed


def go_by_path(page: Page, title: str) -> None:
    opened_path(page).get_by_role("link", name=title, exact=True).click()
