"""A class in four browsers: a teacher asks, the projector counts, a student answers and sees."""

import re
from urllib.parse import urljoin

from playwright.sync_api import Locator, Page, WebSocket, expect

from core.path import PATH
from tests.browser.axe import Known, beyond, found_in
from tests.browser.conftest import OpenPage
from ui.classroom.store.rooms import Rooms
from ui.lessons.shelf import LESSON_NAMES, LinkTarget, place_of, shipped

ADDRESS = "softmax?question=softmax-change.3"
ELSEWHERE = "practice?practice_chapters=softmax"
RIGHT, ADDED = "The largest weight shrinks", "No weight changes"
MISTAKE = "you treated it as adding"
SIZES = ((1280, 720), (1920, 1080))
CODE = re.compile(r"[?&]room=(\w+)")
WHOLE = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const inside = everywhere(".step-picture, table, .katex-display > .katex", main);
  return [main, ...inside].every((one) => one.scrollWidth <= one.clientWidth + 1)
    && main.scrollHeight <= main.clientHeight;
}"""
"""Whether nothing scrolls and no table, picture or line of arithmetic is cut."""
LETTERS = """() => {
  const screen = document.querySelector(".st-key-room_screen");
  const words = [...screen.querySelectorAll("h1, p, th, td, li, .katex"),
    ...everywhere(".step-picture :is(td, th)", screen)];
  const size = (one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom;
  return Math.min(...words.filter((one) => one.textContent.trim()).map(size));
}"""
"""The smallest letters of the screen, in pixels of the window."""


class Frames:
    """What one page's sockets said, in both directions, as bytes."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.sent: list[bytes] = []

    def listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda said: self.received.append(_bytes(said)))
        socket.on("framesent", lambda said: self.sent.append(_bytes(said)))

    def say(self, text: str) -> bool:
        return any(text.encode() in frame for frame in [*self.received, *self.sent])


def _bytes(said: str | bytes) -> bytes:
    return said.encode() if isinstance(said, str) else said


def ask(page: Page) -> tuple[str, str]:
    """Press *Ask the class*; the addresses of the projector's screen and the teacher's window."""
    page.get_by_test_id("ask-class").first.click()
    return class_links(page)


def class_links(page: Page) -> tuple[str, str]:
    """The same of a class that has been opened."""
    projector, window = (
        str(page.get_by_role("link", name=name).evaluate("link => link.href"))
        for name in ("Open the projector", "Open my window")
    )
    return projector, window


def answer(student: Page, option: str) -> None:
    student.get_by_text(option, exact=True).click()
    student.get_by_role("button", name="Send").click()
    expect(student.get_by_role("button", name="Change")).to_be_visible()


def press(window: Page, name: str) -> None:
    window.get_by_role("button", name=name, exact=True).click()


def test_a_class_votes_twice_sees_the_answer_and_goes_on(open_page: OpenPage, known: Known) -> None:
    """The browser keeps the room, so that the next question is asked in the same one."""
    teacher = open_page(ADDRESS)
    projector_address, window_address = ask(teacher)
    key = window_address.rpartition("key=")[2]
    assert "key" not in projector_address
    seen = {name: Frames() for name in ("projector", "student", "window")}
    projector = open_page(projector_address, size=SIZES[0], listen=seen["projector"].listen)
    window = open_page(window_address, listen=seen["window"].listen)
    joined = f"join?room={found_code(projector_address)}"
    student = open_page(joined, size=(390, 844), listen=seen["student"].listen)
    expect(projector.get_by_text("0 of 1 answered")).to_be_visible()

    answer(student, ADDED)
    for page in (projector, window):
        expect(page.get_by_text("1 of 1 answered")).to_be_visible()
    expect(window.get_by_role("listitem").filter(has_text=MISTAKE)).to_be_visible()

    press(window, "Close the vote")
    expect(projector.get_by_text("the vote is closed")).to_be_visible()
    expect(bars(projector)).to_have_count(0)
    press(window, "Show the bars")
    expect(bars(projector)).to_have_count(1)
    expect(projector.get_by_text("✓")).to_have_count(0)

    press(window, "Start a second vote")
    expect(projector.get_by_text("0 of 1 answered again")).to_be_visible()
    expect(bars(projector)).to_have_count(0)
    answer(student, RIGHT)
    expect(projector.get_by_text("1 of 1 answered again")).to_be_visible()
    assert not seen["projector"].say(MISTAKE)
    press(window, "Show the answer")
    expect(bars(projector).get_by_text("Vote 2: 1 answer")).to_be_visible()
    expect(projector.get_by_text("✓").first).to_be_visible()
    expect(projector.get_by_text(f"The answer: {RIGHT}.")).to_be_visible()
    expect(projector.get_by_text("1 of 1 right")).to_be_visible()
    projector.wait_for_function(WHOLE)
    assert beyond(found_in(window, "light"), known["light"]) == {}
    expect(window.get_by_role("button", name="Hide the results")).to_be_enabled()
    teacher.goto(urljoin(teacher.url, ELSEWHERE))
    assert ask(teacher) == (projector_address, window_address)
    for page in (projector, window, student):
        expect(page.get_by_role("heading", name="Question 2")).to_be_visible()
    window.get_by_role("radio", name="1", exact=True).click()
    expect(projector.get_by_role("heading", name="Question 1")).to_be_visible()
    expect(bars(projector)).to_have_count(1)

    assert seen["window"].say(key), "else nothing would be found"
    for page, name in ((projector, "projector"), (student, "student")):
        assert len(seen[name].received) > 10
        assert not seen[name].say(key)
        assert key not in page.content()


def found_code(address: str) -> str:
    found = CODE.search(address)
    assert found
    return found[1]


def bars(page: Page) -> Locator:
    """A class's bars, on a projector and in the teacher's window."""
    return page.locator('[class*="st-key-room_bars"] .vote-bars')


LINKS = [
    *(
        LinkTarget(name, {"question": maker(0).id}).link
        for name, chapter in PATH.items()
        for maker in chapter.questions.values()
    ),
    *(
        place.link
        for name in LESSON_NAMES
        for place in (place_of(scene.link) for scene in shipped(name).scenes)
        if place.params.get("cover", "mask") != "mask"
    ),
]
"""All that can be asked of the chapters and of the lessons."""


def a_class(store: Rooms, link: str = "", students: int = 6) -> tuple[str, str]:
    """The code and the key of a new room with so many students, and what it is asked."""
    code, key = store.create()
    for n in range(students):
        store.join(code, f"s{n}")
    if link:
        store.ask(code, key, link)
    return code, key


def whole(page: Page, least: float) -> None:
    """Wait until nothing is cut, and no letters are smaller than that, but for a rounding."""
    page.wait_for_function(f"(least) => ({WHOLE})() && ({LETTERS})() >= least - 0.1", arg=least)
