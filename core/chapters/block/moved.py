"""One token changed: which rows move in which part of a block (C8, K10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention.layers.block import PRE, BlockKind, block_program
from core.chapters.block.stack import DRAWN, inputs_of, with_another_token
from core.errors import InputError
from core.texts import core_texts

TEXTS = core_texts("block")
CLEAR = 1e-9
"""A row has moved if one of its numbers differs by more than float noise."""
ATTENTION, SUM, LAYER_NORM, FEED_FORWARD = (
    TEXTS("attention"),
    TEXTS("sum"),
    TEXTS("layer_norm"),
    TEXTS("feed_forward"),
)
PARTS_OF_LAYER = {
    "post": (
        (ATTENTION, "attn_1", "X"), (SUM, "added_1", "attn_1"), (LAYER_NORM, "Z_1", "added_1"),
        (FEED_FORWARD, "down_1", "Z_1"), (SUM, "raised_1", "down_1"),
        (LAYER_NORM, "H_1", "raised_1"),
    ),
    PRE: (
        (LAYER_NORM, "N_1a", "X"), (ATTENTION, "attn_1", "N_1a"), (SUM, "Z_1", "attn_1"),
        (LAYER_NORM, "N_1b", "Z_1"), (FEED_FORWARD, "down_1", "N_1b"), (SUM, "H_1", "down_1"),
    ),
}  # fmt: skip
"""The parts of the first layer, in order: what each is called, what it makes, what comes in."""


@dataclass(frozen=True)
class MovedPart:
    """A part of a block and the array it makes; for each token, whether its row moves.

    `alone` where nothing but one row of what comes into this part is another; `inside` where one
    row of X is, and all that follows from it.
    """

    name: str
    array: str
    alone: Sequence[bool]
    inside: Sequence[bool]


@dataclass(frozen=True)
class Box:
    """A part of a block, for every token at once: `alone[i][j]` says whether another row of token i
    moves row j, where nothing else that comes into the part is another; `inside` as in `MovedPart`.

    A sum also adds what the box number `adds` has made; −1 is what came into the block.
    """

    name: str
    array: str
    alone: Sequence[Sequence[bool]]
    inside: Sequence[Sequence[bool]]
    adds: int | None


@lru_cache(maxsize=32)
def boxes(kind: BlockKind, text: str, weights: str = DRAWN) -> tuple[Box, ...]:
    """Return the parts of one block, each with the rows that each token moves in it."""
    count = len(inputs_of(text, 1, weights).tokens)
    runs = [moved_rows(kind, text, changed, weights) for changed in range(count)]
    steps = {step.name: step for step in block_program(kind, 1).steps}
    made = {"X": -1} | {array: at for at, (_, array, _) in enumerate(PARTS_OF_LAYER[kind.norm])}
    found = []
    for at, (name, array, source) in enumerate(PARTS_OF_LAYER[kind.norm]):
        others = [made[of] for of in steps[array].operands if of in made and of != source]
        parts = [run[at] for run in runs]
        alone, inside = [part.alone for part in parts], [part.inside for part in parts]
        found.append(Box(name, array, alone, inside, others[0] if others else None))
    return tuple(found)


@lru_cache(maxsize=64)
def moved_rows(
    kind: BlockKind, text: str, changed: int, weights: str = DRAWN
) -> tuple[MovedPart, ...]:
    """Part by part of one block: the rows that move with one token's row, counted from 0."""
    program, inputs = block_program(kind, 1), inputs_of(text, 1, weights)
    before, after = program.run(inputs), program.run(with_another_token(inputs, changed))
    found = []
    for name, array, source in PARTS_OF_LAYER[kind.norm]:
        alone = after
        if source != "X":
            rows = np.array(before[source])
            rows[changed] = -rows[changed] + 1  # a constant row would be lost on a norm
            rows[changed, 0] += 1
            alone = program.run(inputs, pinned={source: rows})
        moved = [_differ(before[array], run[array]) for run in (alone, after)]
        found.append(MovedPart(name, array, *moved))
    return tuple(found)


def moved_by_attention(
    parts: Sequence[Box], array: str, token: int, causal: bool
) -> tuple[int, bool]:
    """Return how many rows move with a token's, and whether they are all that may read it."""
    (moved,) = (part.alone[token] for part in parts if part.array == array)
    return sum(moved), list(moved) == [not causal or token <= row for row in range(len(moved))]


def check_token(number: int, count: int) -> None:
    """Raise `InputError` unless a sentence of `count` tokens has this one, counted from 1."""
    if not 1 <= number <= count:
        raise InputError(
            TEXTS("token_to_change", number=number),
            TEXTS("tokens_there", count=count),
            TEXTS("choose_token", count=count),
        )


def _differ(before: np.ndarray, after: np.ndarray) -> list[bool]:
    return [bool(gap > CLEAR) for gap in np.abs(before - after).max(axis=-1)]
