"""The stage of the page of models: one head, of a run or of a recording."""

import numpy as np

from core.program.patterns import Cell
from core.program.trace import Trace
from ui.models.keys import MODELS_PAGE_KEYS, STAGE_PREFIX
from ui.page.presenting import presenting
from ui.stage.exhibit import Telling, draw_exhibit


def draw_head(trace: Trace, name: str, row: int = -1) -> None:
    """Draw a head on the stage, with its name. An untouched one opens at the largest weight of a
    row, the last one if none is given.
    """

    def opening(run: Trace) -> tuple[str, Cell]:
        rows = run["weights"][0]
        at = row % len(rows)
        return "weights", (0, at, int(np.argmax(rows[at])))

    badge = name if presenting() else ""  # else it is said above the stage
    telling = Telling(badge=badge, in_code=False)
    draw_exhibit(trace, opening, MODELS_PAGE_KEYS, STAGE_PREFIX, telling=telling)
