"""The keys of a class's links leave the address, and its windows go on all the same."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage, restart, rooms_of
from tests.browser.test_class_goes_on import opened
from tests.browser.test_join import REFUSED
from tests.browser.test_projector_screen import LINKS, class_of_six
from tests.browser.test_reconnecting import connected
from tests.browser.test_room import press
from tests.browser.test_scene_on_show import on_question, on_scene
from tests.browser.waiting import settle
from tests.sampling import three
from ui.classroom.class_button import projector_address, room_address
from ui.classroom.room import screen_key
from ui.classroom.rooms import Rooms

LINK = "softmax?question=softmax-change.3"


def address_is(page: Page, query: str) -> None:
    """Wait until the address ends so."""
    expect(page).to_have_url(re.compile(re.escape(query) + "$"))


def is_window(page: Page) -> None:
    expect(page.get_by_role("button", name="Close the vote")).to_be_enabled()


def test_the_key_leaves_the_address_and_a_reload_finds_the_window_again(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, LINK)
    page = open_page(f"{server}/{room_address(code, key=key)}")
    before = page.evaluate("history.length")
    address_is(page, f"/room?room={code}&key=kept")
    is_window(page)
    assert page.evaluate("history.length") == before, "nothing to go back to has the key"
    page.reload()
    is_window(page)
    address_is(page, f"/room?room={code}&key=kept")
    again = page.context.new_page()
    again.goto(page.url)
    is_window(again)
    again.goto(f"{server}/room?room={code}")
    on_question(again, 1)
    expect(again.get_by_role("button", name="Close the vote")).to_have_count(0)
    again.close()
    press(page, "Close the vote")
    press(page, "Open elsewhere")
    link = page.get_by_test_id("stCode").get_by_text(f"{server}/{room_address(code, key=key)}")
    expect(link).to_be_visible()


def test_two_classes_of_a_browser_keep_a_key_each(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    classes = [store.create() for _ in range(2)]
    page = open_page(server)
    for code, key in classes:
        store.ask(code, key, LINK)
        page.goto(f"{server}/{room_address(code, key=key)}")
        address_is(page, "key=kept")
    for code, _ in classes:
        page.goto(f"{server}/room?room={code}&key=kept")
        is_window(page)


def test_the_window_goes_on_where_its_session_is_gone(
    cold_server: ColdServer, chromium: Browser
) -> None:
    server = cold_server(ROOT)
    with rooms_of(server) as store:
        code, key = store.create()
        store.ask(code, key, LINK)
        window = opened(chromium, f"{server}/{room_address(code, key=key)}")
        address_is(window, "key=kept")
        restart(server)
        connected(window)
        press(window, "Close the vote")
        expect(window.get_by_role("button", name="Go on with this vote")).to_be_visible()
        address_is(window, "key=kept")
    window.context.close()


def test_a_projector_without_a_key_in_its_address_is_still_led(
    server: str, open_page: OpenPage
) -> None:
    with class_of_six(server) as (store, code, key):
        store.ask(code, key, LINKS[2])
        page = open_page(f"{server}/{projector_address((code, key))}")
        address_is(page, f"/room?room={code}&screen=kept")
        page.reload()
        on_question(page, 1)
        store.show_scene(code, key, True)
        on_scene(page)
        assert "screen=kept" in page.url
        page.reload()
        on_scene(page)
        store.show_scene(code, key, False)
        on_question(page, 1)
        address_is(page, "screen=kept")
        assert screen_key(key) not in page.url


def refuse(page: Page) -> None:
    """Let the browser keep nothing."""
    page.add_init_script(f"({REFUSED})()")


@pytest.mark.parametrize("link", three(["key", "screen", "wrong"]))
def test_a_key_stays_where_nothing_keeps_it(
    server: str, store: Rooms, open_page: OpenPage, link: str
) -> None:
    """Where the browser refuses to keep anything, and if the key is none."""
    code, key = store.create()
    store.ask(code, key, LINK)
    address = {
        "key": room_address(code, key=key),
        "screen": projector_address((code, key)),
        "wrong": room_address(code, key="wrong"),
    }[link]
    page = open_page(f"{server}/{address}", prepare=None if link == "wrong" else refuse)
    for _ in range(2):
        settle(page)
        if link == "key":
            is_window(page)
        elif link == "screen":
            on_question(page, 1)
        else:
            expect(page.get_by_text("does not open the teacher's window here")).to_be_visible()
        assert page.url.endswith(address)
        page.reload()


def test_a_browser_that_has_no_key_says_so(server: str, store: Rooms, open_page: OpenPage) -> None:
    code, _ = store.create()
    page = open_page(f"{server}/room?room={code}&key=kept")
    expect(page.get_by_text("does not open the teacher's window here")).to_be_visible()
