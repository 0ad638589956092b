"""A phone in a class: it joins, votes and sees the result, by touch and by keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import broken
from tests.browser.by_keys import reach_named
from tests.browser.conftest import OpenPage
from tests.browser.page import fits
from tests.browser.tabs import Theme
from tests.browser.test_room import a_class
from tests.sampling import some
from ui.classroom.news import ADDRESS, NEW
from ui.classroom.store.rooms import ANSWER, BARS, Rooms

PHONE = (390, 844)
NUMBER = "?preset=P5-next&step=context&cell=context.0.2.0&cover=context"
RIGHT = "41.67"
CHOICE = "softmax?question=softmax-change.3"


def joined(open_page: OpenPage, code: str, **options: object) -> Page:
    """A phone that has followed the QR's address, and is in."""
    page = open_page(f"join?room={code}", size=PHONE, **options)
    expect(page.get_by_text("One moment")).to_have_count(0)
    return page


def send(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Your answer").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent:")).to_be_visible()


@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_a_phone_joins_votes_sees_a_result(store: Rooms, open_page: OpenPage, theme: Theme) -> None:
    code, key = store.create()
    page = joined(open_page, code, theme=theme)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Class {code}")
    expect(page.get_by_text("Your teacher has not asked anything yet")).to_be_visible()
    fits(page, PHONE[0])
    store.ask(code, key, NUMBER)
    expect(page.get_by_role("heading", name="Question 1")).to_be_visible()
    clean(page)
    screen = open_page(f"room?room={code}")
    for each in (page, screen):
        letters = each.locator(".st-key-asked_words p").evaluate(LETTERS)
        assert letters[0] == letters[1], "a formula is as large as its text"
    send(page, "33.5")
    fits(page, PHONE[0])

    other = joined(open_page, code)
    send(other, "33.5")
    looks_often(page)
    newer = page.context.new_page()
    newer.goto(page.url)
    expect(newer.get_by_text("Sent: 33.5")).to_be_visible()
    newer.get_by_role("button", name="Change").click()
    send(newer, RIGHT)
    expect(page.get_by_text(f"Sent: {RIGHT}")).to_be_visible()
    newer.close()
    assert store.answers(code, 1, 1) == ["33.5", RIGHT], "another browser is another student"

    store.close_vote(code, key)
    expect(page.get_by_text("The vote is closed")).to_be_visible()
    store.show(code, key, BARS)
    expect(page.get_by_text("33.5: 1 of 2")).to_be_visible()
    store.show(code, key, ANSWER)
    expect(page.get_by_text("Right.")).to_be_visible()
    expect(page.get_by_text("(right): 1 of 2")).to_be_visible()
    clean(page)
    store.ask(code, key, CHOICE)
    expect(page.get_by_role("heading", name="Question 2")).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(4)
    clean(page)
    expect(screen.locator(".st-key-room_options li")).to_have_count(4)
    assert letters_of_options(page) == letters_of_options(screen) == ["A", "B", "C", "D"]


def letters_of_options(page: Page) -> list[str]:
    """What stands before them: style sheets count it, and only what is laid out says the count."""
    tell = page.context.new_cdp_session(page).send
    seen = tell("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    texts = [seen["strings"][at] for at in seen["documents"][0]["layout"]["text"] if at >= 0]
    return [text[0] for text in texts if re.fullmatch(r"[A-Z](\. )?", text)]


LETTERS = """(words) => [words, words.querySelector(".katex")].map(
  (part) => getComputedStyle(part).fontSize)"""


def looks_often(page: Page) -> None:
    """Have a phone hear, whenever it asks, that there is something new."""
    page.route(f"**/{ADDRESS}*", lambda asked: asked.fulfill(body=NEW))


def clean(page: Page) -> None:
    """Nothing reaches out of the phone, and axe finds nothing on the page."""
    fits(page, PHONE[0])
    assert broken(page, '[data-testid="stMain"]') == {}


def test_the_keyboard_alone_joins_and_votes(store: Rooms, open_page: OpenPage) -> None:
    code, key = store.create()
    page = open_page("join", size=PHONE)
    page.get_by_role("textbox", name="Class code").focus()
    page.keyboard.type(code.lower())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Class {code}")).to_be_visible()
    assert f"room={code}" in page.url
    store.ask(code, key, NUMBER)
    reach_named(page, "Your answer")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent: 12")).to_be_visible()
    reach_named(page, "Change")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Your answer")).to_be_visible()
    store.ask(code, key, CHOICE)
    expect(page.get_by_role("radio").first).to_be_attached()
    reach_named(page, "Every weight grows", "No weight changes")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    reach_named(page, "Send")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent: The largest weight grows")).to_be_visible()
    assert store.answers(code, 2, 1) == ["The largest weight grows"]


REFUSED = """Object.defineProperty(globalThis, "localStorage", {
  get() { throw new DOMException("refused", "SecurityError"); },
})"""


def refuse(page: Page) -> None:
    """Let the browser keep nothing."""
    page.add_init_script(REFUSED)


@pytest.mark.deep
def test_where_nothing_is_kept_a_session_is_the_student(store: Rooms, open_page: OpenPage) -> None:
    code, _ = a_class(store, NUMBER, 0)
    page = joined(open_page, code, prepare=refuse)
    send(page, "12")
    page.get_by_role("button", name="Change").click()
    send(page, "13")
    assert store.answers(code, 1, 1) == ["13"]
