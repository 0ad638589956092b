"""Which block of queries meets which block of keys, and when."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from core.chapters.recursive_attention.texts import TEXTS

KEY_LETTERS = "ABCDEFGH"
QUERY_LETTERS = "IJMNOPQR"
Tile = tuple[int, int]
"""A block of queries and a block of keys, counted from 0."""


@dataclass(frozen=True)
class Schedule:
    """When each tile is computed: the sizes of the blocks of queries and of keys, and ticks.

    The tiles of one tick are computed at the same time. `ticks` name each tile once.
    """

    queries: tuple[int, ...]
    keys: tuple[int, ...]
    ticks: tuple[tuple[Tile, ...], ...]
    word: str = TEXTS("tile")
    """The name of a tick that has one tile; any other is called a tick."""

    @cached_property
    def single(self) -> bool:
        """Whether all queries are one block."""
        return len(self.queries) == 1

    @property
    def tiles(self) -> Iterator[Tile]:
        """All tiles, in the order in which they are computed."""
        return (tile for tick in self.ticks for tile in tick)

    def name(self, tile: Tile) -> str:
        """The suffix of a tile's arrays: "12", or "2" where all queries are one block."""
        a, b = tile
        return f"{b + 1}" if self.single else f"{a + 1}{b + 1}"

    def query_letter(self, a: int) -> str:
        """The letter of the queries of a block."""
        return "i" if self.single else QUERY_LETTERS[a]

    def first_query(self, a: int) -> int:
        """The position of the first query of a block."""
        return sum(self.queries[:a])

    def first_key(self, b: int) -> int:
        """The position of the first key of a block."""
        return sum(self.keys[:b])

    def before(self, tile: Tile) -> Tile | None:
        """The tile of the same queries that was computed last before this one."""
        done = self._of_queries(tile[0])
        at = done.index(tile)
        return done[at - 1] if at else None

    def last(self, a: int) -> Tile:
        """The last tile of a block of queries."""
        return self._of_queries(a)[-1]

    def _of_queries(self, a: int) -> list[Tile]:
        return [tile for tile in self.tiles if tile[0] == a]


def needed(schedule: Schedule, rule: str) -> Schedule:
    """Return the schedule without the tiles of which a causal mask hides every cell."""
    if rule != "causal":
        return schedule

    def seen(tile: Tile) -> bool:
        a, b = tile
        return schedule.first_key(b) < schedule.first_query(a + 1)

    ticks = tuple(tuple(filter(seen, tick)) for tick in schedule.ticks)
    return replace(schedule, ticks=tuple(tick for tick in ticks if tick))
