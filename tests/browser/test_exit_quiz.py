"""An exit quiz from the set of Practice: asked by one press, gone through on a phone, closed."""

import pytest
from playwright.sync_api import Page, expect

from core.practice_set import mixed_set
from core.questions.answers import CellPick, Choice
from core.questions.engine import Question
from tests.browser.conftest import OpenPage, rooms_of
from tests.browser.test_join import secrets_in
from tests.browser.test_room import Frames, found_code, press
from tests.browser.waiting import settle

CHAPTERS, SEED = ("softmax", "why_mask"), 4


def answer(phone: Page, question: Question) -> None:
    if isinstance(question.kind, Choice):
        phone.get_by_role("radio").first.check(force=True)
    else:
        text = "1, 1" if isinstance(question.kind, CellPick) else "77.5"
        phone.get_by_role("textbox").fill(text)
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_role("button", name="Change")).to_be_visible()
