"""How much memory visitors' runs take together, and giving it back once nobody looks at a run.

A page that is in front says now and then that it is there. A page that is left says nothing, and
neither does a tab that is closed: Streamlit keeps such a visitor's session for minutes.
"""

import gc
from collections.abc import Callable, Iterable
from threading import Condition, Thread
from time import monotonic
from typing import Protocol

import numpy as np

from core.errors import input_error
from core.models.memory import return_memory
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("models")

LEFT = 40.0
"""Seconds after which a run that nobody looks at is released."""
MOST_BYTES = 1_000_000_000
"""Of all visitors' runs together."""


class Releasable(Protocol):
    """A run with its results in memory."""

    is_released: bool
    bytes_under_way: int
    """Of arrays that are being computed."""

    def arrays(self) -> Iterable[np.ndarray]:
        """Return what it has in memory; several runs may have the same."""

    def release(self) -> None:
        """Give all of it up."""


class KeptRuns:
    """The runs that are in memory, and when somebody last looked at each of them."""

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        left: float = LEFT,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._clock, self._left, self._most_bytes = clock, left, most_bytes
        self._changed = Condition()
        self._looked_at: dict[Releasable, float] = {}
        self._watched = False

    @property
    def byte_count(self) -> int:
        """The bytes of all runs; what several have is counted once."""
        with self._changed:
            runs = list(self._looked_at)
        made = {id(one): one.nbytes for run in runs for one in run.arrays()}
        return sum(made.values()) + sum(run.bytes_under_way for run in runs)

    def look_at(self, run: Releasable) -> bool:
        """Keep a run in memory, because somebody looks at it. Return whether it still is there."""
        with self._changed:
            if run.is_released:
                return False
            self._looked_at[run] = self._clock()
            if not self._watched:
                self._watched = True
                Thread(target=self._release_left_runs, daemon=True).start()
            return True

    def forget(self, run: Releasable) -> None:
        """Leave a run to its visitor's next one, which counts what it takes over."""
        with self._changed:
            self._looked_at.pop(run, None)
            self._changed.notify_all()

    def check_room(self, needed: int) -> None:
        """Raise `InputError` if so many bytes more are too many for all runs together."""
        taken = self.byte_count
        if taken + needed > self._most_bytes:
            given, others, most = (
                f"{count / 1e6:,.0f} MB" for count in (needed, taken, self._most_bytes)
            )
            raise input_error(TEXTS, "no_run_room", needed=given, taken=others, most=most)

    def _release_left_runs(self) -> None:
        """Release each run once it is left, for as long as there are runs."""
        while self._released_some():
            gc.collect()  # drawing may have left cycles
            return_memory()

    def _released_some(self) -> bool:
        """Wait until some runs are left, and release them; False once there is no run."""
        with self._changed:
            while self._looked_at:
                since = self._clock() - self._left
                if left := [run for run, time in self._looked_at.items() if time <= since]:
                    for run in left:
                        del self._looked_at[run]
                        run.release()
                    return True
                self._changed.wait(min(self._looked_at.values()) - since)
            self._watched = False
            self._changed.notify_all()
            return False


KEPT_RUNS = KeptRuns()
"""The server's."""
