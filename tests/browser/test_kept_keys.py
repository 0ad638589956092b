"""The keys of a class's links leave the address, and its windows go on all the same."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from tests.browser.test_join import refuse
from tests.browser.test_room import a_class, press
from tests.browser.test_scene_on_show import address_is, on_question
from ui.classroom.class_session import projector_address, room_address
from ui.classroom.store.rooms import Rooms

LINK = "softmax?question=softmax-change.3"


def is_window(page: Page) -> None:
    expect(page.get_by_role("button", name="Close the vote")).to_be_enabled()


def test_keys_leave_the_address_that_finds_each_window_again(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = a_class(store, LINK, 0)
    page = open_page(room_address(code, key=key))
    before = page.evaluate("history.length")
    address_is(page, f"/room?room={code}&key=kept")
    is_window(page)
    assert page.evaluate("history.length") == before, "nothing to go back to has the key"
    press(page, "Open elsewhere")
    link = page.get_by_test_id("stCode").get_by_text(f"{server}/{room_address(code, key=key)}")
    expect(link).to_be_visible()

    other, its_key = a_class(store, LINK, 0)
    again = page.context.new_page()
    again.goto(f"{server}/{room_address(other, key=its_key)}")
    address_is(again, "key=kept")
    for each in (code, other):
        again.goto(f"{server}/room?room={each}&key=kept")
        is_window(again)
        expect(again.get_by_role("heading", level=1)).to_contain_text(each)
    again.goto(f"{server}/room?room={code}")
    on_question(again, 1)
    expect(again.get_by_role("button", name="Close the vote")).to_have_count(0)
    again.close()
    press(page, "Close the vote")


def test_a_key_stays_where_nothing_is_kept(server: str, store: Rooms, open_page: OpenPage) -> None:
    code, key = a_class(store, LINK, 0)
    window, projector = room_address(code, key=key), projector_address((code, key))
    page = open_page("about:blank", until=None, prepare=refuse)
    for address in (window, projector):
        page.goto(f"{server}/{address}")
        settle(page)
        if address == window:
            is_window(page)
        else:
            on_question(page, 1)
        assert page.url.endswith(address)


def test_a_browser_without_a_key_or_a_wrong_one_says_so(store: Rooms, open_page: OpenPage) -> None:
    code, _ = store.create()
    for key in ("wrong", "kept"):  # what is wrong is not kept
        page = open_page(room_address(code, key=key))
        expect(page.get_by_text("does not open the teacher's window here")).to_be_visible()
        settle(page)
        assert page.url.endswith(room_address(code, key=key))
