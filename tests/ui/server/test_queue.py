"""Long work of several visitors: turns, places, pauses, and every way to give a place up."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import examples
from tests.ui.classroom.support import Clock
from tests.ui.queued import watch_until
from ui.server.queue import SILENCE, Queue, Work

PATIENCE = 30
HOUR = 3600.0


@dataclass
class Gated:
    """Work of one part that says when it is under way, and ends when it is let."""

    begun: Event = field(default_factory=Event)
    go: Event = field(default_factory=Event)

    def parts(self) -> Iterator[float]:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        yield from ()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(clock: Clock) -> Iterator[Queue]:
    made = Queue(clock)
    yield made
    for work in made._works:
        made.stop(work)
    thread_ends(made)


def thread_ends(queue: Queue) -> None:
    with queue._changed:
        assert queue._changed.wait_for(lambda: not queue._serving, PATIENCE)


def is_over(work: Work) -> None:
    with work.queue._changed:
        assert work.queue._changed.wait_for(lambda: work.over and not work.busy, PATIENCE)


def under_way(queue: Queue) -> tuple[Gated, Work]:
    gated = Gated()
    work = queue.enter(gated.parts(), gated.go.set)
    assert gated.begun.wait(PATIENCE)
    return gated, work


def waiting(queue: Queue, count: int) -> list[Work]:
    return [queue.enter(iter([0.0])) for _ in range(count)]


def test_works_are_done_one_after_the_other_in_the_order_in_which_they_came(queue: Queue) -> None:
    done: list[int] = []
    second = Event()

    def parts(number: int) -> Iterator[float]:
        for _ in range(3):
            done.append(number)
            yield 0.0
        assert number or second.wait(PATIENCE)

    gated, first = under_way(queue)
    works = [queue.enter(parts(number)) for number in range(3)]
    assert [work.place for work in (first, *works)] == [0, 1, 2, 3]
    assert done == []
    gated.go.set()
    is_over(first)
    assert [work.place for work in works] == [0, 1, 2]
    second.set()
    for work in works:
        is_over(work)
    assert done == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_pause_holds_no_place(queue: Queue, clock: Clock) -> None:
    again = Event()

    def pauses() -> Iterator[float]:
        yield HOUR
        again.set()

    pausing = queue.enter(pauses())
    for work in waiting(queue, 5):
        is_over(work)
    assert not again.is_set(), "it pauses still"
    clock.now += HOUR
    pausing.watch()
    is_over(pausing)
    assert again.is_set()


def test_stop_ends_the_part_under_way_and_the_pause(queue: Queue) -> None:
    _, work = under_way(queue)
    (other,) = waiting(queue, 1)
    work.stop()
    assert work.over
    assert not work.busy
    is_over(other)
    begun, closed = Event(), Event()

    def pauses() -> Iterator[float]:
        try:
            begun.set()
            yield HOUR
        finally:
            closed.set()

    work = queue.enter(pauses())
    assert begun.wait(PATIENCE)
    work.stop()
    assert work.over
    del work
    assert closed.is_set(), "something of it is kept"


def test_who_is_not_heard_for_a_while_has_left(queue: Queue, clock: Clock) -> None:
    gated, first = under_way(queue)
    gone, there = waiting(queue, 2)
    clock.now += SILENCE
    there.watch()
    assert there.place == 2, "it may be late"
    clock.now += SILENCE / 2
    there.watch()
    assert there.place == 1
    gated.go.set()
    is_over(there)
    assert not gone.begun
    assert first.over


def test_work_that_was_left_goes_on_where_it_was(queue: Queue, clock: Clock) -> None:
    done: list[int] = []
    second = Event()

    def parts() -> Iterator[float]:
        done.append(1)
        yield HOUR
        done.append(2)
        second.set()

    work = queue.enter(parts())
    for other in waiting(queue, 1):
        is_over(other)
    work.leave()
    clock.now += 2 * HOUR
    thread_ends(queue)
    assert done == [1]
    work.watch()
    assert second.wait(PATIENCE)
    assert done == [1, 2]


def test_work_that_comes_back_waits_for_its_place_as_others_do(queue: Queue, clock: Clock) -> None:
    def parts() -> Iterator[float]:
        yield HOUR
        yield 0.0

    back = queue.enter(parts())
    for other in waiting(queue, 1):
        is_over(other)
    back.leave()
    clock.now += 2 * HOUR
    gated, _ = under_way(queue)
    before, *_ = waiting(queue, 1)
    back.watch()
    after, *_ = waiting(queue, 1)
    assert [work.place for work in (before, back, after)] == [1, 2, 3]
    gated.go.set()
    for work in (before, back, after):
        is_over(work)


def test_many_short_visits_leave_no_threads_behind(queue: Queue) -> None:
    before = threading.active_count()
    gated, _ = under_way(queue)
    for work in waiting(queue, 40):
        assert work.place == 1
        work.leave()
    assert threading.active_count() - before == 1
    gated.go.set()
    thread_ends(queue)
    assert queue._works == []


@pytest.mark.parametrize("error", [MemoryError, SystemExit, KeyboardInterrupt, BaseException])
@pytest.mark.parametrize("parts", [0, 1])
def test_work_that_fails_ends_nobody_elses(
    queue: Queue, error: type[BaseException], parts: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A library's panic is no `Exception`."""

    def fails() -> Iterator[float]:
        yield from [0.0] * parts
        raise error("a panic")

    failing = queue.enter(fails())
    others = waiting(queue, 3)
    for work in (failing, *others):
        is_over(work)
    assert [work.failed for work in (failing, *others)] == [True, False, False, False]
    assert "a panic" in caplog.text


def test_without_a_thread_left_they_wait(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", none)
        first, second = waiting(queue, 2)
        assert (first.place, second.place) == (1, 2)
    second.watch()
    is_over(first)
    is_over(second)


@examples(6)
@given(st.randoms(use_true_random=False))
def test_places_of_sixty_are_those_of_a_line_and_who_stays_is_served(random: Random) -> None:
    queue = Queue()
    served: list[int] = []

    def parts(number: int, kind: int) -> Iterator[float]:
        if kind == 0:
            raise ValueError("fails")
        yield 0.0
        if kind == 1:
            raise SystemExit
        yield 0.001
        served.append(number)

    gated, _ = under_way(queue)
    kinds = [random.randrange(6) for _ in range(60)]
    works = [queue.enter(parts(n, kind)) for n, kind in enumerate(kinds)]
    there = set(range(60))
    for _ in range(200):
        n = random.randrange(60)
        act = random.choice(("leave", "watch", "stop") if n % 5 == 0 else ("leave", "watch"))
        getattr(works[n], act)()
        back = act == "watch" and not works[n].over
        assert not back or n in there or works[n].place == len(there) + 1, "not at the end"
        there = there | {n} if back else there - {n}
        assert sorted(works[n].place for n in there) == list(range(1, len(there) + 1))
    gated.go.set()
    for n in there:
        watch_until(works[n], lambda n=n: works[n].over)  # type: ignore[misc]
    assert {n for n in there if kinds[n] > 1} <= set(served)
    thread_ends(queue)
