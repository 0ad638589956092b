"""Which weights of a captured head its score counts, and which of them shows best what it does."""

import numpy as np
from jaxtyping import Bool

from core.models.captures import LINKED, Capture, CapturedHead, CapturedRun
from core.models.head_scores import COUNTED_CELLS
from core.program.patterns import Cell


def counted_cells(run: CapturedRun, head: CapturedHead) -> Bool[np.ndarray, "T T"]:
    """Return which weights the head's score counts; none if it is about whole rows."""
    if head.score in COUNTED_CELLS:
        return COUNTED_CELLS[head.score](run.tokens)
    cells = np.zeros((len(run.tokens),) * 2, bool)
    if head.score == LINKED:
        cells[tuple(np.transpose(head.pairs))] = True
    return cells


def telling_cell(capture: Capture) -> Cell:
    """Return the largest weight that the head's score counts in the lower half of the rows, where
    a token has many to choose from, as a cell (0, query, key). If none is counted there, it is the
    largest weight of the last row.
    """
    cells = counted_cells(capture.run, capture.head)
    cells[: len(cells) // 2] = False
    if not cells.any():
        cells[-1] = True
    query, key = np.unravel_index(np.where(cells, capture.weights, -1).argmax(), cells.shape)
    return 0, int(query), int(key)
