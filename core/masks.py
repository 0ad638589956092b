"""Masks: which key positions j a query position i may see. True = visible, everywhere.

A rule knows positions only, never values: its boolean mask, its line of numpy, and in words why a
cell is visible or not. Positions count from 0 here and from 1 in words.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

KINDS = ("causal", "none", "window", "prefix", "custom")


@dataclass(frozen=True)
class Rule:
    """A mask by rule: `causal` j ≤ i, `window` also i − j < size, `prefix` j ≤ i or j < size."""

    name: str
    size: int = 0

    def mask(self, T: int, S: int) -> Bool[np.ndarray, "T S"]:
        i, j = np.ogrid[:T, :S]
        if self.name == "none":
            return np.ones((T, S), dtype=bool)
        causal = j <= i
        if self.name == "window":
            return causal & (i - j < self.size)
        if self.name == "prefix":
            return causal | (j < self.size)
        return causal

    def code(self, T: int, S: int) -> str:
        if self.name == "none":
            return f"np.ones(({T}, {S}), dtype=bool)"
        causal = f"np.tri({T}, {S}, dtype=bool)"
        if self.name == "window":
            return f"{causal} & ~np.tri({T}, {S}, -{self.size}, dtype=bool)"
        if self.name == "prefix":
            return f"{causal} | (np.arange({S}) < {self.size})"
        return causal

    def reason(self, i: int, j: int) -> str:
        """Why key j is visible to query i or not, as the end of a sentence."""
        if self.name == "none":
            return "nothing is hidden: every query may see every key"
        if self.name == "window" and j <= i:
            relation = "within" if i - j < self.size else "beyond"
            return f"key {j + 1} is {i - j} back, {relation} the window of {self.size}"
        if self.name == "prefix" and j > i:
            relation = "is" if j < self.size else "is not"
            return f"key {j + 1} {relation} in the prefix of {self.size}"
        if j > i:
            return f"key {j + 1} comes after query {i + 1}: it is in the future"
        return f"key {j + 1} does not come after query {i + 1}"
