"""What a cell of a similarity program means where `cell_descriptions` has no words for it."""

import numpy as np

from core.program.labels import told_label
from core.program.numbers.rounding import cell_text, typeset
from core.program.patterns import Cell
from core.program.steps import Meaning
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("dot_products")


def unit_row(source: str, role: str) -> Meaning:
    """Return what a cell of queries or keys of length 1 means."""
    role = TEXTS(role)

    def meaning(trace: Trace, cell: Cell) -> str:
        h, i, k = cell
        token = told_label(trace, "i", i)
        length = float(np.linalg.norm(trace[source][h, i]))
        if length == 0:
            return TEXTS("zero_row", role=role, token=token)
        printed = cell_text(length)
        return TEXTS("unit_row", role=role, token=token, feature=k + 1, length=printed)

    return meaning


def cosine_words(trace: Trace, cell: Cell) -> str:
    """Return what a cosine means, with its angle."""
    h, i, j = cell
    value = float(np.clip(trace["scores"][cell], -1, 1))
    degrees = round(float(np.degrees(np.arccos(value))))
    angled = bool(trace["Q_hat"][h, i].any() and trace["K_hat"][h, j].any())
    return TEXTS("cosine_score", degrees=degrees, angled=angled, **_pair(trace, cell))


def additive_words(trace: Trace, cell: Cell) -> str:
    """Return what an additive score means, with its bounds."""
    most = typeset(cell_text(float(np.abs(trace["v_a"]).sum())))
    return TEXTS("additive_score", most=most, **_pair(trace, cell))


def additive_weight(trace: Trace, cell: Cell) -> str:
    """Return what an entry of v_a means."""
    return TEXTS("additive_weight", feature=cell[1] + 1)


def uniform(trace: Trace, cell: Cell) -> str:
    """Return what a uniform score means."""
    return TEXTS("uniform_score", **_pair(trace, cell))


def _pair(trace: Trace, cell: Cell) -> dict[str, str]:
    """Return the labels of a score's two tokens."""
    _, i, j = cell
    return {"query": told_label(trace, "i", i), "key": told_label(trace, "j", j)}
