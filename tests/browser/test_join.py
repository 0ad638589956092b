"""A phone in a class: joins, votes, outlives the server, and gets no answer before it is shown."""

from contextlib import suppress
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response, TimeoutError, WebSocket, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage, kill, restart, rooms_of
from tests.browser.waiting import fits, settle
from ui.classroom.asked import asked_question
from ui.classroom.rooms import ANSWER, BARS, Rooms
from ui.lessons.shelf import shipped

PHONE = {"width": 390, "height": 844}
NUMBER = "?preset=P5-next&step=context&cell=context.0.2.0&cover=context"
RIGHT = "41.67"
CHOICE = "softmax?question=softmax-change.3"
SCENE = 2
"""A scene of the class that has a note and a covered number."""


def joined(server: str, open_page: OpenPage, code: str, **options: object) -> Page:
    """A phone that has followed the QR's address, and is in."""
    page = open_page(f"{server}/join?room={code}", **PHONE, **options)
    expect(page.get_by_text("One moment")).to_have_count(0)
    return page


def send(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Your answer").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent:")).to_be_visible()


def test_an_older_tab_of_a_student_follows_the_answer_of_another(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, NUMBER)
    older = joined(server, open_page, code)
    send(older, "33.5")
    newer = older.context.new_page()
    newer.goto(older.url)
    newer.get_by_role("button", name="Change").click()
    send(newer, RIGHT)
    older.bring_to_front()
    expect(older.get_by_text(f"Sent: {RIGHT}")).to_be_visible()
    assert store.answers(code, 1, 1) == [RIGHT]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_joins_votes_and_sees_the_result(
    server: str, store: Rooms, open_page: OpenPage, theme: Literal["light", "dark"]
) -> None:
    code, key = store.create()
    page = joined(server, open_page, code, theme=theme)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Class {code}")
    expect(page.get_by_text("Your teacher has not asked anything yet")).to_be_visible()
    clean(page)
    store.ask(code, key, NUMBER)
    expect(page.get_by_role("heading", name="Question 1")).to_be_visible()
    clean(page)
    send(page, "33.5")
    clean(page)
    page.get_by_role("button", name="Change").click()
    send(page, RIGHT)
    assert store.answers(code, 1, 1) == [RIGHT]
    store.join(code, "other")
    store.answer(code, 1, "other", "33.5")
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


def clean(page: Page) -> None:
    """Nothing reaches out of the phone, and axe finds nothing on the page."""
    fits(page, PHONE["width"])
    found = Axe().run(page, context='[data-testid="stMain"]').response["violations"]
    assert {v["id"]: [n["html"][:160] for n in v["nodes"]] for v in found} == {}


def test_the_keyboard_alone_joins_and_votes(server: str, store: Rooms, open_page: OpenPage) -> None:
    code, key = store.create()
    page = open_page(f"{server}/join", **PHONE)
    page.get_by_role("textbox", name="Class code").focus()
    page.keyboard.type(code.lower())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Class {code}")).to_be_visible()
    assert f"room={code}" in page.url
    store.ask(code, key, NUMBER)
    reach(page, "Your answer")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent: 12")).to_be_visible()
    reach(page, "Change")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Your answer")).to_be_visible()
    store.ask(code, key, CHOICE)
    expect(page.get_by_role("radio").first).to_be_attached()
    reach(page, "Every weight grows", "No weight changes")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    reach(page, "Send")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent: The largest weight grows")).to_be_visible()
    assert store.answers(code, 2, 1) == ["The largest weight grows"]


FOCUSED = """() => {
  const one = document.activeElement;
  return [one.ariaLabel, one.textContent, one.value, one.labels?.[0]?.textContent].join(" ");
}"""


def reach(page: Page, *names: str) -> None:
    """Press Tab until something of one of these names has the focus."""
    expect(page.get_by_text(names[0], exact=True).first).to_be_attached()
    for _ in range(40):
        page.keyboard.press("Tab")
        if any(name in page.evaluate(FOCUSED) for name in names):
            return
    raise AssertionError(f"nothing called {names} is reached")


@pytest.mark.deep
def test_a_phone_goes_on_after_the_server_was_killed(
    cold_server: ColdServer, chromium: Browser
) -> None:
    server = cold_server(ROOT)
    with rooms_of(server) as store:
        code, key = store.create()
        store.ask(code, key, NUMBER)
    page = chromium.new_page()  # it logs that the server is gone
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/join?room={code}")
    send(page, "12")
    expect(page.get_by_role("button", name="Change")).to_be_visible()
    kill(server)
    page.locator(
        '[data-test-connection-state]:not([data-test-connection-state="CONNECTED"])'
    ).wait_for()
    restart(server)
    settle(page)
    expect(page.get_by_text("Sent: 12")).to_be_visible()
    expect(page.get_by_role("button", name="Change")).to_be_visible()
    for _ in range(20):  # what is pressed before the new server has drawn the page is not heard
        page.get_by_role("button", name="Change").click()
        with suppress(TimeoutError):
            page.get_by_role("textbox", name="Your answer").wait_for(timeout=1000)
            break
    send(page, "13")
    with rooms_of(server) as store:
        assert store.answers(code, 1, 1) == ["13"], "one student, one answer"
        store.ask(code, key, CHOICE)
        expect(page.get_by_role("heading", name="Question 2")).to_be_visible()
    page.close()


def test_an_answer_is_there_after_a_reload_and_another_browser_is_another_student(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, NUMBER)
    page = joined(server, open_page, code)
    send(page, "12")
    page.reload()
    expect(page.get_by_text("Sent: 12")).to_be_visible()
    other = joined(server, open_page, code)
    send(other, "14")
    assert store.answers(code, 1, 1) == ["12", "14"]


REFUSED = """() => Object.defineProperty(globalThis, "localStorage", {
  get() { throw new DOMException("refused", "SecurityError"); },
})"""


@pytest.mark.deep
def test_where_nothing_is_kept_the_session_is_the_student(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, NUMBER)
    page = joined(
        server, open_page, code, prepare=lambda page: page.add_init_script(f"({REFUSED})()")
    )
    send(page, "12")
    page.get_by_role("button", name="Change").click()
    send(page, "13")
    assert store.answers(code, 1, 1) == ["13"]


class Received:
    """All that a page got: the page, each file, each message of its sockets."""

    def __init__(self, page: Page) -> None:
        self.parts: list[bytes] = []
        self.responses: list[Response] = []
        self.sockets: list[WebSocket] = []
        page.on("response", lambda response: self.responses.append(response))
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framereceived", lambda frame: self.parts.append(_bytes(frame)))

    def everything(self) -> bytes:
        """As it came, without the backslashes with which Markdown escapes."""
        files = [one.body() for one in self.responses if one.status == 200]
        return b"\n".join([*files, *self.parts]).replace(b"\\", b"")


def _bytes(frame: str | bytes) -> bytes:
    return frame.encode() if isinstance(frame, str) else frame


def secrets_of(link: str) -> dict[str, str]:
    """What says the answer of a question, or a mistake: a part of each that stands in one text."""
    question = asked_question(link)
    found = {f"mistake {wrong.name}": wrong.name for wrong in question.wrong}
    found |= {f"hint of {wrong.name}": wrong.hint[:40] for wrong in question.wrong}
    return found | {"answer": RIGHT}


def test_nothing_that_a_phone_receives_says_the_answer_before_it_is_shown(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    scene = shipped("class").scenes[SCENE - 1]
    assert scene.note
    code, key = store.create()
    found: list[Received] = []
    page = joined(server, open_page, code, prepare=lambda page: found.append(Received(page)))
    (received,) = found
    store.ask(code, key, f"?lesson=class.{SCENE}")
    expect(page.get_by_role("heading", name="Question 1")).to_be_visible()
    send(page, "12")
    store.ask(code, key, NUMBER)
    expect(page.get_by_role("heading", name="Question 2")).to_be_visible()
    send(page, "12")
    store.close_vote(code, key)
    expect(page.get_by_text("The vote is closed")).to_be_visible()
    store.show(code, key, BARS)
    expect(page.get_by_text("12: 1 of 1")).to_be_visible()
    told = received.everything()
    assert b"attention-student" in told, "the files are there"
    assert b"context" in told, "the messages are there"
    secret = secrets_of(NUMBER)
    assert {name for name, text in secret.items() if text.encode() in told} == set()
    for text in (scene.note, scene.answer, key):
        assert text[:40].encode() not in told
    store.show(code, key, ANSWER)
    expect(page.get_by_text("The answer")).to_be_visible()
    assert RIGHT.encode() in received.everything(), "this can be seen where it is"


@pytest.mark.deep
def test_what_others_answer_is_no_message_of_the_page(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, NUMBER)
    found: list[Received] = []
    page = joined(server, open_page, code, prepare=lambda page: found.append(Received(page)))
    (received,) = found
    drawn = b"What is context"
    expect(page.get_by_role("textbox", name="Your answer")).to_be_visible()
    before = sum(drawn in part for part in received.parts)
    assert before
    store.join(code, "other")
    store.answer(code, 1, "other", "3")
    for _ in range(3):  # the page looks at the room
        with received.sockets[-1].expect_event("framesent"):
            pass
    assert sum(drawn in part for part in received.parts) == before
    store.close_vote(code, key)
    expect(page.get_by_text("The vote is closed")).to_be_visible()
    assert sum(drawn in part for part in received.parts) > before


def test_a_formula_in_a_prompt_is_as_large_as_its_text(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, key = store.create()
    store.ask(code, key, NUMBER)
    for page in (joined(server, open_page, code), open_page(f"{server}/room?room={code}")):
        words = page.locator(".st-key-asked_words p")
        sizes = words.evaluate(
            """(words) => [words, words.querySelector(".katex")].map(
              (part) => getComputedStyle(part).fontSize)"""
        )
        assert sizes[0] == sizes[1]
