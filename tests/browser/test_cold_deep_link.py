"""A link to any page works when it is the first thing that a fresh server is asked for."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
# Its file's stem and its address differ, as /why-mask and why_mask.py do.
COLD_PAGE = """
import streamlit as st
from ui.frame import frame
frame("A cold page", "Opened first.")
st.number_input("Heads", 1, 8, 2, key="heads", bind="query-params")
"""
ENTRY = '"More": [st.Page("pages/cold_page.py", title="Cold page", url_path="cold-page")],'


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A copy of this app with one more page."""
    for folder in ("core", "ui", "pages", ".streamlit"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    replace(ROOT / "app.py", tmp_path / "app.py", "st.navigation(\n        {", ENTRY)
    (tmp_path / "pages" / "cold_page.py").write_text(COLD_PAGE)
    return tmp_path


def replace(source: Path, target: Path, after: str, text: str) -> None:
    before, found, rest = source.read_text().partition(after)
    assert found, f"{after!r} is no longer in {source.name}"
    target.write_text(before + found + text + rest)


@dataclass
class Seen:
    """What a visitor is shown: the page's title, the navigation, a "Page not found"."""

    title: str
    pages: list[str]
    dialogs: list[str]


def seen(page: Page) -> Seen:
    return Seen(
        title=page.locator("h1").first.inner_text(),
        pages=page.get_by_test_id("stSidebarNavLink").all_inner_texts(),
        dialogs=page.get_by_role("dialog").all_inner_texts(),
    )


def test_the_first_link_shows_its_page_with_its_parameters(app, serve, open_page):
    with serve(app) as url:
        page = open_page(f"{url}/cold-page?heads=4")
        first = seen(page)
        assert first.title == "A cold page"
        assert sorted(first.pages) == ["Cold page", "Walkthrough"]
        assert first.dialogs == []
        assert page.get_by_label("Heads").input_value() == "4"
        assert page.url == f"{url}/cold-page?heads=4"

        start = seen(open_page(f"{url}/"))
        assert start.pages == first.pages
        assert start.dialogs == []
        assert start.title != first.title


def test_the_default_page_by_its_name_is_the_start_with_its_parameters(app, serve, open_page):
    with serve(app) as url:
        for _cold_then_warm in range(2):
            page = open_page(f"{url}/walkthrough?heads=4")
            assert page.url.startswith(f"{url}/?heads=4")
            assert page.get_by_label("Heads", exact=True).input_value() == "4"
            assert seen(page).dialogs == []
            assert sorted(seen(page).pages) == ["Cold page", "Walkthrough"]


def test_without_the_flag_set_at_the_start_the_first_link_breaks(app, serve, chromium):
    frame = app / "ui" / "frame.py"
    frame.write_text(frame.read_text().replace("uses_pages_directory = False", "unused = False"))
    with serve(app) as url, chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{url}/cold-page?heads=4")
        page.get_by_role("dialog").get_by_text("Page not found").wait_for()
