"""Sixty students in real sockets: each answer counts once, in its own room, also over a restart."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import product
from time import monotonic
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from benchmarks.classroom import LINK, STUDENTS, student_part
from benchmarks.visitor import visiting
from tests.browser.conftest import ROOT, ColdServer, folder_of, kill, restart, rooms_of
from tests.sampling import DEEP
from ui.classroom.data_folder import VARIABLE
from ui.classroom.rates import LOOKS
from ui.classroom.rooms import Rooms

Begin = Callable[..., Future[list[Any]]]


def opened(store: Rooms) -> tuple[str, str]:
    code, key = store.create()
    store.ask(code, key, LINK)
    return code, key


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
        rooms = [opened(store)[0] for _ in range(2)]
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
        begin(*(
            joined_and_answered(url, code, n, [str(2_000 + n)]) for n, code in students.items()
        )).result()  # fmt: skip
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
    code, key = opened(store)
    texts = {n: str(1_000 + n) for n in range(STUDENTS if DEEP else 6)}
    begin(*(
        joined_and_answered(urls[n % 2], code, n, ["1", text]) for n, text in texts.items()
    )).result()  # fmt: skip
    assert store.answers(code, 1, 1) == sorted(texts.values())
    (seen,) = begin(came_back(urls[1], code, 0)).result()
    assert "Sent: 1000" in seen
    store.close_vote(code, key)
    for url in urls:
        (seen,) = begin(came_back(url, code, 1)).result()
        assert "The vote is closed" in seen
