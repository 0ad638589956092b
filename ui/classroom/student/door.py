"""The door of a room: who takes a new place there, counted for each network.

A class comes in at once. After that a network gets one place a second, and who waits is in a line:
who comes again and again, each time as somebody else, begins at its end each time.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from ui.classroom.store.rates import NEW_PLACES, Rate, network

PATIENCE = 15.0
"""Seconds after which who has not asked again is out of the line."""


class Door:
    """Lets students into rooms at a rate; those of one network and room in the order of coming."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._lines: dict[str, dict[str, float]] = {}
        """Of each room and network who waits, in the order of coming, and when each asked last."""
        self._turn = Lock()

    def lets_in(self, code: str, address: str | None, student: str) -> bool:
        """Whether a student may take a place now. Who may not asks again, and keeps the turn."""
        of, now = f"{code} {network(address)}", self._clock()
        with self._turn:
            there = {one: _there(line, now) for one, line in self._lines.items()}
            self._lines = {one: line for one, line in there.items() if line}
            line = self._lines.setdefault(of, {})
            line[student] = now
            is_next = list(line).index(student) < self._rate.left(of)
            if is_next:
                self._rate.allows(of)
                del line[student]
        return is_next


def _there(line: dict[str, float], now: float) -> dict[str, float]:
    """Those of a line who have asked of late."""
    return {student: asked for student, asked in line.items() if now - asked <= PATIENCE}


DOOR = Door(NEW_PLACES)
"""The one of this server."""
