"""Going from page to page as a person does: by the path, which lists them all.

The bar at the top shows those that fit.
"""

import re

from playwright.sync_api import Locator, Page, expect


def path_of(page: Page) -> Locator:
    return page.locator(".st-key-path")


def opened_path(page: Page) -> Locator:
    """The list of all pages, opened."""
    path_of(page).get_by_text(re.compile("^The path")).click()
    listed = path_of(page).get_by_role("navigation", name="The path")
    expect(listed).to_be_visible()
    return listed


def go_by_path(page: Page, title: str) -> None:
    opened_path(page).get_by_role("link", name=title).click()
