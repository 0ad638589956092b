"""Vectors that are learned beside the page: a queue trains, the page looks at what there is."""

from collections.abc import Iterator
from itertools import islice

from core.pytorch.word2vec import train, untrained
from ui.server.queue import Queue
from ui.server.run_lock import run_lock

LEARNING = Queue()
"""Everybody's trainings: while one pauses, the others make their steps."""
AT_ONCE = 20
"""Steps of a part: some milliseconds, in one turn. Beside a page's run each step would take 10."""


class Training:
    """One training: waiting, under way or over, after its steps or when it is stopped.

    It pauses for `pace` seconds a step, so that a person can watch.
    """

    def __init__(self, kind: str, window: int, seed: int, steps: int, pace: float = 0.0) -> None:
        self.asked = (kind, window, seed)
        self.steps = steps
        self.pace = pace
        self.now = untrained(seed)
        self.work = LEARNING.enter(self._parts())

    @property
    def running(self) -> bool:
        return not self.work.over

    def _parts(self) -> Iterator[float]:
        learning = train(*self.asked, self.steps)
        while self.now.step < self.steps:
            with run_lock():
                *_, self.now = islice(learning, AT_ONCE)
            yield AT_ONCE * self.pace
