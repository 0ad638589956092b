"""How many numbers travel between slow and fast memory: all scores at once, and tile by tile.

Counted for one head, T queries and T keys of d features. All at once: Q and K are read, the scores
are written; softmax reads them and writes the weights; the weights and V are read, and the result
is written. By tiles: Q is read once and the result is written once; K and V are read once for each
block of queries that needs them (FlashAttention-2, Dao 2023, section 3.1; in the tiles of Dao et
al. 2022, algorithm 1, the outer loop is over the keys, and the result is written once for each
block of keys).
"""

from dataclasses import dataclass

from core.chapters.recursive_attention.cuts import blocks
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import Schedule, needed

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
