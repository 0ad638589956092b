"""The chapter on cost in a real browser: a batch packed without the server, and a phone's width."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice
from tests.browser.waiting import fits, settle

LEADS = """() => {
  const told = globalThis[Symbol.for("attention-told")]?.get("cost_stage");
  return told?.ahead && told.ahead.of === told.document.id && told.ahead.documents.length >= 3;
}"""
WIDE = """() => [...document.querySelectorAll(
  '[data-testid=stPlotlyChart] .main-svg, [data-testid=stButtonGroup]'
)].filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5).length"""


def rows_of(page: Page, name: str) -> list[str]:
    """The tokens that rows of a matrix are read aloud by."""
    grid = page.locator(f'[data-part="focus"][data-matrix="{name}"]').first
    cells = grid.locator('[role="gridcell"][data-col="0"]')
    expect(cells.first).to_be_attached()
    said = [str(cell.get_attribute("aria-label")) for cell in cells.all()]
    return [re.findall(r"(?:query|token) ([^,]+),", label)[0] for label in said]


def test_a_batch_is_packed_by_keyboard_without_the_server_and_the_link_says_so(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/cost")
    page.wait_for_function(LEADS)
    assert rows_of(page, "weights") == ["Good", "morning", "PAD₁", "PAD₂", "PAD₃", "PAD₄"]
    with stopped(server):
        padded = choice(page, "cost_layout", "padded")
        padded.focus()
        page.keyboard.press("ArrowRight")
        packed = choice(page, "cost_layout", "packed")
        expect(packed).to_have_attribute("aria-checked", "true")
        grid = page.locator('[data-part="focus"][data-matrix="weights"]').first
        expect(grid.locator('[role="gridcell"][data-col="0"]')).to_have_count(11)
    page.wait_for_url("**cost_layout=packed**")
    settle(page)
    assert rows_of(page, "weights")[-3:] == ["slept", "Good", "morning"]
    fresh = open_page(page.url)
    expect(choice(fresh, "cost_layout", "packed")).to_have_attribute("aria-checked", "true")


def test_the_same_rows_are_kept_in_both_layouts(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost?cost_step=kept")
    kept = page.locator('[data-part="focus"][data-matrix="kept"] .number')
    expect(kept.first).to_be_visible()
    numbers = kept.all_inner_texts()
    assert len(numbers) == 2 * 8
    choice(page, "cost_layout", "packed").click()
    page.wait_for_url("**cost_layout=packed**")
    expect(page.locator('[data-part="focus"][data-matrix="output"] .label').filter(
        has_text="slept"
    ).first).to_be_attached()  # fmt: skip
    expect(kept).to_have_text(numbers)


@pytest.mark.parametrize("part", ["parameters", "work"])
def test_on_a_phone_nothing_is_cut(part: str, server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost?cost_part={part}", width=390, height=844)
    stage = page.get_by_test_id("stage")
    expect(stage.locator(".focus .cell").first).to_be_visible()
    charts = page.locator("[data-testid=stPlotlyChart] .main-svg:first-child")
    expect(charts).to_have_count(3)
    stage.locator(".strip .phase").last.click()
    expect(stage.locator('[data-testid="arithmetic"] math').first).to_be_attached()
    settle(page)
    fits(page, 390)
    assert page.evaluate(WIDE) == 0


def test_the_slider_moves_what_is_counted(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost")
    expect(page.get_by_text("From 1,024 to 2,048 tokens:")).to_be_visible()
    slider = page.get_by_role("slider", name="Tokens")
    slider.first.press("ArrowRight")
    expect(page.get_by_text("From 2,048 to 4,096 tokens:")).to_be_visible()
    page.wait_for_url("**cost_tokens=2048**")
