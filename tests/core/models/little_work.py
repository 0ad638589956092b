"""How much work something is, in counts that no busy machine changes: memory, and calls.

benchmarks/ holds times. What is counted here is what makes them long: bytes that are read or built,
and steps of a loop over what a file declares.
"""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from core.errors import InputError
from tests.core.support import refuses

MOST_BYTES = 32_000_000
"""Memory at one time: room for 24 MB of a tokenizer.json is taken at once."""
MOST_REFUSED = 6_000_000
"""Memory for a recording that is refused: its header may have 4 MB."""
MOST_CALLS = 2_000_000
"""Calls of functions, Python's own too: three for each of the 600,000 texts of a GGUF file."""


@dataclass
class Work:
    """The most memory at one time, in bytes, and the number of calls."""

    memory: int = 0
    calls: int = 0


@contextmanager
def counted_work() -> Iterator[Work]:
    """Count the work of the block; the counts are there when it ends."""
    work, before = Work(), sys.getprofile()

    def count(frame: FrameType, event: str, arg: Any) -> None:
        work.calls += event in ("call", "c_call")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        yield work
    finally:
        sys.setprofile(before)
        _, work.memory = tracemalloc.get_traced_memory()
        tracemalloc.stop()


@contextmanager
def little_work(most_bytes: int = MOST_BYTES) -> Iterator[None]:
    """Assert that the block takes at most so much memory, and few calls."""
    with counted_work() as work:
        yield
    assert work.memory <= most_bytes
    assert work.calls <= MOST_CALLS


def check_message(error: InputError) -> None:
    """It can be shown, in full."""
    assert all((error.value, error.limit, error.remedy))
    assert str(error).encode().decode().isprintable()
    assert len(str(error)) < 400


def refused(act: Callable[[], object], said: str = "", most_bytes: int = MOST_BYTES) -> InputError:
    """Assert that it is refused with little work, in words that a pattern is found in."""
    with little_work(most_bytes):
        error = refuses(said, act)
    check_message(error)
    return error
