"""How often one address may try something: at once, and then one by one."""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Lock
from time import monotonic

MOST_ADDRESSES = 10_000
"""Addresses that are kept in mind; after that the one that tried longest ago is forgotten."""


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
        who, now = _network(address or ""), self._clock()
        with self._turn:
            left, since = self._buckets.pop(who, (self._most, now))
            left = min(self._most, left + (now - since) * self._each_second)
            allowed = left >= 1
            self._buckets[who] = (left - allowed, now)
            if len(self._buckets) > MOST_ADDRESSES:
                self._buckets.popitem(last=False)
        return allowed


def _network(address: str) -> str:
    """An address of IPv4 as it is; of IPv6 its network, because one machine has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and not parsed.ipv4_mapped:
        return str(IPv6Network((int(parsed), 64), strict=False))
    return str(parsed)


LOOKS = Rate(at_once=120, each_second=1)
"""Looks at a code, by a page's first run: sixty phones of one school pass, guessing is slow."""
NEW_ROOMS = Rate(at_once=30, each_second=1 / 60)
"""Rooms that are made."""
