"""A class of sixty on one process: from a student's *Send* to the end of the server's answer.

Every student is a session over WebSocket on loopback that looks at its room every two seconds and
answers every three; at last all answer in one moment. Visitors of a page of three lines do the
same. Every answer must be in the room once.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.crowd import BARE, PAUSE, SENTENCE
from benchmarks.timing import Row
from benchmarks.visitor import Visitor, visiting
from tools.browser import ROOT, serving
from ui.classroom.store.rooms import FILE, VARIABLE, Rooms

STUDENTS = 60
LOOK = 2.0
"""Seconds between two looks of a phone at its room."""
WAVES, ROUNDS = 4, 3
"""How often a class comes, and the answers that each student sends before the last one."""
MOST = 8
"""How many times as long as on the page of three lines an answer may take."""
LINK = "softmax?question=softmax-ratio.3"


@dataclass
class Receipts:
    """The milliseconds that answers took: one by one, and all in one moment."""

    spread: list[float] = field(default_factory=list)
    at_once: list[float] = field(default_factory=list)

    def add(self, others: "Receipts") -> None:
        """Take in those of another wave."""
        self.spread += others.spread
        self.at_once += others.at_once


@dataclass(frozen=True)
class Part:
    """What one student does on a page: arrive, look whether something is new, and send a text."""

    page: str
    query: str
    arrive: Callable[[Visitor, int], Awaitable[object]]
    look: Callable[[Visitor], Awaitable[object]]
    prepare: Callable[[Visitor], Awaitable[object]]
    send: Callable[[Visitor, str], Awaitable[Sequence[bytes]]]


def rows(quick: bool) -> list[Row]:
    ours, bare = Receipts(), Receipts()
    for _ in range(1 if quick else WAVES):  # in turns, because others use the machine too
        ours.add(of_class(ROUNDS))
        bare.add(of_bare_page(ROUNDS))
    what = f"{STUDENTS} students, a look each {LOOK:g} s, an answer each {PAUSE:g} s: receipt, p95"
    at_once = f"{STUDENTS} students, all answers in one moment: receipt, p95"
    return [_row(what, ours.spread, bare.spread), _row(at_once, ours.at_once, bare.at_once)]


def _row(what: str, ours: list[float], bare: list[float]) -> Row:
    mine, theirs = _p95(ours), _p95(bare)
    return Row(what, mine, "three-line page", theirs, f"≤ {MOST}×", mine <= MOST * theirs)


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]


def of_class(rounds: int, students: int = STUDENTS) -> Receipts:
    """Return what answers took on the product's page; `RuntimeError` if one is not in the room."""
    with TemporaryDirectory() as folder, serving(ROOT / "app.py", **{VARIABLE: folder}) as url:
        store = Rooms(Path(folder) / FILE)
        code, key = store.create()
        store.ask(code, key, LINK)
        receipts = asyncio.run(everybody(url, student_part(code), students, rounds))
        expected = sorted(text_of(n, rounds) for n in range(students))
        kept = store.answers(code, 1, 1)
        store.close()
    if kept != expected:
        raise RuntimeError(f"of {students} answers the room has {len(kept)}: {kept}")
    return receipts


def of_bare_page(rounds: int) -> Receipts:
    """Return what answers took on the page of three lines."""
    with serving(BARE) as url:
        return asyncio.run(everybody(url, BARE_PART, STUDENTS, rounds))


def text_of(number: int, turn: int) -> str:
    """The answer of one student in one turn; no two are the same."""
    return str(1_000 * (number + 1) + turn)


async def everybody(url: str, part: Part, people: int, rounds: int) -> Receipts:
    """Let all arrive, send so many answers each, and then one more in one moment."""
    receipts, ready = Receipts(), asyncio.Barrier(people)
    await asyncio.gather(
        *(_somebody(url, part, n, people, rounds, receipts, ready) for n in range(people))
    )
    return receipts


async def _somebody(
    url: str, part: Part, number: int, people: int, rounds: int,
    receipts: Receipts, ready: asyncio.Barrier,
) -> None:  # fmt: skip
    draw = random.Random(number)
    await asyncio.sleep(number * PAUSE / people)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, number)
        busy = asyncio.Lock()
        looks = asyncio.create_task(_keep_looking(visitor, part, busy))
        for turn in range(rounds):
            await asyncio.sleep(PAUSE * draw.uniform(0.8, 1.2))
            await _send(visitor, part, busy, text_of(number, turn), receipts.spread)
        async with busy:
            await part.prepare(visitor)
        await ready.wait()
        await _send(visitor, part, busy, text_of(number, rounds), receipts.at_once, prepared=True)
        looks.cancel()
        with suppress(asyncio.CancelledError):
            await looks


async def _keep_looking(visitor: Visitor, part: Part, busy: asyncio.Lock) -> None:
    while True:
        await asyncio.sleep(LOOK)
        async with busy:
            await asyncio.shield(part.look(visitor))


async def _send(
    visitor: Visitor, part: Part, busy: asyncio.Lock, text: str, times: list[float],
    prepared: bool = False,
) -> None:  # fmt: skip
    if not prepared:
        async with busy:
            await part.prepare(visitor)
    start = time.perf_counter()
    async with busy:  # a look that is under way comes first, as in a browser
        answers = await part.send(visitor, text)
    times.append(1000 * (time.perf_counter() - start))
    if not any(text.encode() in answer for answer in answers):
        raise RuntimeError(f"the page did not answer with {text}, which was sent")


def student_part(code: str) -> Part:
    """What a student does on the page of a room."""
    return Part("join", f"room={code}", _say_who, _look, _change, _answer)


async def _say_who(visitor: Visitor, number: int) -> None:
    (data,) = visitor.data["student_of_browser"]
    said = {"id": f"student-{number}", "visit": data["visit"], "number": 1}
    await visitor.tell("student_of_browser", student=said)


async def _look(visitor: Visitor) -> None:
    await visitor.tell("room_news", look=time.time_ns() // 1_000_000)


async def _change(visitor: Visitor) -> None:
    if "Change" in visitor.drawn:
        await visitor.press("Change")


async def _answer(visitor: Visitor, text: str) -> list[bytes]:
    visitor.fill("Your answer", text)
    return await visitor.press("Send")


async def _rerun(visitor: Visitor, *_: object) -> None:
    await visitor.run()


async def _type(visitor: Visitor, text: str) -> list[bytes]:
    return await visitor.type(SENTENCE, text)


async def _nothing(*_: object) -> None: ...


BARE_PART = Part("", "", _nothing, _rerun, _rerun, _type)
"""The same on the page of three lines: a run for each look, and for what comes before an answer."""
