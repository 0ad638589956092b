"""Long work of many visitors, in a queue: one part at a time, and who waits has a place.

Work is an iterator. Each `next` does a part of it and gives the seconds that the work then pauses.
A pause holds no place: whoever is next uses it. Who waits has no thread, and who leaves
need not say so: work that has not been watched for `SILENCE` seconds is out of the queue. If it is
watched again, it comes in at the end of the queue and goes on where it was.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Condition, Thread
from time import monotonic

SILENCE = 10.0
"""Seconds after which nobody watches any more: among thirty who wait, a look may take five."""
GRACE = 2.0
"""Seconds to wait for the part under way when work is stopped."""
_log = logging.getLogger(__name__)


class Queue:
    """Works in the order in which they came. One thread does them all, and ends with the last."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._changed = Condition()
        self._works: list[Work] = []
        self._serving = False

    def enter(self, parts: Iterator[float], halt: Callable[[], None] = lambda: None) -> "Work":
        """Return new work at the end of the queue. `halt` ends the part under way early."""
        work = Work(self, parts, halt)
        self.watch(work)
        return work

    def watch(self, work: "Work") -> None:
        """Keep the work in the queue, because somebody looks at it."""
        with self._changed:
            if work.over:
                return
            self._drop_unwatched()
            work.watched = self._clock()
            if work not in self._works:
                self._works.append(work)
                work.waits = True
            if not self._serving:
                with suppress(RuntimeError):  # no thread is left: the next look tries again
                    Thread(target=self._serve, name="queue", daemon=True).start()
                    self._serving = True
            self._changed.notify_all()

    def leave(self, work: "Work") -> None:
        """Take the work out of the queue until somebody watches it again."""
        with self._changed:
            work.watched = float("-inf")
            self._changed.notify_all()

    def stop(self, work: "Work") -> None:
        """End the work for good, and wait a moment for the part under way."""
        with self._changed:
            if work.over:
                return
            work.over = True
            self._changed.notify_all()
        work.halt()
        with self._changed:
            self._changed.wait_for(lambda: not work.busy, GRACE)
        work.parts = iter(())

    def place(self, work: "Work") -> int:
        """Return the place of the work among all that wait for their turn: 1 is next, 0 has it."""
        with self._changed:
            self._drop_unwatched()
            if work.over or not work.waits:
                return 0
            waiting = [each for each in self._works if each.waits]
            return 1 + (waiting.index(work) if work in waiting else len(waiting))

    def _drop_unwatched(self) -> None:
        """Forget what nobody waits for. Work under way stays until its part is done."""
        since = self._clock() - SILENCE
        self._works = [
            work for work in self._works if work.busy or (not work.over and work.watched >= since)
        ]

    def _serve(self) -> None:
        while (work := self._next_work()) is not None:
            pause = None
            try:
                pause = next(work.parts, None)
            except BaseException:  # a library may panic, and the others wait
                _log.exception("Long work failed")
                work.failed = True
            with self._changed:
                work.busy = False
                work.over = work.over or pause is None
                work.due = self._clock() + (pause or 0)
                self._changed.notify_all()

    def _next_work(self) -> "Work | None":
        """Wait for the first work that does not pause; None once nobody waits for anything."""
        with self._changed:
            while True:
                self._drop_unwatched()
                now = self._clock()
                for work in self._works:
                    if work.due <= now:
                        work.begun = work.busy = True
                        work.waits = False
                        return work
                if not self._works:
                    self._serving = False
                    self._changed.notify_all()
                    return None
                self._changed.wait(min(SILENCE, *(work.due - now for work in self._works)))


class Work:
    """One visitor's long work: it waits, is under way, or is over."""

    def __init__(self, queue: Queue, parts: Iterator[float], halt: Callable[[], None]) -> None:
        self.queue, self.parts, self.halt = queue, parts, halt
        self.begun = self.waits = self.busy = self.over = self.failed = False
        self.watched = self.due = float("-inf")

    @property
    def place(self) -> int:
        return self.queue.place(self)

    def watch(self) -> None:
        self.queue.watch(self)

    def leave(self) -> None:
        self.queue.leave(self)

    def stop(self) -> None:
        self.queue.stop(self)
