"""Word order in a real browser: an order that somebody types, and encodings on the stage."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.chapters.word_order.encoding_parts import HEADS, slopes
from core.chapters.word_order.orders import pair
from core.program.numbers.rounding import cell_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import expect_same, settle, type_in
from tests.browser.stage import choice, focus_cell, told_ahead
from tests.sampling import DEEP, some

YOURS = "on the mat The cat sat"


def type_order(page: Page, order: str) -> None:
    type_in(page.get_by_label("Its tokens in your order"), order)
    settle(page)


def expect_rows(page: Page, *tokens: str) -> None:
    """The rows of the difference, from top to bottom."""
    rows = page.locator('[data-part="focus"][data-matrix="difference"] .side')
    expect(rows).to_have_text(tokens)


@pytest.mark.parametrize(("mask", "told"), some([("none", "on"), ("causal", "off")], 2))
def test_the_same_words_in_two_orders_switch_at_once(
    open_page: OpenPage, mask: str, told: str
) -> None:
    page = open_page("word-order")
    board = page.get_by_test_id("orders")
    expect(board.locator("line.same")).to_have_count(len(pair("none", False).same))
    with stopped(page.url):
        for name, option in (("mask", mask), ("places", told)):
            board.locator(f'[data-option="{name} {option}"]').click()
        expect(board.locator("line.same")).to_have_count(sum(pair(mask, told == "on").same))
        row = pair(mask, told == "on").below["context"][0, 2]
        numbers = [cell_text(float(x)).replace("-", "\u2212") for x in row]
        third = board.locator(".sentence").nth(1).locator(".token").nth(2)
        expect(third.locator("i")).to_have_text(numbers)
    said = "causal" if mask == "causal" else "places=on"
    expect(page).to_have_url(re.compile(said))
    settle(page)
    if DEEP:
        expect_same(open_page(page.url), page)


@pytest.mark.deep
def test_position_encodings_are_folded_unless_the_link_speaks_of_them(open_page: OpenPage) -> None:
    page = open_page("word-order")
    stage = page.get_by_test_id("stage").nth(1)
    expect(stage).to_be_hidden()
    page.get_by_text("Four position encodings").click()
    expect(stage.get_by_role("gridcell").first).to_be_visible()
    asked = open_page("word-order?order_encoding=rope")
    expect(asked.get_by_test_id("stage").nth(1).get_by_role("gridcell").first).to_be_visible()
    choose_another_without_the_server(page)


def choose_another_without_the_server(page: Page) -> None:
    told_ahead(page)
    # A stage goes where a choice is made.
    slope = focus_cell(page, "slope.0.0.0").locator(".number")
    expect(slope).to_have_count(0)
    with stopped(page.url):
        choice(page, "order_encoding", "alibi").click()
        expect(slope).to_have_text(cell_text(float(slopes(HEADS)[0])))
    expect(page.get_by_text("each position of distance costs")).to_be_visible()


@pytest.mark.deep
def test_rows_follow_an_order_that_is_typed_other_words_are_refused(open_page: OpenPage) -> None:
    page = open_page("word-order?order_mask=causal")
    type_order(page, YOURS)
    expect(choice(page, "order_tokens", "hand")).to_have_attribute("aria-checked", "true")
    expect_rows(page, *YOURS.split())
    expect(page.get_by_text("rows have changed")).to_be_visible()
    fresh = open_page(page.url)
    expect_rows(fresh, *YOURS.split())
    expect_same(fresh, page)
    type_order(page, "dog <b>bites</b> man")
    expect(page.get_by_text("the tokens of the sentence are The, cat, sat")).to_be_visible()
    expect_rows(page, *YOURS.split())
    expect(page.get_by_label("Its tokens in your order")).to_have_value("dog <b>bites</b> man")
    type_in(page.get_by_label("Sentence", exact=True), "Dog bites man")
    settle(page)
    expect(page.get_by_label("Its tokens in your order")).to_have_value("")
    expect(choice(page, "order_tokens", "reversed")).to_have_attribute("aria-checked", "true")
    expect_rows(page, "man", "bites", "Dog")
