"""Who reports ids again and again, from one connection or from fifty, locks no class out."""

import asyncio
from time import time

import pytest
from playwright.sync_api import Page, expect

from benchmarks.classroom import STUDENTS, student_part
from benchmarks.visitor import Visitor, visiting
from tests.browser.conftest import ROOT, ColdServer, OpenPage, rooms_of
from tests.browser.test_class_of_sixty import Begin, begin, joined_and_answered, opened
from tests.browser.waiting import settle
from tests.sampling import DEEP
from ui.classroom.places import MOST_STUDENTS
from ui.classroom.rooms import Rooms

__all__ = ["begin"]
HOSTILE = 50
SOME = HOSTILE if DEEP else 10


async def say(visitor: Visitor, who: str) -> None:
    """Report an id, as a browser does in its first run."""
    await visitor.tell("student_of_browser", student={"id": who, "visit": "any"})


async def reports_ids(url: str, code: str, name: str, ids: int) -> None:
    """A hostile connection: it reports ids, and votes under each as soon as it can."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        for n in range(ids):
            await say(visitor, f"{name}-{n}")
            await part.prepare(visitor)
            if "Your answer" in visitor.drawn:
                await part.send(visitor, "666")


async def joins_and_answers(url: str, code: str, number: int) -> None:
    """A student of the class, who waits in line if others have come before."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, number)
        async with asyncio.timeout(120):
            while "Your answer" not in visitor.drawn:
                await part.look(visitor)
        await part.send(visitor, str(number))


def send(page: Page, text: str) -> None:
    """Answer in a browser, or change the answer, until the page says that it is there."""
    if page.get_by_role("button", name="Change").is_visible():
        page.get_by_role("button", name="Change").click()
    page.get_by_label("Your answer").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(f"Sent: {text}")).to_be_visible()
    settle(page)


def test_a_connection_is_one_student_and_gets_no_place_in_a_class_that_lets_nobody_else_in(
    server: str, store: Rooms, open_page: OpenPage, begin: Begin
) -> None:
    """Whatever ids it reports. Students who are in go on, also after a reload."""
    code, key = opened(store)
    page = open_page(f"{server}/join?room={code}", width=390, height=844)
    send(page, "1")
    honest = [joins_and_answers(server, code, n) for n in range(5)]
    begin(reports_ids(server, code, "evil", 20), *honest).result()
    before = [one.student for one in store.places(code, key)]
    assert len(before) == 7
    assert [student for student in before if "evil" in student] == ["evil-0"]
    assert store.answers(code, 1, 1).count("666") == 1
    store.let_in(code, key, False)
    begin(
        *(reports_ids(server, code, f"evil-{n}", 3) for n in range(SOME)),
        *(joined_and_answered(server, code, n, [str(n)]) for n in range(5)),
    ).result()
    assert [one.student for one in store.places(code, key)] == before
    page.reload()
    expect(page.get_by_text("Sent: 1")).to_be_visible()
    send(page, "2")
    assert store.answers(code, 1, 1) == ["0", "1", "2", "2", "3", "4", "666"]


@pytest.mark.deep
def test_a_class_of_sixty_gets_in_and_answers_between_fifty_hostile_connections(
    cold_server: ColdServer, begin: Begin
) -> None:
    """They come into a room that was filled with places nobody answers from."""
    url = cold_server(ROOT)
    with rooms_of(url) as store:
        code, key = opened(store)
        fill(store, code, MOST_STUDENTS - HOSTILE)
        hostile = [reports_ids(url, code, f"evil-{n}", 3) for n in range(HOSTILE)]
        honest = [joins_and_answers(url, code, n) for n in range(STUDENTS)]
        begin(*(one for pair in zip(honest, hostile, strict=False) for one in pair),
              *honest[HOSTILE:]).result()  # fmt: skip
        expected = sorted([*map(str, range(STUDENTS)), *["666"] * HOSTILE])
        assert store.answers(code, 1, 1) == expected
        assert len(store.places(code, key)) <= MOST_STUDENTS


def fill(store: Rooms, code: str, count: int) -> None:
    """Take places as somebody did who came again and again, some minutes ago."""
    store._clock = lambda: time() - 600
    for n in range(count):
        store.join(code, f"gone-{n}")
    store._clock = time
