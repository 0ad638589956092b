"""Which block of queries meets which block of keys, when, and how many numbers travel.

Counted for one head, T queries and T keys of d features, between slow and fast memory. All at once:
Q and K are read, the scores are written; softmax reads them and writes the weights; the weights and
V are read, and the result is written. By tiles: Q is read once and the result is written once; K
and V are read once for each block of queries that needs them (FlashAttention-2, Dao 2023, section
3.1; in the tiles of Dao et al. 2022, algorithm 1, the outer loop is over the keys, and the result
is written once for each block of keys).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from core.chapters.recursive_attention.texts import TEXTS

KEY_LETTERS = "ABCDEFGH"
QUERY_LETTERS = "IJMNOPQR"
Tile = tuple[int, int]
"""A block of queries and a block of keys, counted from 0."""


def blocks(length: int, width: int) -> tuple[int, ...]:
    """Return the sizes of blocks of one width; the last may be smaller."""
    return tuple(min(width, length - at) for at in range(0, length, width))


def even_cuts(length: int, among: int) -> tuple[int, ...]:
    """Return sizes that differ by at most 1, the larger ones first, and none that is 0."""
    each, more = divmod(length, among)
    return tuple(size for size in (each + (n < more) for n in range(among)) if size)


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


BYTES = 2
"""Of a number of 16 bits."""


@dataclass(frozen=True)
class Traffic:
    """Numbers read from slow memory, and written to it."""

    read: int
    written: int

    @property
    def moved(self) -> int:
        return self.read + self.written


def plain_traffic(T: int, d: int) -> Traffic:
    """Return what travels if all scores are computed at once."""
    scores, rows = T * T, T * d
    return Traffic(read=3 * rows + 2 * scores, written=2 * scores + rows)


def tiled_traffic(T: int, d: int, queries: int, keys: int, rule: str) -> Traffic:
    """Return what travels tile by tile, with blocks of this size, without hidden tiles."""
    schedule = row_by_row(T, queries, keys, rule)
    key_rows = sum(schedule.keys[b] for _, b in schedule.tiles)
    return Traffic(read=T * d + 2 * key_rows * d, written=T * d)


def fast_memory(schedule: Schedule) -> list[list[str]]:
    """Return for each tile its rows of Q, those of K and V, what is read, and what is written.

    A block of queries stays, with its o, m and l, until its last tile is done.
    """
    tiles = list(schedule.tiles)
    table = []
    for number, (a, b) in enumerate(tiles, 1):
        before, after = ({row for row, _ in part} for part in (tiles[: number - 1], tiles[number:]))
        queries, keys = rows_text(schedule.queries, a), rows_text(schedule.keys, b)
        read = "K, V" if a in before else "Q, K, V"
        written = "–" if a in after else queries
        table.append([TEXTS("tile_row", number=number), queries, keys, read, written])
    return table


def rows_text(sizes: tuple[int, ...], at: int) -> str:
    """Return the rows of a block, counted from 1, as a text."""
    first, last = sum(sizes[:at]) + 1, sum(sizes[: at + 1])
    return str(first) if first == last else TEXTS("rows", first=first, last=last)


def held(d: int, queries: int, keys: int) -> int:
    """Return how many numbers are held at once: Q, K, V, a tile of scores, and o, m and l."""
    return 2 * queries * d + 2 * keys * d + queries * keys + 2 * queries


def row_by_row(T: int, queries: int, keys: int, rule: str) -> Schedule:
    """Return the schedule in which blocks of queries come one after another, each with its keys."""
    tall, wide = blocks(T, queries), blocks(T, keys)
    ticks = tuple(((a, b),) for a in range(len(tall)) for b in range(len(wide)))
    return needed(Schedule(tall, wide, ticks), rule)


@dataclass(frozen=True)
class Compared:
    """Both ways for T tokens of d features: tiles done, tiles in all, and which moves more."""

    plain: Traffic
    tiled: Traffic
    tiles: int
    all_tiles: int
    held: int

    @property
    def times(self) -> float:
        """How many times as many numbers travel plainly."""
        return self.plain.moved / self.tiled.moved


def compared(T: int, d: int, block: int, rule: str) -> Compared:
    """Return both ways, with square tiles."""
    done, every = counted_tiles(T, block, block, rule)
    tiled, size = tiled_traffic(T, d, block, block, rule), min(block, T)
    return Compared(plain_traffic(T, d), tiled, done, every, held(d, size, size))


def counted_tiles(T: int, queries: int, keys: int, rule: str) -> tuple[int, int]:
    """Return how many tiles are computed, and how many there are."""
    schedule = row_by_row(T, queries, keys, rule)
    return len(schedule.ticks), len(schedule.queries) * len(schedule.keys)
