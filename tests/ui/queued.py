"""Long work of visitors in tests: a queue that stands still, and work that somebody watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from ui.queue import Queue, Work

PATIENCE = 60
"""Seconds."""


@contextmanager
def held_up(queue: Queue) -> Iterator[Event]:
    """Until the event is set, no work of the queue goes on."""
    free = Event()

    def parts() -> Iterator[float]:
        free.wait(PATIENCE)
        yield from ()

    queue.enter(parts())
    yield free
    free.set()


def watch_until(work: Work, until: Callable[[], object]) -> None:
    """Watch the work until that is so."""
    for _ in range(10 * PATIENCE):
        work.watch()
        with work.queue._changed:
            if work.queue._changed.wait_for(until, 0.1):
                return
    raise AssertionError("it did not come")
