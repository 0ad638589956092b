"""How many numbers travel between slow and fast memory: all scores at once, and tile by tile.

Counted for one head, T queries and T keys of d features. Plainly: Q and K are read, the scores
written; softmax reads them and writes the weights; the weights and V are read, the result written.
By tiles: Q is read and the result written once, K and V once for each block of queries that needs
them (FlashAttention-2, Dao 2023, section 3.1; the tiles of Dao et al. 2022, algorithm 1, have the
blocks of keys in the outer loop, and write the result once for each of them).
"""

from dataclasses import dataclass

from core.chapters.recursive_attention.cuts import blocks
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tiles import Schedule, needed

BYTES = 2
"""What a number of 16 bits takes."""


@dataclass(frozen=True)
class Traffic:
    """Numbers read from slow memory, and written to it."""

    read: int
    written: int

    @property
    def moved(self) -> int:
        return self.read + self.written


def plain_traffic(T: int, d: int) -> Traffic:
    """All scores at once."""
    scores, rows = T * T, T * d
    return Traffic(read=3 * rows + 2 * scores, written=2 * scores + rows)


def tiled_traffic(T: int, d: int, queries: int, keys: int, rule: str) -> Traffic:
    """Tile by tile, blocks of so many queries and keys, hidden tiles left out."""
    schedule = row_by_row(T, queries, keys, rule)
    key_rows = sum(schedule.keys[b] for tick in schedule.ticks for _, b in tick)
    return Traffic(read=T * d + 2 * key_rows * d, written=T * d)


def fast_memory(schedule: Schedule) -> list[list[str]]:
    """Tile by tile: which rows of Q, and of K and V, it holds, what is read, and what is written.

    A block of queries stays, with its o, m and l, until its last tile is done.
    """
    tiles = [tile for tick in schedule.ticks for tile in tick]
    turns = []
    for number, (a, b) in enumerate(tiles, 1):
        before, after = ({row for row, _ in part} for part in (tiles[: number - 1], tiles[number:]))
        turns.append([
            TEXTS("tile_row", number=number),
            rows_text(schedule.queries, a),
            rows_text(schedule.keys, b),
            "K, V" if a in before else "Q, K, V",
            "–" if a in after else rows_text(schedule.queries, a),
        ])  # fmt: skip
    return turns


def rows_text(sizes: tuple[int, ...], at: int) -> str:
    """The rows of a block, counted from 1."""
    first, last = sum(sizes[:at]) + 1, sum(sizes[: at + 1])
    return str(first) if first == last else TEXTS("rows", first=first, last=last)


def held(d: int, queries: int, keys: int) -> int:
    """Numbers in fast memory at once: queries, keys, values, a tile of scores, and o, m and l."""
    return 2 * queries * d + 2 * keys * d + queries * keys + 2 * queries


def row_by_row(T: int, queries: int, keys: int, rule: str) -> Schedule:
    """Each block of queries meets its blocks of keys, one after another."""
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
    """Both ways with square tiles."""
    schedule = row_by_row(T, block, block, rule)
    return Compared(
        plain_traffic(T, d), tiled_traffic(T, d, block, block, rule),
        sum(map(len, schedule.ticks)), len(schedule.queries) * len(schedule.keys),
        held(d, min(block, T), min(block, T)),
    )  # fmt: skip


def counted_tiles(T: int, queries: int, keys: int, rule: str) -> tuple[int, int]:
    """Tiles that are computed, and all of them."""
    schedule = row_by_row(T, queries, keys, rule)
    return len(schedule.ticks), len(schedule.queries) * len(schedule.keys)
