"""The weights of all heads of any run, and what of them goes to the browser when.

If they are few they travel whole. Otherwise each small map travels reduced, and the large one by
itself once its head is chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from math import ceil, isqrt

import numpy as np
from jaxtyping import Float

from core.models.captures import CapturedRun
from core.models.head_places import Place
from core.models.head_search import weights_of_all_heads
from stage.hosts.component import palette
from ui.components.component import THEME
from ui.components.head_maps.packing import (
    EACH,
    BlockSize,
    PackedMap,
    largest_of_blocks,
    packed_blocks,
    packed_weights,
)
from ui.page_texts import ui_texts
from ui.text import Markdown

TEXTS = ui_texts("maps")
PAINTED = f"{palette('background')}\n{THEME}"
"""The styles of the colours in which maps are painted."""

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
