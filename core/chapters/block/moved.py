"""One token changed: which rows move in which part of a block (C8, K10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention.block import PRE, Kind, block_inputs, block_program
from core.chapters.block.stack import with_another_token
from core.errors import InputError

CLEAR = 1e-9
"""A row has moved where one of its numbers differs by more than float noise."""
PARTS = {
    "post": (
        ("Attention", "attn_1", "X"), ("Sum", "added_1", "attn_1"),
        ("Layer norm", "Z_1", "added_1"), ("Feed-forward net", "down_1", "Z_1"),
        ("Sum", "raised_1", "down_1"), ("Layer norm", "H_1", "raised_1"),
    ),
    PRE: (
        ("Layer norm", "N_1a", "X"), ("Attention", "attn_1", "N_1a"), ("Sum", "Z_1", "attn_1"),
        ("Layer norm", "N_1b", "Z_1"), ("Feed-forward net", "down_1", "N_1b"),
        ("Sum", "H_1", "down_1"),
    ),
}  # fmt: skip
"""The parts of the first layer, in order: what each is called, what it makes, what comes in."""


@dataclass(frozen=True)
class Part:
    """A part of a block and the array it makes; for each token, whether its row moves.

    `alone` where nothing but one row of what comes into this part is another; `inside` where one
    row of X is, and all that follows from it.
    """

    name: str
    array: str
    alone: Sequence[bool]
    inside: Sequence[bool]


@lru_cache(maxsize=64)
def moved_rows(kind: Kind, text: str, changed: int) -> tuple[Part, ...]:
    """Part by part of one block: the rows that move with one token's row, counted from 0."""
    program, inputs = block_program(kind, 1), block_inputs(text, 1)
    before, after = program.run(inputs), program.run(with_another_token(inputs, changed))
    found = []
    for name, array, source in PARTS[kind.norm]:
        alone = after
        if source != "X":
            rows = np.array(before[source])
            rows[changed] = -rows[changed] + 1  # a constant row would be lost on a norm
            rows[changed, 0] += 1
            alone = program.run(inputs, pinned={source: rows})
        moved = [_differ(before[array], run[array]) for run in (alone, after)]
        found.append(Part(name, array, *moved))
    return tuple(found)


def check_token(number: int, count: int) -> None:
    """Raise `InputError` unless a sentence of so many tokens has this one, counted from 1."""
    if not 1 <= number <= count:
        raise InputError(
            f"The token to change is number {number}", f"the sentence has {count}",
            f"choose 1 to {count}" if count > 1 else "choose 1",
        )  # fmt: skip


def _differ(before: np.ndarray, after: np.ndarray) -> list[bool]:
    return [bool(gap > CLEAR) for gap in np.abs(before - after).max(axis=-1)]
