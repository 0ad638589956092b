"""What softmax notices of its numbers: differences, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.operations.softmax import softmax

HOTTEST, COLDEST = 10.0, 0.1
"""The ends of the curve's temperatures."""
CURVE: Float[np.ndarray, "points"] = np.geomspace(COLDEST, HOTTEST, 61)


_weights = softmax().forward
"""Softmax along the last axis, as the walkthrough computes it."""


@dataclass(frozen=True)
class Logits:
    """The weights of a row of logits, of the row with c added, and of the row times c."""

    plain: Float[np.ndarray, "keys"]
    added: Float[np.ndarray, "keys"]
    multiplied: Float[np.ndarray, "keys"]

    @property
    def moved_by_adding(self) -> float:
        """By how much a weight changes at most when c is added; float noise below 1e-9 is 0."""
        return _largest_gap(self.added, self.plain)

    @property
    def moved_by_multiplying(self) -> float:
        """By how much a weight changes at most when c multiplies."""
        return _largest_gap(self.multiplied, self.plain)


def logits(row: Sequence[int | float], add: int | float, times: int | float) -> Logits:
    """softmax(s + c) = softmax(s), since e^c cancels; softmax(c·s) is another (T: softmax)."""
    scores = np.array(row, dtype=np.float64)
    return Logits(_weights(scores), _weights(scores + add), _weights(scores * times))


def by_temperature(row: Sequence[int | float]) -> Float[np.ndarray, "points keys"]:
    """softmax(s / T) at each temperature of `CURVE`."""
    return _weights(np.array(row, dtype=np.float64) / CURVE[:, None])


def leaders(row: Sequence[int | float]) -> int:
    """How many logits are the largest."""
    return sum(one == max(row) for one in row)


def temperature_of_base(base: float) -> float:
    """1 / log b: at this temperature e^(x / T) is b^x, for b > 1."""
    return float(1 / np.log(base))


def _largest_gap(one: Float[np.ndarray, "keys"], other: Float[np.ndarray, "keys"]) -> float:
    gap = float(np.abs(one - other).max())
    return gap if gap > 1e-9 else 0.0
