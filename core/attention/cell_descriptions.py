"""What each array of the attention program means, cell by cell, in plain words.

Each function (or the function it returns) takes a trace and a cell and returns a sentence or two.
Every number in them is read from the trace.
"""

import numpy as np

from core.attention.masks import Rule
from core.program.described import titled
from core.program.labels import cell_labels, head_name, is_random, token_labels, told_label
from core.program.numbers.rounding import cell_text, typeset
from core.program.patterns import Cell
from core.program.reading import weight_percent
from core.program.steps import Meaning
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("attention")


@titled(TEXTS, "starts_with")
def X(trace: Trace, cell: Cell) -> str:
    token, feature = _labels(trace, "X", cell)
    if is_random(trace, "X", cell):
        return TEXTS("random_x", token=token)
    return TEXTS("x", token=token, feature=feature)


_MADE = {"query": "Q", "key": "K", "value": "V"}
"""What each projection makes."""
_COUNTS = {"query": "in_a_query", "key": "in_a_key", "value": "in_a_value"}
"""The titles of its numbers."""


def weight(role: str) -> Meaning:
    @titled(TEXTS, _COUNTS[role])
    def meaning(trace: Trace, cell: Cell) -> str:
        _, m, k = cell
        if _MADE[role] in trace.pinned:
            return TEXTS("unused_weight", made=_MADE[role])
        return TEXTS("weight", row=told_label(trace, "m", m), column=k + 1, role=role)

    return meaning


@titled(TEXTS, "in_output")
def output_weight(trace: Trace, cell: Cell) -> str:
    c, m = cell
    return TEXTS("output_weight", row=c + 1, column=told_label(trace, "m", m))


def _projected(array: str, role: str, title: str) -> Meaning:
    @titled(TEXTS, title)
    def meaning(trace: Trace, cell: Cell) -> str:
        _, token, feature = _labels(trace, array, cell)
        return TEXTS(role, token=token, feature=feature, given=array in trace.pinned)

    return meaning


query = _projected("Q", "query", "looks_for")
key = _projected("K", "key", "found_by")
value = _projected("V", "value", "passes_on")


@titled(TEXTS, "matches")
def score(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    _, query_token, key_token = _labels(trace, "scores", cell)
    match = TEXTS("score", query=query_token, row=i + 1, key=key_token, column=j + 1)
    if "scores" in trace.pinned:
        return TEXTS("given_score", match=match)
    queries, keys = (trace[n] if (n := f"{name}_rot") in trace else trace[name] for name in "QK")
    q, k = queries[h, i], keys[h * len(keys) // len(queries), j]
    if not (q.any() and k.any()):
        return TEXTS("zero_score", match=match)
    q, k = (vector / np.abs(vector).max() for vector in (q, k))  # very small ones underflow
    cosine = q @ k / (np.linalg.norm(q) * np.linalg.norm(k))
    degrees = round(float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))))
    percent = typeset(f"{100 * float(cosine):.0f}")
    return TEXTS("angle_score", match=match, degrees=degrees, percent=percent)


def scaled(scale: bool | float) -> Meaning:
    @titled(TEXTS, "matches_scaled")
    def meaning(trace: Trace, cell: Cell) -> str:
        if scale is False:
            return TEXTS("unscaled")
        if scale is True:
            return TEXTS("scaled", d_k=trace["K"].shape[-1])
        return TEXTS("scaled_by", factor=typeset(f"{scale:.10g}"))

    return meaning


def mask(rule: Rule) -> Meaning:
    @titled(TEXTS, "may_read")
    def meaning(trace: Trace, cell: Cell) -> str:
        *_, query_token, key_token = _labels(trace, "mask", cell)
        visible, reason = bool(trace["mask"][cell]), _reason(trace, rule, cell)
        return TEXTS("mask", query=query_token, key=key_token, visible=visible, reason=reason)

    return meaning


def masked(rule: Rule) -> Meaning:
    @titled(TEXTS, "matches_masked")
    def meaning(trace: Trace, cell: Cell) -> str:
        h, i, j = cell
        reason = _reason(trace, rule, (i, j))
        if visible_to(trace, h, i)[j]:
            return TEXTS("visible", reason=reason)
        weight = trace["weights"][cell]
        if trace.is_removed("masked", cell):
            return TEXTS("hidden_score", weightless=not np.isnan(weight), reason=reason)
        if "weights" in trace.pinned or np.isnan(weight):
            return TEXTS("leak")
        return TEXTS("leak_read") if weight else TEXTS("leak_unread")

    return meaning


@titled(TEXTS, "reads_from")
def attention_weight(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    _, query_token, key_token = _labels(trace, "weights", cell)
    row = trace["weights"][h, i]
    if not row.any():
        return TEXTS("no_key", query=query_token)
    if np.isnan(row).any():
        return TEXTS("nan_weight", query=query_token)
    if trace.is_removed("weights", cell):
        return TEXTS("zero_weight", query=query_token, key=key_token)
    return TEXTS(
        "attention_weight", query=query_token, key=key_token,
        percent=weight_percent(row[j]), underflows=bool(row[j] == 0),
        total=cell_text(float(row.sum())),
    )  # fmt: skip


@titled(TEXTS, "reads")
def context(trace: Trace, cell: Cell) -> str:
    h, i, v = cell
    _, token, feature = _labels(trace, "context", cell)
    weights = trace["weights"][h, i]
    # In a broken program a hidden value may have a weight.
    leaks = "mask" not in trace or bool((~visible_to(trace, h, i) & (weights != 0)).any())
    mixture = TEXTS("context", token=token, feature=feature, leaks=leaks)
    if not weights.any():
        return TEXTS("nothing_read", mixture=mixture, token=token)
    if np.isnan(weights).any():
        return mixture
    terms = weights * trace["V"][h * trace["V"].shape[0] // trace["weights"].shape[0], :, v]
    most = int(np.abs(terms).argmax())
    part = typeset(cell_text(float(terms[most]), 1e-9))
    return TEXTS("largest_part", mixture=mixture, part=part, key=told_label(trace, "j", most))


@titled(TEXTS, "reads_in_all")
def joined(trace: Trace, cell: Cell) -> str:
    i, c = cell
    width = trace["context"].shape[-1]
    return TEXTS(
        "joined", feature=c % width + 1, head=head_name(trace, "h", c // width),
        token=told_label(trace, "i", i), several=trace["concat"].shape[-1] != width,
    )  # fmt: skip


@titled(TEXTS, "becomes")
def output(trace: Trace, cell: Cell) -> str:
    token, feature = _labels(trace, "output", cell)
    if is_random(trace, "output", cell):
        return TEXTS("random_output", token=token)
    return TEXTS("output", token=token, feature=feature)


def visible_to(trace: Trace, h: int, i: int) -> np.ndarray:
    """Which keys a query may see; heads may have a mask each."""
    row: np.ndarray = trace["mask"][h, i] if trace["mask"].ndim == 3 else trace["mask"][i]
    return row


def repeated(trace: Trace) -> list[list[str]]:
    """The labels of each token that occurs at several positions with equal rows of X."""
    labels = token_labels(trace.tokens)
    places = {t: [n for n, u in enumerate(trace.tokens) if u == t] for t in trace.tokens}
    return [
        [labels[n] for n in at]
        for at in places.values()
        if len(at) > 1 and (trace["X"][at] == trace["X"][at[0]]).all()
    ]


def _labels(trace: Trace, array: str, cell: Cell) -> list[str]:
    return cell_labels(trace, array, cell, told_label)


def _reason(trace: Trace, rule: Rule, cell: Cell) -> str:
    if rule.kind.given:
        return TEXTS("given_mask")
    T, S = trace["mask"].shape
    reason, counted = rule.at(T, S).reason(*cell), rule.query_positions(T, S)
    return TEXTS("counted", reason=reason, counted=counted) if counted else reason
