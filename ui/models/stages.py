"""The stage of the page of models: one head, of a run or of a recording."""

import numpy as np

from core.program.patterns import Cell
from core.program.trace import Trace
from ui.exhibit import draw_exhibit
from ui.models.keys import MODELS_PAGE_KEYS, STAGE_PREFIX


def draw_head(trace: Trace) -> None:
    """Draw a head on the stage. An untouched one opens at the largest weight of its last row."""
    draw_exhibit(trace, _opening, MODELS_PAGE_KEYS, STAGE_PREFIX)


def _opening(trace: Trace) -> tuple[str, Cell]:
    rows = trace["weights"][0]
    return "weights", (0, len(rows) - 1, int(np.argmax(rows[-1])))
