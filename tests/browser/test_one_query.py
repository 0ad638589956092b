"""The chapter on generation in a real browser: token after token, each with its cache."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core.chapters.one_query.cached import writing_work
from core.chapters.one_query.one_row import whole_pass
from core.program.numbers.rounding import cell_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice
from tests.browser.waiting import settle

PARTS = ("row", "corner", "grow", "recurrent")
LEADS = """(prefix) => {
  const { document, alternatives: others } = globalThis[Symbol.for("attention-told")]
    ?.get(`${prefix}stage`) || {};
  return others && others.of === document.id && others.documents.length >= 5;
}"""


def has_rows(page: Page, words: list[str]) -> None:
    """K has a row for each of these tokens, read aloud by its name."""
    grid = page.locator('[data-part="focus"][data-matrix="K"]').first
    cells = grid.locator('[role="gridcell"][data-col="0"]')
    expect(cells).to_have_count(len(words))
    for at, word in enumerate(words):
        said = re.compile(rf"^K, token {word}, feature 1, ")
        expect(cells.nth(at)).to_have_attribute("aria-label", said)


def test_token_after_token_the_cache_grows_without_the_server(open_page: OpenPage) -> None:
    page = open_page("one-query")
    words = ["The", "cat", "sat", "on", "the", "mat"]
    page.wait_for_function(LEADS, arg="query_")
    has_rows(page, words)
    with stopped(page.url):
        for count in (2, 3, 4, 5):
            choice(page, "query_token", str(count)).click()
            kept = page.locator('[data-part="focus"][data-matrix="K_kept"] [data-col="0"]')
            expect(kept).to_have_count(count - 1)
            has_rows(page, words[:count])
    page.wait_for_url("**query_token=5**")
    settle(page)
    expect(page.get_by_text("Token 5, the:")).to_be_visible()
    page.get_by_test_id("cache").get_by_role("button", name="Next token").click()
    expect(page.get_by_text("Token 6, mat:")).to_be_visible()
    has_rows(page, words)


@pytest.mark.deep
def test_it_plays_over_tokens_and_the_stage_follows_where_it_stops(open_page: OpenPage) -> None:
    page = open_page("one-query?query_token=2")
    words = ["The", "cat", "sat", "on", "the", "mat"]
    board = page.get_by_test_id("cache")
    whole = whole_pass(" ".join(words))

    def rows_of(name: str, kind: str) -> Locator:
        return board.locator(f".{name} tr.{kind} th")

    expect(rows_of("K", "kept")).to_have_text(words[:1])
    with stopped(page.url):
        board.get_by_role("button", name="Next token").click()
        for name in "KV":
            expect(rows_of(name, "kept")).to_have_text(words[:2])
            expect(rows_of(name, "new")).to_have_text(words[2:3])
            numbers = board.locator(f".{name} tr.new td:not(.how)")
            row = [cell_text(float(x)).replace("-", "\u2212") for x in whole[name][0, 2]]
            expect(numbers).to_have_text(row)
        done = writing_work(3)
        expect(board.locator(".work b")).to_have_text(
            [f"{done.all_with:,}", f"{done.all_without:,}"]
        )
    board.get_by_role("button", name="Play").click()
    expect(rows_of("K", "new")).to_have_text(words[5:])
    expect(page.get_by_text("Token 6, mat:")).to_be_visible()
    has_rows(page, words)
    expect(board.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.deep
def test_rows_that_are_computed_again_are_not_called_kept(open_page: OpenPage) -> None:
    page = open_page("one-query?query_cache=again")
    board = page.get_by_test_id("cache")
    expect(board.locator(".K tr.again")).to_have_count(5)
    expect(board.locator("tr.kept")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize("part", PARTS)
def test_a_part_fits_a_phone_and_its_stage_is_whole(part: str, open_page: OpenPage) -> None:
    page = open_page(f"one-query?query_part={part}", width=390, height=844)
    stages = page.get_by_test_id("stage")
    expect(stages).to_have_count(2)
    for at in range(2):
        expect(stages.nth(at).locator(".focus .cell").first).to_be_visible()
        steps = stages.nth(at).locator(".strip .phase")
        steps.last.click()
        expect(stages.nth(at).locator('[data-testid="arithmetic"] math').first).to_be_attached()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
