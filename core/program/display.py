"""The text of every cell, as the stage, the arithmetic, the exports and the captions write it."""

from collections.abc import Sequence

import numpy as np

from core.program.patterns import Cell
from core.program.rounding import cell_text
from core.program.trace import Trace


def shown(trace: Trace, array: str, cell: Cell) -> str:
    """The text of one cell: two decimals, 1 or 0 for a mask, 0 for the weight of a hidden key."""
    return _text(trace[array][cell].item(), trace.is_removed(array, cell), trace.noise[array])


def shown_matrix(trace: Trace, array: str, prefix: Cell = ()) -> list[list[str]]:
    """The texts of the matrix that remains when an array's first indices are given.

    A vector is a matrix of one row.
    """
    values = np.atleast_2d(trace[array][prefix])
    removed = trace.removed[array]
    none = np.zeros(values.shape, dtype=bool)
    gone = none if removed is None else np.atleast_2d(removed[prefix])
    noise = trace.noise[array]
    return [
        [_text(value, hidden, noise) for value, hidden in zip(*row, strict=True)]
        for row in zip(values.tolist(), gone.tolist(), strict=True)
    ]


def _text(value: float | bool, removed: bool, noise: float) -> str:
    if isinstance(value, bool) or (removed and value == 0):
        return str(int(value))
    return cell_text(float(value), noise)


def shape_text(shape: Sequence[int | None]) -> str:
    """A shape in words: "2 × 6 × 4"; an axis of any length is "any"."""
    lengths = ["any" if length is None else str(length) for length in shape]
    if len(lengths) < 2:
        return f"a list of {lengths[0]}" if lengths else "a single number"
    return " × ".join(lengths)
