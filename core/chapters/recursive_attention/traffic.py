"""How many numbers travel between slow and fast memory: all scores at once, and tile by tile.

Counted for one head, T queries and T keys of d features. Plainly: Q and K are read, the scores
written; softmax reads them and writes the weights; the weights and V are read, the result written.
By tiles: Q is read and the result written once, K and V once for each block of queries that needs
them (Dao et al. 2022, section 3.2, with blocks of queries in the outer loop).
"""

from dataclasses import dataclass

from core.chapters.recursive_attention.tiles import Schedule, blocks, needed

BYTES = 2
"""What a number of 16 bits takes."""


@dataclass(frozen=True)
class Traffic:
    """Numbers read from slow memory, written to it, and held in fast memory at once."""

    read: int
    written: int
    held: int

    @property
    def moved(self) -> int:
        return self.read + self.written


def plain_traffic(T: int, d: int) -> Traffic:
    """All scores at once. What is held: the result's row of scores and weights need not be."""
    scores, rows = T * T, T * d
    return Traffic(read=3 * rows + 2 * scores, written=2 * scores + rows, held=2 * scores)


def tiled_traffic(T: int, d: int, queries: int, keys: int, rule: str) -> Traffic:
    """Tile by tile, blocks of so many queries and keys, hidden tiles left out."""
    schedule = row_by_row(T, queries, keys, rule)
    key_rows = sum(schedule.keys[b] for tick in schedule.ticks for _, b in tick)
    held = 2 * queries * d + 2 * keys * d + queries * keys + 2 * queries
    return Traffic(read=T * d + 2 * key_rows * d, written=T * d, held=held)


def row_by_row(T: int, queries: int, keys: int, rule: str) -> Schedule:
    """Each block of queries meets its blocks of keys, one after another."""
    tall, wide = blocks(T, queries), blocks(T, keys)
    ticks = tuple(((a, b),) for a in range(len(tall)) for b in range(len(wide)))
    return needed(Schedule(tall, wide, ticks), rule)
