"""What each array of the attention program means, cell by cell, in plain words.

Each function (or the function it returns) takes a trace and a cell and returns a sentence or two.
Whatever number they name is read from the trace.
"""

import numpy as np

from core.attention.masks import Rule
from core.program.labels import head_name, token_labels, told_label
from core.program.patterns import Cell
from core.program.rounding import cell_text, typeset
from core.program.steps import Meaning
from core.program.trace import Trace


def X(trace: Trace, cell: Cell) -> str:
    (token, feature) = _labels(trace, "X", cell)
    return f"Feature {feature} of {token}, before attention has mixed anything into it."


_MADE = {"query": "Q", "key": "K", "value": "V"}
"""What each projection makes."""


def weight(role: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, m, k = cell
        if _MADE[role] in trace.pinned:
            return (
                f"It counts in nothing here: {_MADE[role]}, which it would help to make, is given."
            )
        return (
            f"How much feature {told_label(trace, 'm', m)} of a token counts in feature {k + 1} of "
            f"its {role}. "
            "The same for every token; a real model learns it."
        )

    return meaning


def output_weight(trace: Trace, cell: Cell) -> str:
    c, m = cell
    return (
        f"How much feature {c + 1} of the joined heads counts in feature "
        f"{told_label(trace, 'm', m)} of the output. "
        "The same for every token; a real model learns it."
    )


def query(trace: Trace, cell: Cell) -> str:
    _, token, feature = _labels(trace, "Q", cell)
    return f"Feature {feature} of what {token} looks for{_projected(trace, 'Q')}."


def key(trace: Trace, cell: Cell) -> str:
    _, token, feature = _labels(trace, "K", cell)
    return f"Feature {feature} of what {token} can be found by{_projected(trace, 'K')}."


def value(trace: Trace, cell: Cell) -> str:
    _, token, feature = _labels(trace, "V", cell)
    return f"Feature {feature} of what {token} hands over{_projected(trace, 'V')}."


def _projected(trace: Trace, name: str) -> str:
    """What it was made of, as the end of a sentence."""
    return ", as given" if name in trace.pinned else f": its row of X times a column of W_{name}"


def score(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    _, query_token, key_token = _labels(trace, "scores", cell)
    match = (
        f"How well the query of {query_token} (row {i + 1} of Q) matches the key of {key_token} "
        f"(column {j + 1} of Kᵀ)"
    )
    if "scores" in trace.pinned:
        return f"{match}, as given."
    first = f"{match}: their dot product."
    q, k = trace["Q"][h, i], trace["K"][h * trace["K"].shape[0] // trace["Q"].shape[0], j]
    if not (q.any() and k.any()):
        return f"{first} One of the two vectors is zero, so the score is 0."
    q, k = (vector / np.abs(vector).max() for vector in (q, k))  # very small ones underflow
    cosine = q @ k / (np.linalg.norm(q) * np.linalg.norm(k))
    degrees = round(float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))))
    percent = typeset(f"{100 * float(cosine):.0f}")
    share = "less than 1 %, up or down," if degrees == 90 else f"about {percent} %"
    return (
        f"{first} The angle between the two vectors is {degrees}°, so the score is {share} of the "
        "product of their lengths."
    )


def scaled(scale: bool | float) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        if scale is False:
            return "Scaling is off: the score stays as it is."
        if scale is True:
            d_k = trace["K"].shape[-1]
            return (
                f"The score divided by √d_k = √{d_k}: dot products of vectors with more features "
                "spread wider, and this takes that spread out again."
            )
        return f"The score times the scale that was chosen, {typeset(f'{scale:.10g}')}."

    return meaning


def mask(rule: Rule) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        query_token, key_token = _labels(trace, "mask", cell)
        may = "may" if trace["mask"][cell] else "may not"
        return f"{query_token} {may} see {key_token}: {_reason(trace, rule, cell)}."

    return meaning


def masked(rule: Rule) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        if trace["mask"][i, j]:
            return f"Visible, so the score passes unchanged: {_reason(trace, rule, (i, j))}."
        if not trace.is_removed("masked", cell):
            still = "Hidden, and yet the score is a number still"
            weight = trace["weights"][cell]
            if "weights" in trace.pinned or np.isnan(weight):
                return f"{still}."
            share = "so softmax gives it a share" if weight else "but its share comes out as 0"
            return f"{still}, {share}."
        then = "" if np.isnan(trace["weights"][cell]) else " and its weight 0"
        return f"Hidden, so the score becomes −∞{then}: {_reason(trace, rule, (i, j))}."

    return meaning


def attention_weight(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    _, query_token, key_token = _labels(trace, "weights", cell)
    row = trace["weights"][h, i]
    if not row.any():
        return (
            f"No key is visible to {query_token}. The plain formula would divide 0 by 0 (NaN); "
            "here, as in PyTorch's fused attention, the weights are zeros."
        )
    if np.isnan(row).any():
        return (
            f"No key is visible to {query_token}: every score of its row is −∞, the largest too, "
            "and −∞ − (−∞) is not a number (NaN). NaN begins here."
        )
    if trace.is_removed("weights", cell):
        return f"Exactly 0: {key_token} is hidden from {query_token}."
    share = typeset(cell_text(100 * float(row[j])))
    first = f"Of what {query_token} reads, {share} % comes from {key_token}."
    if row[j] == 0:
        return f"{first} In exact arithmetic this is above 0; float64's exp underflows below −745."
    return f"{first} The weights of this row add up to {cell_text(float(row.sum()))}."


def context(trace: Trace, cell: Cell) -> str:
    h, i, v = cell
    _, token, feature = _labels(trace, "context", cell)
    weights = trace["weights"][h, i]
    leaks = "mask" in trace and (~trace["mask"][i] & (weights != 0)).any()  # in a broken program
    first = (
        f"Feature {feature} of the mixture that {token} reads: each {'' if leaks else 'visible '}"
        "value times its weight, added up."
    )
    if not weights.any():
        return f"{first} Nothing is visible to {token}, so it reads 0."
    if np.isnan(weights).any():
        return first
    terms = weights * trace["V"][h * trace["V"].shape[0] // trace["weights"].shape[0], :, v]
    most = int(np.abs(terms).argmax())
    part = typeset(cell_text(float(terms[most]), 1e-9))
    return f"{first} The largest part, {part}, comes from {told_label(trace, 'j', most)}."


def joined(trace: Trace, cell: Cell) -> str:
    i, c = cell
    width = trace["context"].shape[-1]
    token = told_label(trace, "i", i)
    head = head_name(trace, "h", c // width)
    first = f"Feature {c % width + 1} of {head} for {token}"
    if trace["concat"].shape[-1] == width:
        return f"{first}: with one head there is nothing to join."
    return f"{first}, now beside the others."


def output(trace: Trace, cell: Cell) -> str:
    token, feature = _labels(trace, "output", cell)
    return f"Feature {feature} of what leaves the layer for {token}: its row of concat times W_O."


def repeated(trace: Trace) -> list[list[str]]:
    """The labels of each token that stands at several positions with equal rows of X."""
    labels = token_labels(trace.tokens)
    places = {t: [n for n, u in enumerate(trace.tokens) if u == t] for t in trace.tokens}
    return [
        [labels[n] for n in at]
        for at in places.values()
        if len(at) > 1 and (trace["X"][at] == trace["X"][at[0]]).all()
    ]


def _labels(trace: Trace, array: str, cell: Cell) -> list[str]:
    letters = trace.program.letters[array]
    return [told_label(trace, letter, at) for letter, at in zip(letters, cell, strict=True)]


def _reason(trace: Trace, rule: Rule, cell: Cell) -> str:
    if rule.name == "custom":
        return "the mask, which is given, says so"
    T, S = trace["mask"].shape
    counted = rule.counted(T, S)
    return rule.at(T, S).reason(*cell) + (f" ({counted})" if counted else "")
