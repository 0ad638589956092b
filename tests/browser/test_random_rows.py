"""Rows of X drawn at random: grey, named so, and without the names of features."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.two_meanings import FEATURE_NAMES
from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, focus_cell, go_to_step
from tests.browser.tabs import Theme
from tests.sampling import some

LINK = "/?preset=river-bank&text=zebra+sat+by+the+quay+bank"
FEATURE = re.compile(rf"\b({'|'.join(FEATURE_NAMES)})\b")
GREY = """(cells) => cells.map((cell) => {
  const rgb = getComputedStyle(cell).backgroundColor.match(/^rgb\\(([^)]*)\\)$/);
  const parts = rgb ? rgb[1].split(",").map(Number) : [];
  return parts.length === 3 && new Set(parts).size === 1;
})"""
"""Whether each cell has a ground without any colour in it."""


def grey(page: Page, part: str, row: int) -> list[bool]:
    cells = page.locator(f'[data-part="{part}"][data-matrix="X"] [data-row="{row}"]')
    found: list[bool] = cells.evaluate_all(GREY)
    return found


@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_a_random_row_is_grey_and_has_no_feature(theme: Theme, open_page: OpenPage) -> None:
    page = open_page(f"{LINK}&step=X", theme=theme, step="X")
    cell = focus_cell(page, "X.0.2")
    cell.click()
    expect(arithmetic(page)).to_contain_text("A number of zebra, whose row is drawn at random")
    expect(arithmetic(page)).to_contain_text("X[zebra, 3]")
    expect(arithmetic(page)).not_to_contain_text(FEATURE)
    expect(cell).to_have_attribute("aria-label", re.compile("in a row of a word drawn at random"))
    expect(cell).not_to_have_attribute("aria-label", FEATURE)
    expect(focus_cell(page, "X.1.3")).to_have_attribute("aria-label", re.compile("feature action"))
    expect(page.locator('[data-part="focus"] .caption')).to_contain_text("drawn at random")
    for part in ("focus", "strip"):
        assert [all(grey(page, part, row)) for row in (0, 4)] == [True] * 2, part
        assert not any(grey(page, part, row)[3] for row in (1, 2, 3, 5)), part
    page.emulate_media(media="print")
    assert all(grey(page, "focus", 0))
    page.emulate_media(media="null")
    has_a_grey_row_of_before_where_it_was_drawn(page)


def has_a_grey_row_of_before_where_it_was_drawn(page: Page) -> None:
    go_to_step(page, "output")
    focus_cell(page, "output.0.2").click()
    before = page.locator(".workings tr", has_text="before: drawn at random")
    expect(before).to_be_visible()
    assert all(before.locator("td").evaluate_all(GREY))
    expect(arithmetic(page)).to_contain_text("output[zebra, 3]")
    expect(arithmetic(page)).not_to_contain_text(FEATURE)
    focus_cell(page, "output.5.0").click()
    expect(before).to_have_count(0)
    expect(page.locator(".workings tr", has_text="before")).to_be_visible()
