"""Word order in a real browser: an order that somebody types, and encodings changed on the stage."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice, focus_cell, told_ahead
from tests.browser.waiting import settle

YOURS = "on the mat The cat sat"


def type_order(page: Page, order: str) -> None:
    field = page.get_by_label("Its tokens in your order")
    field.fill(order)
    field.press("Enter")
    settle(page)


def labels(page: Page) -> list[str]:
    """The rows of the difference, from top to bottom."""
    return page.locator('[data-part="focus"][data-matrix="difference"] .side').all_inner_texts()


def said(page: Page) -> list[str]:
    return page.locator("[data-testid=stMarkdown]").all_inner_texts()


def test_rows_follow_an_order_that_somebody_types(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/word-order?order_mask=causal")
    type_order(page, YOURS)
    expect(choice(page, "order_tokens", "hand")).to_have_attribute("aria-checked", "true")
    assert labels(page) == YOURS.split()
    expect(page.get_by_text("rows have changed")).to_be_visible()
    fresh = open_page(page.url)
    assert labels(fresh) == YOURS.split()
    assert said(fresh) == said(page)


def test_other_words_are_refused_beside_the_field_and_nothing_is_lost(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/word-order")
    type_order(page, YOURS)
    type_order(page, "dog <b>bites</b> man")
    expect(page.get_by_text("the tokens of the sentence are The, cat, sat")).to_be_visible()
    assert labels(page) == YOURS.split()
    expect(page.get_by_label("Its tokens in your order")).to_have_value("dog <b>bites</b> man")
    sentence = page.get_by_label("Sentence", exact=True)
    sentence.fill("Dog bites man")
    sentence.press("Enter")
    settle(page)
    expect(page.get_by_label("Its tokens in your order")).to_have_value("")
    expect(choice(page, "order_tokens", "reversed")).to_have_attribute("aria-checked", "true")
    assert labels(page) == ["man", "bites", "Dog"]


def test_encodings_change_at_once_without_the_server(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/word-order")
    told_ahead(page)
    shown = focus_cell(page, "weights.0.5.0").locator(".number")  # only the second stage has it
    before = shown.inner_text()
    with stopped(server):
        choice(page, "order_encoding", "alibi").click()
        expect(shown).not_to_have_text(before)
    expect(page.get_by_text("each place of distance costs")).to_be_visible()
