"""Long work of visitors in tests: a queue that stands still, and work that somebody watches."""

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from ui.server.queue import Queue, Work

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
    raise AssertionError(f"it did not come\n{where_queues_are()}")


def where_queues_are() -> str:
    """What the thread of each queue of this process is doing."""
    frames = sys._current_frames()
    threads = [thread for thread in threading.enumerate() if thread.name == "queue"]
    stacks = [traceback.format_stack(frames[thread.ident]) for thread in threads if thread.ident]
    return "\n".join("".join(stack) for stack in stacks) or "no queue has a thread"
