"""Who reports ids again and again, from one connection or from fifty, locks no class out."""

import asyncio
from time import time

from playwright.sync_api import expect

from benchmarks.classroom import STUDENTS, student_part
from benchmarks.visitor import Visitor, visiting
from tests.browser.conftest import ROOT, ColdServer, OpenPage, rooms_of
from tests.browser.test_class_of_sixty import Begin, begin, joined_and_answered, opened, send
from ui.classroom.places import MOST_STUDENTS
from ui.classroom.rooms import Rooms

__all__ = ["begin"]
HOSTILE = 50


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


def test_a_connection_is_one_student_with_one_answer_whatever_ids_it_reports(
    cold_server: ColdServer, begin: Begin
) -> None:
    url = cold_server(ROOT)
    with rooms_of(url) as store:
        code, key = opened(store)
        begin(reports_ids(url, code, "evil", 20)).result()
        assert [one.student for one in store.places(code, key)] == ["evil-0"]
        assert store.answers(code, 1, 1) == ["666"]


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


def test_in_a_class_that_lets_nobody_else_in_students_go_on_and_hostile_connections_get_no_place(
    cold_server: ColdServer, open_page: OpenPage, begin: Begin
) -> None:
    url = cold_server(ROOT)
    with rooms_of(url) as store:
        code, key = opened(store)
        page = open_page(f"{url}/join?room={code}", width=390, height=844)
        send(page, "1")
        begin(*(joins_and_answers(url, code, n) for n in range(5))).result()
        before = store.places(code, key)
        store.let_in(code, key, False)
        begin(
            *(reports_ids(url, code, f"evil-{n}", 3) for n in range(HOSTILE)),
            *(joined_and_answered(url, code, n, [str(n)]) for n in range(5)),
        ).result()
        assert [one.student for one in store.places(code, key)] == [one.student for one in before]
        page.reload()
        expect(page.get_by_text("Sent: 1")).to_be_visible()
        send(page, "2")
        assert store.answers(code, 1, 1) == ["0", "1", "2", "2", "3", "4"]


def fill(store: Rooms, code: str, count: int) -> None:
    """Take places as somebody did who came again and again, some minutes ago."""
    store._clock = lambda: time() - 600
    for n in range(count):
        store.join(code, f"gone-{n}")
    store._clock = time
