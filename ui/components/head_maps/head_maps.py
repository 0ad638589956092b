"""The weights of all heads of any run, and what of them goes to the browser when.

If they are few they travel whole. Otherwise each small map travels reduced, and the large one by
itself once its head is chosen. Scripts unpack them (weight_canvas.js).
"""

import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from math import ceil, isqrt
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt8, UInt16

from core.models.captures import CapturedRun
from core.models.head_places import Place
from core.models.head_search import weights_of_all_heads
from stage.hosts.assets import compact
from stage.hosts.component import palette
from ui.components.component import THEME
from ui.page_texts import ui_texts
from ui.text import Markdown

PackedMap = dict[str, Any]
BlockSize = tuple[int, int]
"""How many queries and keys one point of a map stands for."""
EACH: BlockSize = (1, 1)
FINE, COARSE = 65_535, 255
"""A weight of 1 in two bytes, as a large map has it, and in one."""
_QUICKLY = 1
"""Of zlib's levels: the next ones take six times as long for a tenth less."""


def packed_weights(weights: Float[np.ndarray, "*heads T S"], causal: bool) -> PackedMap:
    """Return weights from 0 to 1 in two bytes each; each is off by at most 1/131,070.

    The cells above the diagonal of a causal map are drawn as hidden.
    """
    levels = np.rint(weights * np.float64(FINE)).clip(0, FINE).astype("<u2")
    return _packed(levels, FINE, EACH, weights.shape[-2], causal)


def packed_blocks(
    largest: Float[np.ndarray, "*heads R C"], block: BlockSize, queries: int, causal: bool
) -> PackedMap:
    """Return what `largest_of_blocks` found in one byte each; each is off by at most 1/510.

    `queries` is how many queries the map has in all.
    """
    levels = np.rint(largest * np.float64(COARSE)).clip(0, COARSE).astype("u1")
    return _packed(levels, COARSE, block, queries, causal)


def packed_cells(cells: Bool[np.ndarray, "T S"]) -> PackedMap:
    """Return which cells are meant, in one byte each."""
    return _packed(cells.astype("u1"), 1, EACH, len(cells), False)


def largest_of_blocks(
    weights: Float[np.ndarray, "H T S"], block: BlockSize
) -> Float[np.ndarray, "H R C"]:
    """Return for each block of T × S the largest part, from 0 to 1, that a weight of it is of the
    largest weight in its row. The last blocks may be smaller.

    A row that reads a thousand keys evenly would be 0 in whole steps of 1/255.
    """
    rows, columns = (range(0, n, b) for n, b in zip(weights.shape[1:], block, strict=True))
    of_rows = np.maximum.reduceat(weights, columns, axis=2).astype(np.float32, copy=False)
    most = of_rows.max(axis=2, keepdims=True)
    parts = np.divide(of_rows, most, out=np.zeros_like(of_rows), where=most > 0)
    largest: np.ndarray = np.maximum.reduceat(parts, rows, axis=1)
    return largest


def _packed(
    levels: UInt8[np.ndarray, "*heads R C"] | UInt16[np.ndarray, "*heads R C"],
    most: int,
    block: BlockSize,
    queries: int,
    causal: bool,
) -> PackedMap:
    """Return levels compressed in base64; of two bytes the lower is first."""
    rows, columns = levels.shape[-2:]
    sent = b64encode(zlib.compress(levels.tobytes(), _QUICKLY)).decode()
    size = {"rows": rows, "columns": columns, "block": block, "queries": queries}
    return size | {"causal": causal, "most": most, "levels": sent}


TEXTS = ui_texts("maps")
PAINTED = "\n".join(
    [palette("background"), THEME, compact(Path(__file__).with_name("painted.css"))]
)
"""The styles of what maps have in common, and of the colours in which they are painted."""

MOST_SIDE = 64
"""So many points a side has a small map at most."""
MOST_BYTES = 4_000_000
"""Of all small maps together, before they are compressed."""


@dataclass(frozen=True, eq=False)
class HeadMaps:
    """The weights of a run, from 0 to 1, of any type of floats: a column for each layer or call.

    Keep the object as long as the run: what is sent of it is made once, and goes with it.
    """

    weights: Float[np.ndarray, "L H T S"] | Sequence[Float[np.ndarray, "H T S"]]
    """A sequence may read a column each time it is asked for it."""
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    causal: bool
    """Whether cells above the diagonal are drawn as hidden."""
    columns: tuple[str, ...] = ()
    """The names of the columns, if they are calls; without names they are layers 1, 2, …"""
    number: int = field(default_factory=count(1).__next__, init=False, repr=False)
    """No other run of maps has it."""
    _large: dict[Place, PackedMap] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        given = self.weights[0].shape[1:]
        if given != (len(self.queries), len(self.keys)):
            raise ValueError(f"{given} weights, {len(self.queries)} × {len(self.keys)} labels")
        if self.columns and len(self.columns) != len(self.weights):
            raise ValueError(f"{len(self.weights)} columns, {len(self.columns)} names")

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many columns, and how many heads in each."""
        return len(self.weights), len(self.weights[0])

    @cached_property
    def is_whole(self) -> bool:
        """Whether the small maps have every weight, so that the large one needs no other data."""
        T, S = len(self.queries), len(self.keys)
        columns, heads = self.size
        return max(T, S) <= MOST_SIDE and 2 * columns * heads * T * S <= MOST_BYTES

    @cached_property
    def block(self) -> BlockSize:
        """How many queries and keys one point of a small map stands for."""
        if self.is_whole:
            return EACH
        columns, heads = self.size
        side = max(1, min(MOST_SIDE, isqrt(MOST_BYTES // (columns * heads))))
        return ceil(len(self.queries) / side), ceil(len(self.keys) / side)

    @cached_property
    def small(self) -> PackedMap:
        """The small maps of all heads, packed."""
        if self.is_whole:
            return packed_weights(np.asarray(self.weights), self.causal)
        largest = np.array([largest_of_blocks(column, self.block) for column in self.weights])
        return packed_blocks(largest, self.block, len(self.queries), self.causal)

    def large(self, place: Place) -> PackedMap:
        """Return the whole map of a head, packed. The last one that was asked for is kept."""
        found = self._large.get(place)
        if found is None:
            column, head = place
            found = packed_weights(self.weights[column][head], self.causal)
            self._large.clear()
            self._large[place] = found
        return found


def map_legend(block: BlockSize = EACH) -> Markdown:
    """Return what the colours of maps mean, and what a point of a small map stands for."""
    rows, columns = block
    return TEXTS("legend", is_each=block == EACH, rows=rows, columns=columns)


@cache
def captured_maps(run: CapturedRun, labels: tuple[str, ...]) -> HeadMaps:
    """Return the maps of all heads of a captured run; `labels` are those of its tokens."""
    return HeadMaps(weights_of_all_heads(run), labels, labels, run.mask == "causal")
