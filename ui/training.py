"""Vectors that are learned beside the page: a queue trains, the page looks at what there is."""

from collections.abc import Iterator

from core.pytorch.word2vec import train, untrained
from ui.queue import Queue

LEARNING = Queue()
"""Everybody's trainings: while one pauses, the others make their steps."""


class Training:
    """One training: waiting, under way or over, after its steps or when it is stopped.

    It pauses for `pace` seconds after each step, so that a person can watch.
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
        for learned in train(*self.asked, self.steps):
            self.now = learned
            yield self.pace
