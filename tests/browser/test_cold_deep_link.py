"""A link to any page works when it is the first thing that a fresh server is asked for."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ColdServer, OpenPage
from tests.browser.stage import choice
from tests.browser.walking import header_of

ROOT = Path(__file__).parents[2]
# Its file's stem and its address differ, as /why-mask and why_mask.py do.
COLD_PAGE = """
import streamlit as st
from ui.frame import frame
frame("heads", "Opened first.", "A cold page")
st.number_input("Heads", 1, 8, 2, key="heads", bind="query-params")
"""
ENTRY = '[st.Page("pages/cold_page.py", title="Cold page", url_path="cold-page")] +'


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A copy of this app with one more page."""
    for folder in ("core", "lessons", "stage", "ui", "pages", ".streamlit"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    add_after("st.navigation(", ENTRY, tmp_path / "app.py")
    (tmp_path / "pages" / "cold_page.py").write_text(COLD_PAGE)
    return tmp_path


def add_after(place: str, text: str, target: Path) -> None:
    before, found, rest = (ROOT / target.name).read_text().partition(place)
    assert found, f"{place!r} is no longer in {target.name}"
    target.write_text(before + found + text + rest)


def shows(page: Page, link: str, heads: str) -> None:
    """The page behind `link` with the header and its parameter, and no "Page not found"."""
    expect(header_of(page).get_by_role("button", name="Chapters")).to_be_visible()
    if link == "Walkthrough":
        expect(choice(page, "heads", heads)).to_have_attribute("aria-checked", "true")
    else:
        expect(page.get_by_label("Heads", exact=True)).to_have_value(heads)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_first_link_shows_its_page_with_its_parameters(app, cold_server, open_page):
    url = cold_server(app)
    page = open_page(f"{url}/cold-page?heads=4")
    shows(page, "Cold page", heads="4")
    expect(page.locator("h1")).to_have_text("A cold page")
    assert page.url == f"{url}/cold-page?heads=4"
    shows(open_page(f"{url}/"), "Walkthrough", heads="2")


@pytest.mark.deep
def test_the_default_page_by_its_name_is_the_start_with_its_parameters(app, cold_server, open_page):
    url = cold_server(app)
    for _cold_then_warm in range(2):
        page = open_page(f"{url}/walkthrough?heads=4")
        shows(page, "Walkthrough", heads="4")
        assert page.url.startswith(f"{url}/?heads=4")


@pytest.mark.deep
def test_without_the_flag_set_at_the_start_the_first_link_breaks(app, serve, chromium):
    navigation = app / "ui" / "navigation.py"
    navigation.write_text(
        navigation.read_text().replace("uses_pages_directory = False", "unused = False")
    )
    with serve(app) as url, chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{url}/cold-page?heads=4")
        expect(page.get_by_role("dialog")).to_contain_text("Page not found")


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
