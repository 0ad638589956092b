"""Short runs of the server's visitors take turns.

Of two runs at once, Python's lock lets now one go on and now the other, and both end when the later
one would by itself. One after the other, the first ends in half that time and the second no later.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from time import monotonic

LONGEST = 0.1
"""The seconds after which a run is no short one: others no longer wait for it."""

_turn = RLock()
_begun = 0.0


@contextmanager
def run_lock() -> Iterator[None]:
    """Wait for the run that has the turn, if it is a short one, and then have the turn."""
    global _begun
    mine = _turn.acquire(timeout=max(0.0, _begun + LONGEST - monotonic()))
    if mine:
        _begun = monotonic()
    try:
        yield
    finally:
        if mine:
            _turn.release()
