"""The text of every cell, as the stage, the arithmetic, the exports and the captions write it."""

from collections.abc import Sequence

import numpy as np

from core.program.patterns import Cell
from core.program.rounding import cell_text
from core.program.trace import Trace
from core.program.vectorised_format import cell_texts


def shown(trace: Trace, array: str, cell: Cell) -> str:
    """The text of one cell: two decimals, 1 or 0 for a mask, 0 for the weight of a hidden key."""
    value = trace[array][cell].item()
    if isinstance(value, bool) or (value == 0 and trace.is_removed(array, cell)):
        return str(int(value))
    return cell_text(float(value), trace.noise[array])


def shown_texts(trace: Trace, array: str) -> list[str]:
    """The texts of all cells of an array, the last index running fastest."""
    return array_texts(trace[array], trace.removed[array], trace.noise[array])


def array_texts(values: np.ndarray, removed: np.ndarray | None, noise: float) -> list[str]:
    """The same of an array's values, of which the mask took out some."""
    if values.dtype == bool:
        return ["01"[value] for value in values.ravel().tolist()]
    texts = cell_texts(values.ravel(), noise)
    if removed is not None:
        for n in np.flatnonzero(removed.ravel() & (values.ravel() == 0)).tolist():
            texts[n] = "0"
    return texts


def shown_matrix(trace: Trace, array: str, prefix: Cell = ()) -> list[list[str]]:
    """The texts of the matrix that remains when an array's first indices are given.

    A vector is a matrix of one row.
    """
    texts = np.array(shown_texts(trace, array), dtype=object).reshape(trace[array].shape)
    rows: list[list[str]] = np.atleast_2d(texts[prefix]).tolist()
    return rows


def shape_text(shape: Sequence[int | None]) -> str:
    """A shape in words: "2 × 6 × 4"; an axis of any length is "any"."""
    lengths = ["any" if length is None else str(length) for length in shape]
    if len(lengths) < 2:
        return f"a list of {lengths[0]}" if lengths else "a single number"
    return " × ".join(lengths)
