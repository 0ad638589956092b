"""The projector's window goes to the scene and comes back by itself, whatever happens to it."""

import re
from urllib.parse import urlencode, urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage, restart, rooms_of
from tests.browser.lessons import words
from tests.browser.page import settle
from tests.browser.test_projector_screen import CHOICE, LINKS, projected_room
from tests.browser.test_room import Frames, a_class, press
from tests.sampling import some
from ui.classroom.class_session import room_address
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.room import screen_key
from ui.classroom.store.rooms import ANSWER, Rooms
from ui.lessons.shelf import place_of, shipped

SCENE, NEXT = LINKS[2], LINKS[3]
FREE = [
    f"{place_of(scene.link).link}&lesson=class.{number}"
    for number, scene in enumerate(shipped("class").scenes, start=1)
    if "cover" not in place_of(scene.link).params
]
FREE_WALK = "?lesson=class.10"
SOON = 10_000
"""Milliseconds in which news arrive, also on a busy machine; who only looks hears later."""


def on_scene(page: Page, covered: bool = True, timeout: float = 20_000) -> None:
    """Wait for the stage in the full window, and what is covered on it."""
    expect(page.locator(".stage.present .focus .cell").first).to_be_visible(timeout=timeout)
    found = page.locator(".stage.present .focus .covered")
    if covered:
        expect(found.first).to_be_visible(timeout=timeout)
    else:
        expect(found).to_have_count(0, timeout=timeout)


def address_is(page: Page, query: str) -> None:
    """Wait until the address ends so."""
    expect(page).to_have_url(re.compile(re.escape(query) + "$"))


def on_question(page: Page, number: int, timeout: float = 20_000) -> None:
    heading = page.get_by_role("heading", name=f"Question {number}", exact=True)
    expect(heading).to_be_visible(timeout=timeout)
    assert "/room?room=" in page.url


def test_the_projector_shows_scenes_as_the_teacher_says(store: Rooms, open_page: OpenPage) -> None:
    """Soon, also after a reload of its address, which has no key any more."""
    code, key = a_class(store, SCENE)
    frames = Frames()
    page = projected_room(open_page, code, key, listen=frames.listen)
    window = open_page(f"room?room={code}&key={key}")
    on_question(page, 1)
    address_is(page, f"/room?room={code}&screen=kept")
    press(window, "Show the scene")
    on_scene(page)
    assert "screen=kept" in page.url
    page.reload()
    on_scene(page)
    press(window, "Show the question")
    on_question(page, 1, timeout=SOON)
    address_is(page, "screen=kept")
    press(window, "Show the scene")
    on_scene(page, timeout=SOON)
    press(window, "Show the answer")
    on_scene(page, covered=False, timeout=SOON)
    press(window, "Start a second vote")
    on_scene(page)
    store.ask(code, key, NEXT)
    on_question(page, 2, timeout=SOON)
    press(window, "Show the scene")
    on_scene(page)
    press(window, "Show the bars")
    on_question(page, 2)

    store.ask(code, key, FREE_WALK)
    store.answer(code, 3, "s0", "Zebras <b>sleep</b> standing")
    on_question(page, 3)
    press(window, "Show it on the projector")
    on_scene(page, covered=False)
    zebras = page.locator(".stage.present .focus .label").filter(has_text="Zebras")
    expect(zebras).not_to_have_count(0)
    expect(words(page)).to_contain_text(shipped("class").scenes[-1].title)
    press(window, "Show the question")
    on_question(page, 3)
    expect(page.get_by_text("Zebras")).to_be_visible()
    press(window, "Show the scene")
    on_scene(page, covered=False)
    expect(zebras).to_have_count(0)

    store.close_room(code, key)
    on_question(page, 3)
    expect(page.get_by_text("This class is closed.")).to_be_visible()
    store.delete_room(code, key)
    expect(page.get_by_role("heading", name=f"Class {code} is over")).to_be_visible()
    assert len(frames.received) > 10
    assert not frames.say(key)
    assert key not in page.content()
    assert screen_key(key) not in page.url


@pytest.mark.deep
@pytest.mark.parametrize("link", some(FREE, 2))
def test_a_scene_that_asks_nothing_is_shown_until_its_room_is_over(
    open_page: OpenPage, store: Rooms, link: str
) -> None:
    code, key = a_class(store, link, 0)
    store.show_scene(code, key, True)
    page = projected_room(open_page, code, key)
    on_scene(page, covered=False)
    store.delete_room(code, key)
    expect(page.get_by_role("heading", name=f"Class {code} is over")).to_be_visible()


@pytest.mark.deep
def test_it_goes_on_after_a_server_s_restart(cold_server: ColdServer, open_page: OpenPage) -> None:
    server = cold_server(ROOT)
    with rooms_of(server) as store:
        code, key = a_class(store, SCENE, 0)
        store.show_scene(code, key, True)
        page = projected_room(open_page, code, key, server, complains=True)
        on_scene(page)
        restart(server)
        store.show_scene(code, key, False)
        on_question(page, 1)


@pytest.mark.deep
def test_a_page_with_a_room_s_code_follows_if_projected(open_page: OpenPage, store: Rooms) -> None:
    code, _ = a_class(store, CHOICE, 0)
    page = open_page(f"?lesson=class.2&room={code}")
    expect(page.locator(".stage .focus .cell").first).to_be_visible()
    expect(page.locator(".st-key-room_beat")).to_have_count(0)
    page.goto(urljoin(page.url, f"/?lesson=class.2&room={code}&present=1"))
    on_question(page, 1)


@pytest.mark.deep
def test_a_remote_on_the_projector_neither_lifts_the_cover_nor_leaves_the_scene(
    open_page: OpenPage, store: Rooms
) -> None:
    code, key = a_class(store, SCENE, 0)
    store.show_scene(code, key, True)
    page = projected_room(open_page, code, key)
    on_scene(page)
    covered = page.locator(".stage.present .focus .covered")
    count, title = covered.count(), words(page).locator("strong").first.inner_text()
    for pressed in ("PageDown", "u", "PageDown", "PageDown"):
        page.keyboard.press(pressed)
        expect(covered).to_have_count(count)
    expect(page.get_by_role("button", name="Uncover")).to_have_count(0)
    expect(words(page).get_by_role("link", name=re.compile("^(Next|Back)"))).to_have_count(0)
    expect(words(page).get_by_text("All scenes")).to_have_count(0)
    store.show(code, key, ANSWER)
    on_scene(page, covered=False)
    for pressed in ["PageDown"] * 4 + ["PageUp"] * 6:
        page.keyboard.press(pressed)
        settle(page)
        expect(words(page)).to_contain_text(title)


def test_a_window_with_a_code_alone_gets_no_number_shown(open_page: OpenPage, store: Rooms) -> None:
    """A student may take `/room` for `/join`, or make up the projector's key."""
    code, key = a_class(store, NEXT, 0)
    store.show_scene(code, key, True)
    made_up = "0" * 32
    here = {**place_of(NEXT).params, "present": "1", "room": code, "screen": made_up}
    for address in (room_address(code), room_address(code, screen=made_up), f"?{urlencode(here)}"):
        frames = Frames()
        page = open_page(address, listen=frames.listen)
        on_question(page, 1)
        says = page.get_by_text("The class's projector shows a scene.")
        expect(says).to_be_visible()
        assert not frames.say(f"{asked_question(NEXT).answer:.2f}")
    store.show_scene(code, key, False)
    expect(says).to_have_count(0)
    store.show_scene(code, key, True)
    expect(says).to_be_visible()
    on_question(page, 1)
    assert len(frames.received) > 5
    assert not frames.say(f"{asked_question(NEXT).answer:.2f}")
