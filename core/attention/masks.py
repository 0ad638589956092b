"""Masks: which key positions j a query position i may see. True = visible, everywhere.

A rule knows positions only, never values: its boolean mask, its line of numpy, and in words why a
cell is visible or not. Positions count from 0 here and from 1 in words.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool

KINDS = ("causal", "none", "window", "prefix", "custom")
"""The masks of the attention program."""
GALLERY = ("causal", "window", "dilated", "prefix", "blocks", "global", "none")
"""Every rule, for the chapter on masks."""
UPPER_LEFT, LOWER_RIGHT = "upper-left", "lower-right"
CORNERS = (UPPER_LEFT, LOWER_RIGHT)
"""Where the triangle of a mask lies that is no square: it begins or ends in that corner."""


@dataclass(frozen=True)
class Rule:
    """A mask by rule.

    `causal` j ≤ i; `window` also i − j < size; `dilated` also i − j a multiple of size; `blocks`
    also i // size = j // size, as for texts packed into one row; `global` also i − j < 2 or
    j < size; `prefix` j ≤ i or j < size; `none` every j. The first query stands at position
    `offset`: those before it have been asked already, and their keys are kept. With fewer queries
    than keys, `corner` says which tokens the queries are: the first ones (upper left) or the last
    ones (lower right), as with a cache.
    """

    name: str
    size: int = 0
    offset: int = 0
    corner: str = UPPER_LEFT

    def at(self, T: int, S: int) -> "Rule":
        """The rule for T queries and S keys: its first query stands at a position."""
        return replace(self, offset=self.offset + self.shift(T, S), corner=UPPER_LEFT)

    def shift(self, T: int, S: int) -> int:
        """How far the corner moves the first of T queries along S keys."""
        return max(S - T, 0) if self.corner == LOWER_RIGHT else 0

    def counted(self, T: int, S: int) -> str:
        """Which tokens the queries are taken for, where they are fewer than the keys."""
        if not self.by_position or self.offset or T >= S:
            return ""
        first = self.shift(T, S) + 1
        if T == 1:
            return f"the query counts as token {first} of {S}"
        return f"the queries count as tokens {first} to {first + T - 1} of {S}"

    def mask(self, T: int, S: int) -> Bool[np.ndarray, "T S"]:
        first = self.at(T, S).offset
        i, j = np.arange(first, first + T)[:, None], np.arange(S)[None]
        mask: np.ndarray = self._of_causal(j <= i, i, j)
        return mask

    def _of_causal(self, causal: Any, i: Any, j: Any) -> Any:
        if self.name == "none":
            return causal | True
        if self.name == "window":
            return causal & (i - j < self.size)
        if self.name == "dilated":
            return causal & ((i - j) % self.size == 0)
        if self.name == "blocks":
            return causal & (i // self.size == j // self.size)
        if self.name == "global":
            return causal & ((i - j < 2) | (j < self.size))
        if self.name == "prefix":
            return causal | (j < self.size)
        return causal

    @property
    def by_position(self) -> bool:
        """Whether the rule compares the positions of queries and keys."""
        return self.name not in ("none", "custom")

    def code(self, T: int, S: int) -> str:
        """Its line of numpy."""
        return self.at(T, S)._spelled(_NUMPY, T, S)

    def torch_code(self, T: int, S: int) -> str:
        """Its line of PyTorch."""
        return self.at(T, S)._spelled(_TORCH, T, S)

    def _spelled(self, words: "_Words", T: int, S: int) -> str:
        if self.name == "none":
            return words.ones.format(T=T, S=S)
        causal = words.triangle(T, S, self.offset)
        if self.name == "window":
            return f"{causal} & ~{words.triangle(T, S, self.offset - self.size)}"
        positions = f"{self.offset}, {self.offset + T}" if self.offset else f"{T}"
        i, j = f"{words.arange}({positions})[:, None]", f"{words.arange}({S})"
        if self.name == "prefix":
            return f"{causal} | ({j} < {self.size})"
        if self.name == "dilated":
            return f"{causal} & (({i} - {j}) % {self.size} == 0)"
        if self.name == "blocks":
            return f"{causal} & ({i} // {self.size} == {j} // {self.size})"
        if self.name == "global":
            return f"{causal} & (({i} - {j} < 2) | ({j} < {self.size}))"
        return causal

    @property
    def sees(self) -> str:
        """What a token may read under this rule, as a sentence without its full stop."""
        first = "the first token" if self.size == 1 else f"the first {self.size} tokens"
        given = "This mask is given cell by cell: 1 where a query may see a key"
        said = {
            "causal": "Each token may read itself and those before it",
            "none": "Each token may read every token",
            "window": f"Of itself and those before it, each token may read the last {self.size}"
            if self.size > 1 else "Each token may read itself alone",
            "prefix": f"Each token may read itself, those before it, and {first} in any case",
            "dilated": "Each token may read itself and those before it at distances of a multiple "
            f"of {self.size}",
            "blocks": f"The text is cut into blocks of {self.size}: each token may read itself and "
            "those before it in its own block",
            "global": "Each token may read itself, the one before it, and "
            + (first if self.size == 1 else f"of {first} those that do not come later"),
        }  # fmt: skip
        return said.get(self.name, given)

    def reason(self, i: int, j: int) -> str:
        """Why key j is visible to query i or not, as the end of a sentence."""
        return self._reason(i + self.offset, j)

    def _reason(self, i: int, j: int) -> str:
        if self.name == "none":
            return "nothing is hidden: every query may see every key"
        if self.name == "window" and j <= i:
            relation = "within" if i - j < self.size else "beyond"
            return f"key {j + 1} is {i - j} back, {relation} the window of {self.size}"
        if self.name == "prefix" and j > i:
            relation = "is" if j < self.size else "is not"
            return f"key {j + 1} {relation} in the prefix of {self.size}"
        if j <= i and self.name in ("dilated", "blocks", "global"):
            return self._reason_within(i, j)
        if j > i:
            return f"key {j + 1} comes after query {i + 1}: it is in the future"
        return f"key {j + 1} does not come after query {i + 1}"

    def _reason_within(self, i: int, j: int) -> str:
        key = f"key {j + 1}"
        if self.name == "dilated":
            relation = "a multiple" if (i - j) % self.size == 0 else "no multiple"
            return f"{key} is {i - j} back, {relation} of {self.size}"
        if self.name == "blocks":
            same = i // self.size == j // self.size
            return f"{key} is in {'the same' if same else 'another'} block of {self.size}"
        if j < self.size:
            counted = "the first" if self.size == 1 else f"one of the first {self.size}"
            return f"{key} is {counted}, which every later query may see too"
        return f"{key} is {i - j} back, {'within' if i - j < 2 else 'beyond'} the short window"


@dataclass(frozen=True)
class _Words:
    """How numpy or PyTorch spells what masks are made of."""

    ones: str
    triangle: Callable[[int, int, int], str]
    """Ones up to a diagonal."""
    arange: str


def _tri(T: int, S: int, diagonal: int) -> str:
    return (
        f"np.tri({T}, {S}, {diagonal}, dtype=bool)" if diagonal else f"np.tri({T}, {S}, dtype=bool)"
    )


def _tril(T: int, S: int, diagonal: int) -> str:
    return f"torch.ones({T}, {S}, dtype=torch.bool).tril({diagonal or ''})"


_NUMPY = _Words("np.ones(({T}, {S}), dtype=bool)", _tri, "np.arange")
_TORCH = _Words("torch.ones({T}, {S}, dtype=torch.bool)", _tril, "torch.arange")
