"""Masks: which key positions j a query position i may see. True = visible, everywhere.

A rule knows positions only, never values: its boolean mask, its line of numpy, and in words why a
cell is visible or not. Positions count from 0 here and from 1 in words.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool

from core.texts import core_texts

TEXTS = core_texts("masks")
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
            return TEXTS("one_query_counts", first=first, keys=S)
        return TEXTS("queries_count", first=first, last=first + T - 1, keys=S)

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
        return TEXTS("sees", name=self.name, size=self.size)

    def reason(self, i: int, j: int) -> str:
        """Why key j is visible to query i or not, as the end of a sentence."""
        return self._reason(i + self.offset, j)

    def _reason(self, i: int, j: int) -> str:
        key, size = j + 1, self.size
        if self.name == "none":
            return TEXTS("all_visible")
        if self.name == "prefix" and j > i:
            return TEXTS("in_prefix", key=key, visible=j < size, size=size)
        if self.name not in ("window", "dilated", "blocks", "global") or j > i:
            return TEXTS("future" if j > i else "past", key=key, query=i + 1)
        return self._reason_within(i, j)

    def _reason_within(self, i: int, j: int) -> str:
        """The same of a key that does not come after the query, under a rule that hides some."""
        key, size, back = j + 1, self.size, i - j
        if self.name == "window":
            return TEXTS("in_window", key=key, back=back, visible=back < size, size=size)
        if self.name == "dilated":
            return TEXTS("multiple", key=key, back=back, visible=back % size == 0, size=size)
        if self.name == "blocks":
            return TEXTS("block", key=key, visible=i // size == j // size, size=size)
        if j < size:
            return TEXTS("first_tokens", key=key, size=size)
        return TEXTS("short_window", key=key, back=back, visible=back < 2)


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
