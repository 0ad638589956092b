"""A link to any page works when it is the first thing that a fresh server is asked for."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.stage import choice
from tests.browser.walking import header_of


def test_the_first_link_shows_its_page_with_its_parameters(
    cold_server: ColdServer, open_page: OpenPage
) -> None:
    """Of a page whose address is not its file's stem; then the default page by its name."""
    url = cold_server(ROOT)
    link = f"{url}/debug-lab?lab_step=scaled&lab_cover=scaled"
    page = open_page(link)
    expect(page.locator('[data-matrix="scaled"] .covered').first).to_be_visible()
    assert page.url == link
    is_found(page)
    page.goto(f"{url}/walkthrough?heads=4")
    expect(choice(page, "heads", "4")).to_have_attribute("aria-checked", "true")
    assert page.url.startswith(f"{url}/?heads=4")
    is_found(page)


def is_found(page: Page) -> None:
    expect(header_of(page).get_by_role("button", name="Chapters")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)  # such as "Page not found"


@pytest.mark.deep
def test_below_a_base_path_links_are_the_same(cold_server: ColdServer, open_page: OpenPage) -> None:
    url = cold_server(ROOT, "for/class-3b")
    page = open_page(f"{url}/one-query?query_text=a+b")
    expect(page.locator(".st-key-query_text input")).to_have_value("a b")
    expect(page.get_by_test_id("stage").first.locator(".cell").first).to_be_visible()
    page.get_by_role("link", name="Recursive attention").first.click()
    expect(page).to_have_url(re.compile(f"^{url}/recursive-attention"))
    expect(page.locator("h1")).to_contain_text("Recursive attention")
    start = open_page(f"{url}/walkthrough?text=c+d")
    expect(start.get_by_role("textbox", name="Sentence")).to_have_value("c d")
    assert start.url.startswith(f"{url}/?")
