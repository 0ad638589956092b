"""What the arrays of the similarity programs mean where `core.attention.words` has no words."""

import numpy as np

from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.rounding import cell_text, typeset
from core.program.steps import Meaning
from core.program.trace import Trace


def unit_row(source: str, role: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        h, i, k = cell
        token = told_label(trace, "i", i)
        length = float(np.linalg.norm(trace[source][h, i]))
        if length == 0:
            return f"The {role} of {token} is zero: it has no direction, and stays zero."
        return (
            f"Feature {k + 1} of the direction of the {role} of {token}: the {role} divided by "
            f"its length, {cell_text(length)}. This row now has length 1."
        )

    return meaning


def cosine(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    value = float(np.clip(trace["scores"][cell], -1, 1))
    degrees = round(float(np.degrees(np.arccos(value))))
    first = f"The cosine of the angle between {_pair(trace, cell)}"
    if not (trace["Q_hat"][h, i].any() and trace["K_hat"][h, j].any()):
        return f"{first}. One of the two is zero and has no angle, so the score is 0."
    return f"{first}, {degrees}°. How long they are does not count."


def additive(trace: Trace, cell: Cell) -> str:
    most = typeset(cell_text(float(np.abs(trace["v_a"]).sum())))
    return (
        f"What tanh leaves of the sum of {_pair(trace, cell)}, feature by feature, weighed by v_a "
        f"and added up. tanh stays between −1 and 1, so the score stays between −{most} and {most}."
    )


def additive_weight(trace: Trace, cell: Cell) -> str:
    return (
        f"How much feature {cell[1] + 1} of tanh(q + k) counts in the score. The same for every "
        "pair; training sets it."
    )


def uniform(trace: Trace, cell: Cell) -> str:
    return f"0 for every pair: {_pair(trace, cell)} are not looked at."


def _pair(trace: Trace, cell: Cell) -> str:
    _, i, j = cell
    return f"the query of {told_label(trace, 'i', i)} and the key of {told_label(trace, 'j', j)}"
