"""Practice: the same set at the same link, the buttons of a class, and its key on paper."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from core.practice_set import QUESTIONS, mixed_set
from core.questions.answers import Choice
from stage.paper.question_paper import question_key
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of
from tests.sampling import some


def keeps(name: str, what: object) -> str:
    """A script for a page whose browser has kept that."""
    return f"localStorage.setItem('attention-{name}', {json.dumps(json.dumps(what))});"


HAS_READ = keeps("path", {"read": ["heads", "softmax", "lessons"], "answered": {}})
HAS_OPENED_A_CLASS = keeps("class", {"code": "no-room", "key": "no-key"})


def questions(page: Page) -> Locator:
    return page.locator('[class*="st-key-question_practice"]')


@pytest.mark.parametrize("link", some(["", "?practice_seed=2", "?practice_chapters=cost"], 3))
def test_a_link_has_the_same_set_whatever_was_read_and_buttons_for_who_has_opened_a_class(
    open_page: OpenPage, link: str
) -> None:
    said = []
    for script, count in (("", 0), (HAS_READ + HAS_OPENED_A_CLASS, 2)):
        page = open_page(f"practice{link}", script=script)
        expect(page.get_by_role("button", name="Ask the class")).to_have_count(count)
        # The buttons of a class come last.
        said.append((questions(page).inner_text().partition("Ask the class")[0].strip(), page.url))
    assert said[0] == said[1]
    assert box_of(questions(page)).top < 340


def test_on_paper_the_options_of_a_question_can_be_ticked(open_page: OpenPage) -> None:
    drawn = mixed_set(list(QUESTIONS), 0)
    at, kind = next(
        (number, one.question.kind)
        for number, one in enumerate(drawn, 1)
        if isinstance(one.question.kind, Choice)
    )
    page = open_page(f"practice?practice_chapters=&practice_at={at}")
    page.emulate_media(media="print")
    options = questions(page).get_by_test_id("stRadioOption")
    expect(options).to_have_count(len(kind.options))
    for option in options.all():
        expect(option).to_be_visible()
    expect(questions(page).get_by_role("button")).to_have_count(0)
    expect(page.locator(".st-key-page_footer")).to_be_hidden()


FRACTIONS = """() => [...document.querySelectorAll(".working mfrac")].map((one) => {
  const boxes = [...one.children].map((part) => part.getBoundingClientRect());
  const looks = [one, ...one.children].map((part) => getComputedStyle(part));
  const room = parseFloat(looks[1].paddingBottom) + parseFloat(looks[2].paddingTop);
  const sizes = new Set(looks.map(({ fontSize }) => fontSize));
  return [sizes.size, boxes[1].top - boxes[0].bottom + room];
})"""
"""How many sizes of letters each has, and the room around its line."""


def test_a_fraction_of_a_key_has_the_size_of_its_line(empty: Page) -> None:
    drawn = mixed_set(list(QUESTIONS), 0)
    empty.set_content(question_key("T", "V", [("1. C", one.question) for one in drawn]))
    fractions = empty.evaluate(FRACTIONS)
    assert fractions
    for sizes, room in fractions:
        assert sizes == 1
        assert room >= 2, "a font without mathematics has none"
