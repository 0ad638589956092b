"""Sixty students in real sockets: each answer counts once, over restarts, beside hostile ones."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import product
from time import monotonic, time
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.exceptions import ConnectionClosed

from benchmarks.classroom import LINK, STUDENTS, student_part
from benchmarks.visitor import visiting
from tests.browser.conftest import ROOT, ColdServer, OpenPage, folder_of, kill, restart, rooms_of
from tests.browser.page import settle
from tests.browser.test_room import a_class
from tests.sampling import DEEP
from ui.classroom.store.rates import LOOKS
from ui.classroom.store.rooms import VARIABLE, Rooms
from ui.classroom.store.students import MOST_STUDENTS

Begin = Callable[..., Future[list[Any]]]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """`begin(*doing)`: all at once, in a thread because Playwright has a loop in this one."""

    async def everybody(doing: tuple[Coroutine[Any, Any, Any], ...]) -> list[Any]:
        return await asyncio.gather(*doing)

    with ThreadPoolExecutor(1) as thread:
        yield lambda *doing: thread.submit(lambda: asyncio.run(everybody(doing)))


async def joined_and_answered(url: str, code: str, number: int, texts: list[str]) -> None:
    """One student: joins, answers, and changes the answer until the last text."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, number)
        for text in texts:
            await part.prepare(visitor)
            await part.send(visitor, text)


async def answers_until_the_end(
    url: str, code: str, number: int, acknowledged: dict[int, int], enough: Callable[[], None]
) -> None:
    """One student changes the answer until the server is gone; the last one that was received."""
    part = student_part(code)
    try:
        async with visiting(url, part.page, part.query) as visitor:
            await part.arrive(visitor, number)
            for turn in range(1_000):
                await part.prepare(visitor)
                answers = await part.send(visitor, str(turn))
                if any(f"Sent: {turn}".encode() in answer for answer in answers):
                    acknowledged[number] = turn
                if len(acknowledged) == STUDENTS:
                    enough()
    except (ConnectionClosed, OSError):
        return


def test_sixty_in_two_rooms_are_counted_once_a_killed_server_loses_no_answer_and_guesses_are_slowed(
    cold_server: ColdServer, begin: Begin
) -> None:
    url = cold_server(ROOT)
    with rooms_of(url) as store:
        rooms = [a_class(store, LINK, 0)[0] for _ in range(2)]
        students = {n: rooms[n % 2] for n in range(STUDENTS)}
        acknowledged: dict[int, int] = {}
        kill_it = cache(lambda: kill(url))  # once
        begin(*(
            answers_until_the_end(url, code, n, acknowledged, kill_it)
            for n, code in students.items()
        )).result()  # fmt: skip
        assert acknowledged.keys() == set(students)
        for n, turn in acknowledged.items():
            text = store.answer_of(students[n], 1, 1, f"student-{n}")
            assert text is not None
            assert int(text) in (turn, turn + 1)  # the next one was kept, and not yet said
        restart(url)
        begun = monotonic()
        again = (joined_and_answered(url, c, n, [str(2_000 + n)]) for n, c in students.items())
        begin(*again).result()
        for code in rooms:
            expected = [str(2_000 + n) for n in students if students[n] == code]
            assert sorted(store.answers(code, 1, 1)) == expected
            room = store.room(code)
            assert room is not None
            assert room.joined == STUDENTS // 2
        guesses_are_slowed(url, rooms[0], begin, begun)


def guesses_are_slowed(url: str, code: str, begin: Begin, begun: float) -> None:
    """On a server where the sixty of an address have joined since then, who were all let in."""
    codes = map("".join, product("CD", "CDFGHJK", "CDFGHJKMNPQRTVW"))
    guesses = begin(*(said_to(url, "join", "CCC" + each) for each in codes)).result()
    looked = sum("There is no class" in said for said in guesses)
    slowed = sum("Too many codes" in said for said in guesses)
    assert looked + slowed == len(guesses)
    assert slowed
    most = int(LOOKS._most)  # and the looks at the class before one of them had found it
    passed = (monotonic() - begun) * LOOKS._each_second + 1
    assert most - STUDENTS <= looked <= most + passed
    right = begin(*(said_to(url, "join", code) for _ in range(20))).result()
    assert not any("Too many codes" in said for said in right), "who is in that class gets in"


async def said_to(url: str, page: str, code: str) -> str:
    """What a page says to who opens it with a code."""
    async with visiting(url, page, f"room={code}") as visitor:
        return " ".join(visitor.said)


async def came_back(url: str, code: str, number: int) -> str:
    """What a student sees whose browser begins a new visit."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, number)
        return " ".join(visitor.said)


def test_two_servers_share_the_rooms_of_one_file(
    server: str, store: Rooms, cold_server: ColdServer, begin: Begin
) -> None:
    urls = server, cold_server(ROOT, environment={VARIABLE: str(folder_of(server))})
    code, key = a_class(store, LINK, 0)
    texts = {n: str(1_000 + n) for n in range(STUDENTS if DEEP else 6)}
    asked = (joined_and_answered(urls[n % 2], code, n, ["1", text]) for n, text in texts.items())
    begin(*asked).result()
    assert store.answers(code, 1, 1) == sorted(texts.values())
    (seen,) = begin(came_back(urls[1], code, 0)).result()
    assert "Sent: 1000" in seen
    store.close_vote(code, key)
    for url in urls:
        (seen,) = begin(came_back(url, code, 1)).result()
        assert "The vote is closed" in seen


# Who reports ids again and again, from one connection or from fifty, locks no class out.

HOSTILE = 50
SOME = HOSTILE if DEEP else 10


async def reports_ids(url: str, code: str, name: str, ids: int) -> None:
    """A hostile connection: it reports ids, and votes under each as soon as it can."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        for n in range(ids):
            own = {"id": f"{name}-{n}", "visit": "any"}  # as a browser reports it in its first run
            await visitor.tell("student_of_browser", student=own)
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
    code, key = a_class(store, LINK, 0)
    page = open_page(f"join?room={code}", size=(390, 844))
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
        code, key = a_class(store, LINK, 0)
        # Places as of somebody who came again and again, some minutes ago.
        store._clock = lambda: time() - 600
        for n in range(MOST_STUDENTS - HOSTILE):
            store.join(code, f"gone-{n}")
        store._clock = time
        hostile = [reports_ids(url, code, f"evil-{n}", 3) for n in range(HOSTILE)]
        honest = [joins_and_answers(url, code, n) for n in range(STUDENTS)]
        in_turn = (one for pair in zip(honest, hostile, strict=False) for one in pair)
        begin(*in_turn, *honest[HOSTILE:]).result()
        expected = sorted([*map(str, range(STUDENTS)), *["666"] * HOSTILE])
        assert store.answers(code, 1, 1) == expected
        assert len(store.places(code, key)) <= MOST_STUDENTS
