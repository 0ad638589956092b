"""One token changed: which rows move in which part of a block (C8, K10)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.attention.block import PRE, Kind, block_inputs, block_program
from core.chapters.block.stack import with_another_token

CLEAR = 1e-9
"""A row has moved where one of its numbers differs by more than float noise."""


@dataclass(frozen=True)
class Part:
    """A part of a block: what it is called, the array it hands on, and what it is made of.

    `alone`: each row is made of the same row of what comes in. `rows` says for each token whether
    its row moves where the rows `given` of what came in have moved.
    """

    name: str
    array: str
    source: str
    alone: bool
    rows: Sequence[bool]


def parts(kind: Kind) -> list[tuple[str, str, str, bool]]:
    """The parts of the first layer, in order: name, array, what comes in, row by row or not."""
    if kind.norm == PRE:
        return [
            ("Layer norm", "N_1a", "X", True),
            ("Attention", "attn_1", "N_1a", False),
            ("Sum", "Z_1", "attn_1", True),
            ("Layer norm", "N_1b", "Z_1", True),
            ("Feed-forward net", "down_1", "N_1b", True),
            ("Sum", "H_1", "down_1", True),
        ]
    return [
        ("Attention", "attn_1", "X", False),
        ("Sum", "added_1", "attn_1", True),
        ("Layer norm", "Z_1", "added_1", True),
        ("Feed-forward net", "down_1", "Z_1", True),
        ("Sum", "raised_1", "down_1", True),
        ("Layer norm", "H_1", "raised_1", True),
    ]


def moved_rows(kind: Kind, text: str, changed: int) -> list[Part]:
    """For each part of one block, which tokens' rows move where one token is another.

    `changed` counts from 0.
    """
    program, inputs = block_program(kind, 1), block_inputs(text, 1)
    before, after = program.run(inputs), program.run(with_another_token(inputs, changed))
    return [
        Part(name, array, source, alone, _differ(before[array], after[array]))
        for name, array, source, alone in parts(kind)
    ]


def _differ(before: np.ndarray, after: np.ndarray) -> list[bool]:
    return [bool(gap > CLEAR) for gap in np.abs(before - after).max(axis=-1)]
