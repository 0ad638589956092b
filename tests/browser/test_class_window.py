"""The teacher's window: what a class needs is in the first screen, and for the keyboard alone."""

import re

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from core.questions.answers import Choice
from tests.browser.axe import Known, beyond, found_in
from tests.browser.by_keys import FOCUSED, reach_named
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, header_of, settle
from tests.browser.tabs import THEMES
from tests.browser.test_forced_colours import alike
from tests.browser.test_join import PHONE, looks_often
from tests.browser.test_jumping import nothing_jumps, slowed
from tests.sampling import DEEP, paired, some
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.rooms import ANSWER, Rooms

LINKS = {
    "a table": "?lesson=class.3",
    "long options": "queries-keys-values?question=basis.0",
    "two votes": "softmax?question=softmax-change.3",
}
BUTTONS = ("Close the vote", "Start a second vote", "Show the bars", "Show the answer")


def a_class(store: Rooms, link: str, votes: int = 1) -> tuple[str, str]:
    """A room in which five of seven have answered."""
    code, key = store.create()
    store.ask(code, key, link)
    question = asked_question(link)
    given = question.kind.options if isinstance(question.kind, Choice) else ("1", "2", "3", "-4")
    for n in range(7):
        store.join(code, f"s{n}")
    for vote in range(1, votes + 1):
        for n in range(5):
            store.answer(code, 1, f"s{n}", given[n % len(given)], vote)
        if vote < votes:
            store.open_second_vote(code, key)
    return code, key


@pytest.mark.parametrize(
    ("name", "size"), paired([*LINKS], [(1366, 768), (390, 844), (820, 1180), (1440, 900)])
)
def test_what_a_teacher_does_is_in_the_first_screen(
    store: Rooms, open_page: OpenPage, name: str, size: tuple[int, int]
) -> None:
    code, key = a_class(store, LINKS[name], votes=2 if name == "two votes" else 1)
    page = open_page(f"room?room={code}&key={key}", size=size)
    wanted = [page.get_by_role("button", name=one, exact=True) for one in BUTTONS]
    wanted += [page.get_by_text("5 of 7 answered"), page.locator(".st-key-room_bars .vote-bars")]
    if name == "a table":
        wanted.append(page.get_by_role("button", name=re.compile("^Ask the next scene")))
    answer = page.get_by_text(re.compile("^The answer")).first
    if size[0] > 1_000:
        wanted.append(answer)
    for one in wanted:
        expect(one.first).to_be_visible()
        box = box_of(one.first)
        assert box.top >= 48, "below the header"
        assert box.bottom <= size[1], one
        assert box.right <= size[0], one
    if size[0] < 1_000:
        assert box_of(wanted[3]).top < box_of(answer).top
    expect(page.locator("header").first).to_be_visible()


def focused(page: Page, name: str) -> None:
    """Wait until something of that name has the focus."""
    page.wait_for_function(f"(name) => ({FOCUSED})().includes(name)", arg=name)


def press(page: Page, name: str) -> None:
    """Go to a control by Tab alone, and press it."""
    reach_named(page, name)
    page.keyboard.press("Enter")


def ends_where_the_window_does(page: Page) -> None:
    """What is read; and the questions' name stands before their numbers."""
    scene, sheet = page.locator(".st-key-room_scene"), page.locator(".stExpander").last
    expect(scene).to_be_visible()
    assert abs(box_of(scene).right - box_of(sheet).right) <= 1
    name = box_of(page.get_by_text("Questions", exact=True))
    button = box_of(page.get_by_role("radio", name="1"))
    assert name.right < button.left
    assert button.top < name.middle[1] < button.bottom


def test_the_keyboard_alone_leads_a_class(store: Rooms, open_page: OpenPage) -> None:
    code, key = a_class(store, LINKS["a table"])
    page = open_page(f"room?room={code}&key={key}")
    ends_where_the_window_does(page)
    press(page, "Close the vote")
    expect(page.get_by_text("the vote is closed")).to_be_visible()
    focused(page, "Go on with this vote")
    page.keyboard.press("Tab")
    focused(page, "Start a second vote")
    page.keyboard.press("Space")
    expect(page.get_by_text("0 of 7 answered again")).to_be_visible()
    focused(page, "Show the bars")
    for n in range(2):  # answers come in: the page is drawn anew, and the focus stays
        store.answer(code, 1, f"s{n}", "1.15")
        expect(page.get_by_text(f"{n + 1} of 7 answered again")).to_be_visible()
        focused(page, "Show the bars")
    page.keyboard.press("Enter")
    focused(page, "Hide the results")
    page.keyboard.press("Tab")
    focused(page, "Show the answer")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show the answer")).to_be_disabled()
    focused(page, "Hide the results")
    press(page, "Ask the next scene")
    expect(page.get_by_role("heading", name=re.compile("^Question 2"))).to_be_visible()
    focused(page, "Ask the next scene")
    radio = page.get_by_role("radio", name="2", exact=True)
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        if radio.evaluate("radio => radio === document.activeElement"):
            break
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name=re.compile("^Question 1"))).to_be_visible()
    assert page.evaluate(FOCUSED)
    press(page, "Working")
    expect(page.locator(".st-key-room_answer").get_by_text("√").first).to_be_attached()
    focused(page, "Working")
    press(page, "The sheet")
    expect(page.get_by_role("columnheader", name="First vote").first).to_be_visible()
    press(page, "Close the class")
    focused(page, "Close now")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="This class is closed: its sheet")).to_be_visible()
    page.wait_for_function(FOCUSED)
    press(page, "Delete now")
    focused(page, "Delete every answer")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Every answer of class {code} is deleted.")).to_be_visible()
    page.wait_for_function(FOCUSED)
    press(page, "Open another class")
    expect(page.get_by_test_id("ask-class")).to_be_visible()


def test_typing_goes_on_while_others_answer(store: Rooms, open_page: OpenPage) -> None:
    code, _ = a_class(store, LINKS["a table"])
    sockets: list[WebSocket] = []
    page = open_page(f"join?room={code}", size=PHONE, listen=sockets.append)
    looks_often(page)
    field = page.get_by_role("textbox", name="Your answer")
    field.focus()
    for n, letter in enumerate("12"):
        page.keyboard.type(letter)
        store.join(code, f"more{n}")
        store.answer(code, 1, f"more{n}", str(n))
        with sockets[-1].expect_event("framesent"):  # the page looks at the room
            pass
        assert field.evaluate("field => field === document.activeElement")
        expect(field).to_have_value("12"[: n + 1])
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent: 12")).to_be_visible()


@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_what_is_touched_on_a_phone_is_44_pixels_high_and_as_wide_as_the_page(
    store: Rooms, open_page: OpenPage, theme: str
) -> None:
    code, key = a_class(store, LINKS["long options"])
    for address in ("join", f"join?room={code}"):
        page = open_page(address, size=PHONE, theme=theme)
        touched = page.locator(
            ".st-key-student :is(button, [data-testid=stTextInputRootElement], "
            "[data-testid=stRadioOption])"
        )
        expect(touched.first).to_be_visible()
        assert min(box_of(one).height for one in touched.all()) >= 44
    row = page.get_by_test_id("stRadioOption").first
    width = box_of(row).width
    assert width > 350
    row.click(position={"x": width - 4, "y": 3})
    expect(page.get_by_role("radio").first).to_be_checked()
    store.show(code, key, ANSWER)
    settle(page)


LEFT_OF_WORDS = "(one) => written(one).getBoundingClientRect().left"


def begins_with_the_text(page: Page, name: str) -> Locator:
    """A link without a frame: it begins where the page's title does, and is whole."""
    title = page.get_by_role("heading", level=1).evaluate(LEFT_OF_WORDS)
    link = page.get_by_role("link", name=name)
    assert abs(link.locator("p").evaluate(LEFT_OF_WORDS) - title) <= 1
    assert link.locator("p").evaluate("p => p.scrollWidth <= p.clientWidth"), "whole"
    return link


@pytest.mark.parametrize("width", some([1366, 390], 2))
def test_the_way_to_a_class_and_back(open_page: OpenPage, width: int) -> None:
    begins_with_the_text(open_page("join", size=(width, 900)), "You teach?")
    page = open_page("lessons", size=(width, 900))
    begins_with_the_text(page, "Ask a class").click()
    page.get_by_test_id("ask-class").click()
    expect(page.get_by_role("link", name="Open my window")).to_be_visible()
    menu = header_of(page).get_by_role("button", name="Menu")
    if menu.is_visible():  # a phone has no room for the link in its line
        menu.click()
    header_of(page).get_by_role("link", name="Practice").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Practice")


def screens(store: Rooms) -> dict[str, str]:
    """The addresses of a class's screens, with two votes whose answer is shown."""
    code, key = a_class(store, LINKS["two votes"], votes=2)
    store.show(code, key, ANSWER)
    return {
        "projector": f"room?room={code}",
        "window": f"room?room={code}&key={key}",
        "student": f"join?room={code}",
    }


TOO_SOON = """
globalThis.tooSoon = new Set();
globalThis.looks = 0;
const look = () => {
  const screen = document.querySelector(".st-key-room_screen");
  if (screen && document.documentElement.dataset.roomFits === undefined) {
    looks += 1;
    for (const part of screen.querySelectorAll("*")) {
      const name = part.dataset.testid ?? part.localName;
      if (getComputedStyle(part).visibility === "visible") tooSoon.add(name);
    }
  }
  requestAnimationFrame(look);
};
look();
"""
"""What is visible of a projector's screen before it has its sizes, at each frame."""


def watched(page: Page) -> None:
    slowed(page, 1)
    page.add_init_script(TOO_SOON)


SCREENS = [("projector", (1280, 720)), ("student", (390, 844)), ("window", (1366, 768))]


@pytest.mark.parametrize(("screen", "size"), SCREENS if DEEP else SCREENS[:2])
def test_nothing_of_a_screen_jumps_and_a_projector_shows_nothing_before_it_fits(
    store: Rooms, open_page: OpenPage, screen: str, size: tuple[int, int]
) -> None:
    page = open_page(screens(store)[screen], size=size, until=None, prepare=watched)
    nothing_jumps(page)
    if screen == "projector":
        page.wait_for_function("() => document.documentElement.dataset.roomFits !== undefined")
        assert page.evaluate("looks") > 0
        assert page.evaluate("[...tooSoon]") == []
        expect(page.get_by_role("heading", level=1)).to_be_visible()


MOVES = """() => document.getAnimations().filter((one) => (
  one.playState === "running" && one.effect.getComputedTiming().duration > 10
)).map((one) => one.animationName ?? one.transitionProperty)"""


STILL = f"() => !({MOVES})().length && !document.querySelector('[data-stale=true]')"
"""Whether nothing fades in any more: colours are then those of the screen."""


@pytest.mark.parametrize("screen", some(["student", "window", "projector"], 3))
def test_a_screen_keeps_to_what_a_system_asks_for(
    store: Rooms, open_page: OpenPage, known: Known, screen: str
) -> None:
    """In both themes and in forced colours axe finds nothing; with less motion nothing moves."""
    page = open_page(f"{screens(store)[screen]}", reduced_motion="reduce")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    assert page.evaluate(MOVES) == []
    for theme in THEMES:
        assert beyond(found_in(page, theme), known[theme]) == {}
    page.emulate_media(forced_colors="active", color_scheme="light")
    page.reload()
    settle(page)
    page.wait_for_function(STILL)
    assert beyond(found_in(page, "light"), known["light"]) == {}
    assert alike(page) == []
