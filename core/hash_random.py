"""Numbers drawn from a hash (SHAKE-256) of a text: the same on every machine, in every version."""

from collections.abc import Sequence
from hashlib import shake_256
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draw:
    """Draws from one text, its key; the same key gives the same draws."""

    def __init__(self, key: str) -> None:
        self._key, self._count = key, 0

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        self._count += 1
        drawn = _hashed(f"{self._key}:{self._count}", 8)
        return low + int.from_bytes(drawn, "little") % (high - low + 1)

    def wholes(self, low: int, high: int, count: int) -> list[int]:
        return [self.whole(low, high) for _ in range(count)]

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[self.whole(0, len(choices) - 1)]

    def some_of(self, choices: Sequence[T], count: int) -> list[T]:
        """`count` different ones, in the order they were drawn."""
        left = list(choices)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(count)]

    def around_zero(self, largest: int, count: int) -> np.ndarray:
        """`count` whole numbers from −largest to largest, read off the hash of the key itself.

        All at once, and each the same however many are asked for.
        """
        fractions = np.frombuffer(_hashed(self._key, 4 * count), dtype="<u4") / 2.0**32
        return np.floor(fractions * (2 * largest + 1)) - largest


def _hashed(text: str, size: int) -> bytes:
    return shake_256(text.encode("utf-8", "surrogatepass")).digest(size)
