"""The chapters in the header: the way to any page, and ticks that stay in the browser."""

import json
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.page import expect_chapter, header_of, opened_path, settle
from tests.browser.test_join import refuse
from tests.sampling import some
from ui.links.path import chapter_number

TICKS = "localStorage.getItem('attention-path')"


def to_the_end(page: Page) -> None:
    """Scroll there: parts that grow above it move the end away again."""
    end = page.locator(".st-key-page_footer")
    for _ in range(60):
        end.evaluate("(end) => end.scrollIntoView()")
        settle(page)
        if end.evaluate("(end) => end.getBoundingClientRect().top < innerHeight"):
            break
    expect(end).to_be_in_viewport()


@pytest.mark.deep
def test_a_page_chosen_on_the_path_keeps_the_sentence(open_page: OpenPage) -> None:
    page = open_page("heads?heads_text=red+green+blue")
    page.evaluate("globalThis.sameVisit = true")
    opened_path(page).get_by_role("link", name="Why mask").click()
    expect(page.locator(".st-key-mask_text input")).to_have_value("red green blue")
    expect_chapter(page, chapter_number("why_mask"))
    assert page.evaluate("globalThis.sameVisit")
    page.go_back()
    expect(page.locator(".st-key-heads_text input")).to_have_value("red green blue")
    opened_path(page).get_by_role("link", name="Walkthrough").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("red green blue")
    assert urlsplit(page.url).path == "/"


def test_what_was_read_and_answered_is_ticked_until_it_is_cleared(open_page: OpenPage) -> None:
    """Ticks are in this browser's storage, and nothing of them is sent."""
    sent: list[object] = []
    page = open_page("why-mask?question=first-weight.0", sent=sent)
    field = page.locator('[class*="st-key-question_mask"]')
    dots = header_of(page).get_by_role("img")
    at = f"Chapter {chapter_number('why_mask')} of {len(PATH)}"
    expect(dots).to_have_accessible_name(at)
    field.get_by_role("textbox").fill("1")
    field.get_by_role("button", name="Check").click()
    expect(field).to_contain_text("Right.")
    page.wait_for_function(f"() => {TICKS}")
    assert json.loads(page.evaluate(TICKS))["answered"] == {"why_mask": ["first-weight"]}
    to_the_end(page)
    expect(dots).to_have_accessible_name(f"{at}, 1 read")
    again = page.context.new_page()
    again.goto(urljoin(page.url, "/lessons"))
    settle(again)
    expect(header_of(again).locator(".dots .read")).to_have_count(1)
    item = opened_path(again).get_by_role("listitem").nth(chapter_number("why_mask") - 1)
    expect(item).to_contain_text("✓ read, ✓ 1 answered")
    again.get_by_role("button", name="Clear the ticks").click()
    expect(item).not_to_contain_text("✓")
    assert again.evaluate(TICKS) is None
    expect(header_of(again).locator(".dots .read")).to_have_count(0)
    again.close()
    assert not any(b"attention-path" in frame for frame in sent if isinstance(frame, bytes))


NONSENSE = ["<b>", "null", "[]", '{"read": 3}', '{"read":["<b>"],"answered":[]}']


@pytest.mark.deep
def test_nonsense_in_the_storage_or_one_that_is_refused_is_no_tick(open_page: OpenPage) -> None:
    page = open_page("_stcore/health", until=None)  # has the same storage
    for kept in some(NONSENSE, 5, 4):
        page.evaluate("(kept) => localStorage.setItem('attention-path', kept)", kept)
        page.goto(urljoin(page.url, "/heads"))
        has_no_tick(page)
        assert page.evaluate(TICKS) == kept
    refused = open_page("why-mask", prepare=refuse)
    to_the_end(refused)
    has_no_tick(refused)


def has_no_tick(page: Page) -> None:
    listed = opened_path(page)
    expect(listed.get_by_role("listitem")).to_have_count(len(PATH))
    expect(listed).not_to_contain_text("✓")
