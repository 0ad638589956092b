"""A phone that waits says almost nothing, and hears at once what its class is asked."""

from time import monotonic

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from tests.browser.test_join import PHONE
from tests.browser.test_room import ADDRESS, Frames, a_class
from tests.sampling import some
from ui.classroom.following import SELDOM
from ui.classroom.news import ADDRESS as NEWS
from ui.classroom.store.rooms import Rooms

MOST = 4
"""Messages while news are waited for: a look at the room, and what it is answered."""
LONG = 4.0
"""Seconds, less a little: an idle phone asks for news no more than once in so long."""
SOON = 5.0
"""Seconds, on a busy machine: much sooner than by itself (SELDOM)."""


def held(page: Page) -> float:
    """Wait until the server has answered that all is as it was; returns after how many seconds."""
    with page.expect_response(lambda answer: NEWS in answer.url and answer.text() == "same") as got:
        pass
    return got.value.request.timing["responseStart"] / 1_000


def test_an_idle_phone_is_silent_and_hears_soon(store: Rooms, open_page: OpenPage) -> None:
    assert SOON < SELDOM / 1_000
    code, key = a_class(store, ADDRESS)
    seen = Frames()
    phone = open_page(f"join?room={code}", size=PHONE, listen=seen.listen)
    expect(phone.get_by_role("heading", name="Question 1")).to_be_visible()
    settle(phone)
    said = len(seen.received) + len(seen.sent)
    store.answer(code, 1, "s0", "No weight changes")  # of another, which it does not show
    assert held(phone) > LONG
    assert len(seen.received) + len(seen.sent) - said <= MOST
    for number in (2, 3):
        store.ask(code, key, ADDRESS)
        begun = monotonic()
        expect(phone.get_by_role("heading", name=f"Question {number}")).to_be_visible()
        assert monotonic() - begun < SOON
    store.close_vote(code, key)
    expect(phone.get_by_text("The vote is closed.")).to_be_visible(timeout=1_000 * SOON)


@pytest.mark.parametrize("answer", some(["an error", "nothing", "a page of another kind"], 3))
def test_a_phone_whose_network_lets_no_news_through_looks_by_itself(
    server: str, store: Rooms, open_page: OpenPage, answer: str
) -> None:
    def without_news(route: Route) -> None:
        if answer == "nothing":
            route.abort()
        else:
            route.fulfill(status=404 if answer == "an error" else 200, body="<html></html>")

    code, key = a_class(store)
    phone = open_page("about:blank", until=None, complains=True)
    phone.route(f"**/{NEWS}*", without_news)
    phone.goto(f"{server}/join?room={code}")
    expect(phone.get_by_text("Your teacher has not asked anything yet.")).to_be_visible()
    begun = monotonic()
    store.ask(code, key, ADDRESS)
    expect(phone.get_by_role("heading", name="Question 1")).to_be_visible()
    assert monotonic() - begun < 2 * SOON
