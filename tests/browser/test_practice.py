"""Practice opens on the chapters that this browser has read; its key on paper."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from core.path import PATH
from core.practice_set import QUESTIONS, mixed_set
from stage.question_paper import question_key
from tests.browser.conftest import OpenPage
from tests.browser.waiting import settle
from tests.sampling import some

READ = ["heads", "softmax"]


def has_read(page: Page) -> None:
    kept = json.dumps(json.dumps({"read": [*READ, "lessons"], "answered": {}}))
    page.add_init_script(f"localStorage.setItem('attention-path', {kept})")


def test_the_set_is_over_the_chapters_that_were_read_and_the_link_says_so(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/practice", prepare=has_read)
    page.wait_for_url("**practice_chapters=softmax.heads**")
    settle(page)
    titles = [PATH[name].title for name in ("softmax", "heads")]
    field = page.locator(".st-key-practice_picked")
    for title in titles:
        expect(field).to_contain_text(title)
    question = page.locator('[class*="st-key-question_practice"]')
    box = question.bounding_box()
    assert box
    assert box["y"] < 340
    caption = question.get_by_test_id("stCaptionContainer").first.inner_text()
    assert caption.partition(":")[0] in titles


@pytest.mark.deep
@pytest.mark.parametrize("link", some(["practice_seed=2", "practice_chapters=cost"], 2))
def test_a_link_that_says_which_set_it_is_means_that_one(
    server: str, open_page: OpenPage, link: str
) -> None:
    page = open_page(f"{server}/practice?{link}", prepare=has_read)
    expect(page.locator('[class*="st-key-question_practice"]')).to_be_visible()
    settle(page)
    assert page.url.endswith(f"/practice?{link}")
    expect(page.locator(".st-key-practice_picked")).not_to_contain_text(PATH["softmax"].title)


@pytest.mark.deep
def test_who_has_read_nothing_is_asked_about_everything(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/practice")
    expect(page.locator('[class*="st-key-question_practice"]')).to_be_visible()
    settle(page)
    assert page.url.endswith("/practice")


FRACTIONS = """() => [...document.querySelectorAll(".working mfrac")].map((one) => {
  const boxes = [...one.children].map((part) => part.getBoundingClientRect());
  const looks = [one, ...one.children].map((part) => getComputedStyle(part));
  const room = parseFloat(looks[1].paddingBottom) + parseFloat(looks[2].paddingTop);
  const sizes = new Set(looks.map(({ fontSize }) => fontSize));
  return [sizes.size, boxes[1].top - boxes[0].bottom + room];
})"""
"""How many sizes of letters each has, and the room around its line."""


def test_a_fraction_of_a_key_has_the_size_of_its_line(chromium: Browser) -> None:
    page = chromium.new_page()
    drawn = mixed_set(list(QUESTIONS), 0)
    page.set_content(question_key("T", "V", [("1. C", one.question) for one in drawn]))
    fractions = page.evaluate(FRACTIONS)
    assert fractions
    for sizes, room in fractions:
        assert sizes == 1
        assert room >= 2, "a font without mathematics has none"
    page.close()
