"""How often one address may try something: at once, and then one by one.

A class comes in at once. After that a network gets one place a second, and who waits is in a line:
who comes again and again, each time as somebody else, begins at its end each time.
"""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Lock
from time import monotonic

MOST_ADDRESSES = 10_000
"""Addresses that are kept in mind; after that the one that tried longest ago is forgotten."""

PATIENCE = 15.0
"""Seconds after which who has not asked again is out of the line."""


class Rate:
    """A bucket of tries for each address: `at_once` in a full one, `each_second` come back."""

    def __init__(
        self, at_once: int, each_second: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._most, self._each_second, self._clock = float(at_once), each_second, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Of each address, the tries that were left and when; who tried last is last."""
        self._turn = Lock()

    def allows(self, address: str | None) -> bool:
        """Take one try of the address, and return whether it had one.

        Without an address (this machine's own) all share one bucket.
        """
        who = network(address)
        with self._turn:
            left = self._left(who)
            self._buckets[who] = (left - (left >= 1), self._clock())
            self._buckets.move_to_end(who)
            if len(self._buckets) > MOST_ADDRESSES:
                self._buckets.popitem(last=False)
        return left >= 1

    def left(self, address: str | None) -> int:
        """Return how many tries the address has now."""
        with self._turn:
            return int(self._left(network(address)))

    def _left(self, who: str) -> float:
        now = self._clock()
        left, since = self._buckets.get(who, (self._most, now))
        return min(self._most, left + (now - since) * self._each_second)


class Found:
    """The codes that each address has found: to look at one of them again is no guess."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._turn = Lock()

    def add(self, address: str | None, code: str) -> None:
        """Keep in mind that the address knows the code of a room."""
        with self._turn:
            self._found[network(address), code] = None
            self._found.move_to_end((network(address), code))
            if len(self._found) > MOST_ADDRESSES:
                self._found.popitem(last=False)

    def has(self, address: str | None, code: str) -> bool:
        """Whether the address knows the code."""
        with self._turn:
            return (network(address), code) in self._found


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


def network(address: str | None) -> str:
    """An address of IPv4 as it is; of IPv6 its network, because one machine has all of it."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or ""
    if isinstance(parsed, IPv6Address) and not parsed.ipv4_mapped:
        return str(IPv6Network((int(parsed), 64), strict=False))
    return str(parsed)


LOOKS = Rate(at_once=120, each_second=1)
"""Looks at a code, by a page's first run: sixty phones of one school pass, guessing is slow."""
FOUND = Found()
"""So one student who guesses, or loads the page again and again, locks nobody of a school out."""
NEW_PLACES = Rate(at_once=120, each_second=1)
"""Places that are taken in a room: a class is in at once, also two pages for each student."""
DOOR = Door(NEW_PLACES)
NEW_ROOMS = Rate(at_once=30, each_second=1 / 60)
"""Rooms that are made."""
