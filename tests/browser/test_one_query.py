"""The chapter on generation in a real browser: token after token, each with its cache."""

import pytest
from playwright.sync_api import Locator, expect

from core.chapters.one_query.cached import writing_work
from core.chapters.one_query.one_row import whole_pass
from core.program.numbers.rounding import cell_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import settle
from tests.browser.stage import choice, has_rows

PARTS = ("row", "corner", "grow", "recurrent")
LEADS = """(prefix) => {
  const { document, alternatives: others } = globalThis[Symbol.for("attention-told")]
    ?.get(`${prefix}stage`) || {};
  return others && others.of === document.id && others.documents.length >= 5;
}"""


ROWS = "K, token {}, feature 1, "
WORDS = ["The", "cat", "sat", "on", "the", "mat"]


def test_token_after_token_the_cache_grows_without_the_server(open_page: OpenPage) -> None:
    page = open_page("one-query")
    page.wait_for_function(LEADS, arg="query_")
    has_rows(page, ROWS, WORDS)
    with stopped(page.url):
        for count in (2, 3, 4, 5):
            choice(page, "query_token", str(count)).click()
            kept = page.locator('[data-part="focus"][data-matrix="K_kept"] [data-col="0"]')
            expect(kept).to_have_count(count - 1)
            has_rows(page, ROWS, WORDS[:count])
    page.wait_for_url("**query_token=5**")
    settle(page)
    expect(page.get_by_text("Token 5, the:")).to_be_visible()
    page.get_by_test_id("cache").get_by_role("button", name="Next token").click()
    expect(page.get_by_text("Token 6, mat:")).to_be_visible()
    has_rows(page, ROWS, WORDS)


@pytest.mark.deep
def test_it_plays_over_tokens_and_the_stage_follows_where_it_stops(open_page: OpenPage) -> None:
    page = open_page("one-query?query_token=2")
    board = page.get_by_test_id("cache")
    whole = whole_pass(" ".join(WORDS))

    def rows_of(name: str, kind: str) -> Locator:
        return board.locator(f".{name} tr.{kind} th")

    expect(rows_of("K", "kept")).to_have_text(WORDS[:1])
    with stopped(page.url):
        board.get_by_role("button", name="Next token").click()
        for name in "KV":
            expect(rows_of(name, "kept")).to_have_text(WORDS[:2])
            expect(rows_of(name, "new")).to_have_text(WORDS[2:3])
            numbers = board.locator(f".{name} tr.new td:not(.how)")
            row = [cell_text(float(x)).replace("-", "\u2212") for x in whole[name][0, 2]]
            expect(numbers).to_have_text(row)
        done = writing_work(3)
        costs = [f"{done.all_with:,}", f"{done.all_without:,}"]
        expect(board.locator(".work b")).to_have_text(costs)
    board.get_by_role("button", name="Play").click()
    expect(rows_of("K", "new")).to_have_text(WORDS[5:])
    expect(page.get_by_text("Token 6, mat:")).to_be_visible()
    has_rows(page, ROWS, WORDS)
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
    page = open_page(f"one-query?query_part={part}", size=(390, 844))
    stages = page.get_by_test_id("stage")
    expect(stages).to_have_count(2)
    for at in range(2):
        expect(stages.nth(at).locator(".focus .cell").first).to_be_visible()
        stages.nth(at).locator(".strip .phase").last.click()
        expect(stages.nth(at).locator('[data-testid="arithmetic"] math').first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
