"""The chapter on cost in a real browser: a batch packed without the server, and a phone's width."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.folds import unfold
from tests.browser.stage import choice
from tests.browser.waiting import fits, settle

SENTENCE = ["The", "cat", "sat", "on", "the", "mat"]
LEADS = """() => {
  const told = globalThis[Symbol.for("attention-told")]?.get("cost_stage");
  return told?.ahead && told.ahead.of === told.document.id && told.ahead.documents.length >= 3;
}"""
WIDE = """() => [...document.querySelectorAll(
  '[data-testid=stPlotlyChart] .main-svg, [data-testid=stButtonGroup]'
)].filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5).length"""


def has_rows(page: Page, words: list[str]) -> None:
    """The weights have a row for each of these tokens, read aloud by its name."""
    grid = page.locator('[data-part="focus"][data-matrix="weights"]').first
    cells = grid.locator('[role="gridcell"][data-col="0"]')
    expect(cells).to_have_count(len(words))
    for at, word in enumerate(words):
        expect(cells.nth(at)).to_have_attribute(
            "aria-label", re.compile(rf"^weights, query {word}, ")
        )


@pytest.mark.deep
def test_a_batch_is_packed_by_keyboard_without_the_server_and_the_link_says_so(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/cost")
    page.wait_for_function(LEADS)
    unfold(page, "Padded or packed")
    has_rows(page, ["Good", "morning", "PAD₁", "PAD₂", "PAD₃", "PAD₄"])
    with stopped(server):
        padded = choice(page, "cost_layout", "padded")
        padded.focus()
        page.keyboard.press("ArrowRight")
        packed = choice(page, "cost_layout", "packed")
        expect(packed).to_have_attribute("aria-checked", "true")
        has_rows(page, [*SENTENCE, "A", "dog", "slept", "Good", "morning"])
    page.wait_for_url("**cost_layout=packed**")
    settle(page)
    fresh = open_page(page.url)
    expect(choice(fresh, "cost_layout", "packed")).to_have_attribute("aria-checked", "true")


@pytest.mark.deep
def test_each_text_is_shown_without_the_server(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost")
    page.wait_for_function(LEADS)
    unfold(page, "Padded or packed")
    with stopped(server):
        for which, words in (
            ("1", SENTENCE), ("2", ["A", "dog", "slept", "PAD₁", "PAD₂", "PAD₃"]),
        ):  # fmt: skip
            choice(page, "cost_which", which).click()
            has_rows(page, words)


@pytest.mark.deep
def test_the_same_rows_are_kept_in_both_layouts(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost?cost_step=kept")
    settle(page)
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


@pytest.mark.deep
@pytest.mark.parametrize("part", ["parameters", "work"])
def test_on_a_phone_nothing_is_cut(part: str, server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost?cost_part={part}", width=390, height=844)
    settle(page)
    unfold(page)
    stage = page.get_by_test_id("stage")
    expect(stage.locator(".focus .cell").first).to_be_visible()
    charts = page.locator("[data-testid=stPlotlyChart] .main-svg:first-child")
    expect(charts).to_have_count(6)
    stage.locator(".strip .phase").last.click()
    expect(stage.locator('[data-testid="arithmetic"] math').first).to_be_attached()
    settle(page)
    fits(page, 390)
    assert page.evaluate(WIDE) == 0


@pytest.mark.deep
def test_the_slider_moves_what_is_counted(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/cost")
    expect(page.get_by_text("From 1,024 to 2,048 tokens:")).to_be_visible()
    slider = page.get_by_role("slider", name="Tokens")
    slider.first.press("ArrowRight")
    expect(page.get_by_text("From 2,048 to 4,096 tokens:")).to_be_visible()
    page.wait_for_url("**cost_tokens=2048**")
