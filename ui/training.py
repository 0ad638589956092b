"""Vectors that are learned beside the page: a thread trains, the page looks at what there is."""

from threading import BoundedSemaphore, Event, Thread

from core.pytorch.word2vec import train, untrained

_slots = BoundedSemaphore(2)
"""So many learn at a time on one server; others wait for their turn."""
PATIENCE = 1.0
"""Seconds to wait for a step to end."""


class Training:
    """One training, under way or ended: after its steps, or when it is stopped.

    It waits `pace` seconds after each step, so that a person can watch.
    """

    def __init__(self, kind: str, window: int, seed: int, steps: int, pace: float = 0.0) -> None:
        self.asked = (kind, window, seed)
        self.steps = steps
        self.pace = pace
        self.now = untrained(seed)
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it after the step under way, and wait a moment for that."""
        self._stop.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        with _slots:
            for learned in train(*self.asked, self.steps):
                self.now = learned
                if self._stop.wait(self.pace):
                    break
