"""Questions in a browser: found by their link, answered with the keyboard, legible on a phone."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import broken
from tests.browser.conftest import OpenPage
from tests.browser.page import fits, type_in
from tests.sampling import some

QUESTION = '[class*="st-key-question_"]'


def question(page: Page) -> Locator:
    return page.locator(QUESTION)


def answer(page: Page, text: str) -> None:
    expect(question(page).get_by_role("button", name="Check")).to_be_visible()  # else Enter is lost
    type_in(page.get_by_label("Your prediction"), text)


def ask_anew(page: Page) -> None:
    """Press *New numbers*, when the answer's run has removed what it replaces."""
    button = page.get_by_role("button", name="New numbers")
    expect(button).to_have_count(1)
    button.click()


def test_a_link_shows_its_question_and_the_keyboard_answers_it(open_page: OpenPage) -> None:
    page = open_page("?question=score.75")
    expect(page.get_by_label("Your prediction")).to_be_in_viewport()
    expect(page.get_by_label("Your prediction")).to_have_value("")
    expect(question(page)).to_contain_text("Numbers from seed 75")
    assert "1.50" not in question(page).inner_text()
    answer(page, "2.7")
    expect(question(page).get_by_test_id("stAlert")).to_contain_text("It is not")
    expect(question(page).locator(".katex").last).to_be_visible()
    assert "0/" not in question(page).inner_text()  # no counter of characters
    page.get_by_role("button", name="Hint").click()
    expect(question(page)).to_contain_text("Hint.")
    answer(page, "2.8")
    expect(question(page)).to_contain_text("Finish this calculation")
    assert broken(page, QUESTION) == {}
    answer(page, "1.5")
    expect(question(page)).to_contain_text("Right.")
    expect(page.get_by_label("Your prediction")).to_have_count(0)
    assert "?question=score.75" in page.url
    ask_anew(page)
    expect(question(page)).to_contain_text("Numbers from seed 76")
    page.wait_for_url(re.compile(r"\bquestion=score\.76\b"))
    expect(page.get_by_label("Your prediction")).to_have_value("")
    again = open_page(page.url)
    expect(question(page).locator(".katex").first).to_be_visible()
    expect(question(again)).to_have_text(question(page).text_content() or "")


@pytest.mark.deep
@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_a_fact_is_asked_once_on_a_phone(open_page: OpenPage, theme: str) -> None:
    page = open_page("debug-lab?question=cached-keys.2", size=(390, 844), theme=theme)
    expect(question(page).get_by_text("only key 1", exact=True)).to_be_in_viewport()
    first = page.get_by_role("radio", name=re.compile("^all"))
    first.focus()
    first.press("Space")
    assert "It is not" not in question(page).inner_text()  # choosing alone is no answer
    page.get_by_role("button", name="Check").press("Enter")
    expect(question(page)).to_contain_text("It is not")
    expect(question(page)).to_contain_text("The query here has")
    page.get_by_role("radio", name="only key 1").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Check").click()
    expect(question(page)).to_contain_text("Right.")
    expect(question(page)).to_contain_text("A fact.")
    assert broken(page, QUESTION) == {}
    fits(page, 390)
    ask_anew(page)
    expect(question(page)).to_contain_text("Numbers from seed 3")
    expect(question(page)).to_contain_text("A fact.")
    expect(page.get_by_role("button", name="Check")).to_have_count(0)
    fits(page, 390)


@pytest.mark.deep
def test_a_link_without_sense_says_so_where_the_questions_are(open_page: OpenPage) -> None:
    page = open_page("?question=%3Cb%3E.3")
    said = page.get_by_text("this page has no such question")
    expect(said).to_be_in_viewport()
    expect(said).to_contain_text("'<b>.3'")
