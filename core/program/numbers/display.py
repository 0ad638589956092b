"""The text of every cell, as the stage, the arithmetic, the exports and the captions write it."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from core.program.numbers.rounding import (
    CELL_DECIMALS,
    FAR_FROM_A_HALF,
    FLOAT_NOISE,
    SCIENTIFIC_BELOW,
    SCIENTIFIC_FROM,
    cell_text,
    fraction_text,
    full_text,
    rounded,
)
from core.program.patterns import Cell
from core.program.trace import Trace


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


def paper_matrix(trace: Trace, array: str, prefix: Cell = ()) -> list[list[str]]:
    """The same for paper: with two decimals, or with all that a run on paper has.

    A small number is 0.00: nobody works 2e-9 out by hand. If all of the numbers are whole then,
    they have no decimals.
    """
    values = np.atleast_2d(trace[array][prefix])
    if values.dtype == bool:
        return shown_matrix(trace, array, prefix)
    numbers = values if trace.on_paper else np.vectorize(rounded)(values, CELL_DECIMALS)
    removed = trace.removed[array]
    gone = np.zeros(values.shape, bool) if removed is None else np.atleast_2d(removed[prefix])
    is_fraction = array in trace.fractions
    texts = [
        [
            "0" if out and not value else (is_fraction and fraction_text(value)) or full_text(value)
            for value, out in zip(row, of, strict=True)
        ]
        for row, of in zip(numbers.tolist(), gone.tolist(), strict=True)
    ]
    return without_spare_decimals(texts, numbers)


def without_spare_decimals(texts: list[list[str]], numbers: np.ndarray) -> list[list[str]]:
    """The texts of some numbers, without decimals if all of the numbers are whole."""
    finite = numbers[np.isfinite(numbers)].astype(float)
    if not np.allclose(finite, np.rint(finite), rtol=0, atol=FLOAT_NOISE):
        return texts
    return [[text.partition(".")[0] for text in row] for row in texts]


def shape_text(shape: Sequence[int | None]) -> str:
    """A shape in words: "2 × 6 × 4"; an axis of any length is "any"."""
    lengths = ["any" if length is None else str(length) for length in shape]
    if len(lengths) < 2:
        return f"a list of {lengths[0]}" if lengths else "a single number"
    return " × ".join(lengths)


def cell_texts(values: Float[np.ndarray, " n"], noise: float = 0.0) -> list[str]:
    """`cell_text` of each.

    Most numbers are far from a half and neither small nor large: there rounding is the same by any
    rule, and they are formatted in one go. The others are written one by one.
    """
    sizes = np.abs(values)
    with np.errstate(invalid="ignore", over="ignore"):
        hundredths = 100 * sizes
        plain = (
            (sizes >= max(SCIENTIFIC_BELOW, noise)) & (sizes < SCIENTIFIC_FROM) & (sizes > noise)
        )
        plain &= np.abs(hundredths % 1 - 0.5) > FAR_FROM_A_HALF
    texts = [f"{value:.2f}" for value in np.where(plain, values, 0).tolist()]
    others = np.flatnonzero(~plain).tolist()
    written = {value: cell_text(value, noise) for value in {float(values[n]) for n in others}}
    for n in others:
        texts[n] = written.get(values[n], "NaN")
    return texts
