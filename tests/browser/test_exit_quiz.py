"""An exit quiz from the set of Practice: asked by one press, gone through on a phone, closed."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.practice_set import SET_SIZE, mixed_set
from core.questions.answers import CellPick, Choice
from core.questions.engine import Question
from tests.browser.axe import Known, beyond, found_in
from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from tests.browser.test_kept_from_students import LONG, is_in, letters, secrets_of
from tests.browser.test_practice import HAS_OPENED_A_CLASS
from tests.browser.test_room import Frames, class_links, found_code, press
from tests.sampling import DEEP
from ui.classroom.store.rooms import Rooms

CHAPTERS, SEED = ("softmax", "heads"), 4
ANSWERED = SET_SIZE if DEEP else 2


@pytest.mark.deep
def test_the_next_question_is_seen_from_its_beginning(store: Rooms, open_page: OpenPage) -> None:
    code, key = store.create(shows_results=False)
    links = [f"softmax?question=softmax-change.{seed}" for seed in (3, 4)]
    store.ask_all(code, key, [(link, "") for link in links])
    phone = open_page(f"join?room={code}", size=(390, 330))
    heading = phone.get_by_role("heading", name="Question", exact=False)
    expect(heading).to_be_in_viewport()
    for name in ("Next ›", "‹ Previous"):
        button = phone.get_by_role("button", name=name)
        button.scroll_into_view_if_needed()
        expect(heading).not_to_be_in_viewport()
        button.click()
        expect(heading).to_be_in_viewport()


def answer(phone: Page, question: Question) -> None:
    if isinstance(question.kind, Choice):
        phone.locator('[data-testid="stRadioOption"]').first.click()
    else:
        text = "1, 1" if isinstance(question.kind, CellPick) else "77.5"
        phone.get_by_role("textbox").fill(text)
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_role("button", name="Change")).to_be_visible()


def test_a_set_is_asked_at_once_and_told_when_it_is_closed(
    store: Rooms, open_page: OpenPage, known: Known
) -> None:
    drawn = mixed_set(list(CHAPTERS), SEED)
    teacher = open_page(
        f"practice?practice_chapters={'.'.join(CHAPTERS)}&practice_seed={SEED}",
        script=HAS_OPENED_A_CLASS,
    )
    name = f"Ask the class these {len(drawn)} as an exit quiz"
    teacher.get_by_role("button", name=name).click()
    projector, window = class_links(teacher)
    code, seen = found_code(projector), Frames()
    phone = open_page(f"join?room={code}", size=(390, 844), listen=seen.listen)
    for number, asked in enumerate(drawn[:ANSWERED], start=1):
        expect(phone.get_by_role("heading", name=f"Question {number}", exact=True)).to_be_visible()
        answer(phone, asked.question)
        expect(phone.get_by_text(f"You have answered {number} of {len(drawn)}")).to_be_visible()
        if number < ANSWERED:
            phone.get_by_role("button", name="Next ›").click()
    assert beyond(found_in(phone, "light"), known["light"]) == {}
    got = b"".join(seen.received).decode("utf-8", "ignore")
    told = {text for asked in drawn for text in secrets_of(asked.question)}
    secrets = [text for text in told if len(letters(text)) > LONG]
    assert len(secrets) > len(drawn)
    assert [text for text in secrets if is_in(text, got)] == []
    assert window.rpartition("key=")[2] not in got
    assert "You had" not in got

    room = store.room(code)
    assert room is not None
    assert sum(store.answered(code, one.number, 1) for one in room.asks) == ANSWERED
    page = open_page(window)
    expect(page.locator('[class*="st-key-room_bars"] .vote-bars')).to_be_visible()
    page.get_by_text("Close the class", exact=True).click()
    press(page, "Close now")
    expect(phone.get_by_text("The class is over")).to_be_visible()
    expect(phone.get_by_text("1 of 1").first).to_be_visible()
    expect(phone.get_by_text(re.compile(f"You had \\d+ of {len(drawn)} right"))).to_be_visible()
    expect(phone.get_by_role("radio", name=re.compile("^1 [✓✗]$"))).to_be_visible()
    settle(phone)
    got = b"".join(seen.received).decode("utf-8", "ignore")
    assert any(is_in(text, got) for text in secrets), "now they are told"
