"""The same trace by PyTorch, to check ours against: the judge, never the source of a number.

Mind the booleans: True keeps a key in `scaled_dot_product_attention`, and blocks it in
`nn.MultiheadAttention`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from core.attention.masks import IS_CAUSAL, Rule
from core.operations.masking import visible
from core.operations.scores import divide_by_root, multiply_by
from core.program.labels import axis_label, cell_name, listed_names
from core.program.numbers.rounding import decimal_text, typeset
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("pytorch")

RELATIVE = 1e-9
"""Numbers are equal up to this share of the largest in their array, or of 1 if that is more."""
PER_SCORE, MOST_RELATIVE = 1e-13, 1e-4
"""Softmax hands on a score's rounding error undivided: after large scores there is more room."""
MOST_NAMED = 3
AFTER_SOFTMAX = ("weights", "context", "concat", "output")


@dataclass(frozen=True)
class LargestDifference:
    """The difference from PyTorch, at the cell where it is largest for what float64 can hold.

    `room` is the largest |Δ| allowed there; `judge` is what that cell was compared with, one of
    `judges`. `empty` says how rows without a visible key were compared, `corner` what `is_causal`
    does if there are fewer queries than keys; "" if there is nothing to say.
    """

    array: str
    cell: Cell
    place: str
    ours: float
    theirs: float
    largest: float
    room: float
    judge: str
    judges: tuple[str, ...]
    empty: str
    corner: str

    @property
    def equal(self) -> bool:
        return self.largest <= self.room

    def __str__(self) -> str:
        if self.equal:
            largest = decimal_text(self.largest)
            text = TEXTS("equal", judges=listed_names(self.judges), largest=largest)
        else:
            text = TEXTS(
                "differs", judge=self.judge, place=self.place, ours=typeset(f"{self.ours:.12g}"),
                theirs=typeset(f"{self.theirs:.12g}"), largest=typeset(decimal_text(self.largest)),
            )  # fmt: skip
        return ". ".join([text, *filter(None, (self.corner, self.empty))])


@cache
def available() -> bool:
    """Whether PyTorch is installed; asks without importing it."""
    return find_spec("torch") is not None


def torch_trace(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of a run by PyTorch in float64, from the same inputs and pins.

    Each step is its operation's line of PyTorch, run. But `context` is that of
    `torch.nn.functional.scaled_dot_product_attention`, with `is_causal` for the causal mask that
    begins at the first key, a boolean mask for the others, and `enable_gqa` where heads share keys.
    Rows without a visible key, where PyTorch's softmax gives NaN, are set to 0 as ours are.
    """
    import torch

    made = {name: torch.tensor(trace[name]) for name in trace if name not in trace.steps}
    for name, bound in trace.steps.items():
        if name == "context" and _fusable(trace):
            empty = ~made["mask"].any(dim=-1, keepdim=True)
            made[name] = _fused(trace, made).masked_fill(empty, 0.0)
        else:
            made[name] = eval(bound.torch_code, {"torch": torch}, made)
    return {name: made[name].numpy() for name in trace}


def multihead(trace: Trace) -> Mapping[str, np.ndarray] | None:
    """`weights` and `output` by `torch.nn.MultiheadAttention`, or None where it has no such case.

    It takes as many key/value heads as heads, d_k = d_v = d_model / heads, the scale 1/√d_k, and
    no row without a visible key.
    """
    import torch

    if "W_Q" not in trace:
        return None
    H, d_model, d_k = trace["W_Q"].shape
    fits = (
        trace["W_K"].shape == trace["W_V"].shape == (H, d_model, d_k)
        and H * d_k == d_model
        and _compared(trace) == ("Q", "K", "V")
        and isinstance(_operation(trace), divide_by_root)
        and trace["W_O"].shape == (d_model, d_model)
        and not trace.pinned
        and trace["mask"].any(axis=-1).all()
    )
    if not fits:
        return None
    layer = torch.nn.MultiheadAttention(d_model, H, dtype=torch.float64)
    biases = [trace[f"b_{n}"] if f"b_{n}" in trace else np.zeros(d_model) for n in "QKVO"]
    stacked = [np.concatenate(list(trace[f"W_{n}"]), axis=1).T for n in "QKV"]
    mask = ~trace["mask"]  # True = hidden, or what is added to the scores
    if "bias" in trace:
        mask = np.where(trace["mask"], trace["bias"], -np.inf)
    with torch.no_grad():
        assert layer.in_proj_weight is not None
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate(stacked)))
        layer.out_proj.weight.copy_(torch.tensor(trace["W_O"].T.copy()))
        layer.in_proj_bias.copy_(torch.tensor(np.concatenate([b.ravel() for b in biases[:3]])))
        layer.out_proj.bias.copy_(torch.tensor(biases[3]))
        X = torch.tensor(trace["X"])
        output, weights = layer(X, X, X, attn_mask=torch.tensor(mask), average_attn_weights=False)
    return {"weights": weights.numpy(), "output": output.numpy()}


def largest_difference(trace: Trace) -> LargestDifference:
    """Where ours and PyTorch's are furthest apart, over all arrays."""
    judge = "scaled_dot_product_attention" if _fusable(trace) else TEXTS("two_calls")
    judges: dict[str, Mapping[str, np.ndarray]] = {judge: torch_trace(trace)}
    if layer := multihead(trace):
        judges["MultiheadAttention"] = layer
    gaps = [
        (*_widest(trace[name], theirs), _room(trace, name), name, judge)
        for judge, arrays in judges.items()
        for name, theirs in arrays.items()
    ]
    largest, cell, room, array, judge = max(gaps, key=lambda gap: gap[0] / gap[2])
    if largest <= room:  # then the widest gap of all is told, wherever it is
        largest, cell, room, array, judge = max(gaps, key=lambda gap: gap[0])
    return LargestDifference(
        array, cell, cell_name(trace, array, cell), float(trace[array][cell]),
        float(judges[judge][array][cell]), largest, room, judge, tuple(judges), _empty_rows(trace),
        _other_corner(trace),
    )  # fmt: skip


def _other_corner(trace: Trace) -> str:
    """Return what `is_causal` does to a causal mask with fewer queries than keys, as measured."""
    rule, (T, S) = _rule(trace), trace["weights"].shape[-2:]
    if rule is None or rule.kind.fused != IS_CAUSAL or T >= S or not _fusable(trace):
        return ""
    if rule.fused(T, S) == IS_CAUSAL:
        return TEXTS("same_corner")
    projected = {name: trace[name] for name in _compared(trace)}
    theirs = _fused(trace, projected, is_causal=True).numpy()
    apart, _ = _widest(trace["context"], theirs)
    return TEXTS("other_corner", gap=typeset(decimal_text(apart, 2)))


def _empty_rows(trace: Trace) -> str:
    """Return what PyTorch gives for rows without a visible key, and how they were compared."""
    if "mask" not in trace:
        return ""
    seen = trace["mask"].any(axis=-1)
    rows = np.flatnonzero(~seen if seen.ndim == 1 else ~seen.any(axis=0))
    if not rows.size or "weights" in trace.pinned:
        return ""
    import torch

    made = {"softmax": torch.softmax(torch.tensor(trace["masked"]), dim=-1)}
    if _fusable(trace):
        projected = {name: torch.tensor(trace[name]) for name in _compared(trace)}
        made["scaled_dot_product_attention"] = _fused(trace, projected)
    gives = [
        TEXTS("gives", name=name, value=_value(found[:, rows])) for name, found in made.items()
    ]
    tokens = [axis_label(trace, "i", int(row)) for row in rows]
    named = ", ".join(tokens[:MOST_NAMED]) + (" …" if len(tokens) > MOST_NAMED else "")
    return TEXTS("empty_rows", tokens=named, several=len(tokens) > 1, gives=listed_names(gives))


def _value(found: Any) -> str:
    """Return the value that all entries of a tensor have, in words."""
    values = found.numpy()
    if np.isnan(values).all():
        return "NaN"
    return "0" if (values == 0).all() else TEXTS("other_numbers")


def _rule(trace: Trace) -> Rule | None:
    """The rule of positions that makes the mask; None for one that is given."""
    made = trace.steps["mask"].operation if "mask" in trace.steps else None
    rule = made.rule if isinstance(made, visible) else None
    return rule if isinstance(rule, Rule) else None


def _fused(trace: Trace, made: Mapping[str, Any], is_causal: bool | None = None) -> Any:
    """softmax(QKᵀ · scale, masked) V in PyTorch's one fused call.

    The mask is given, or told by `is_causal` where that means the same.
    """
    import torch

    Q, K, V = (torch.tensor(np.asarray(made[n]))[None] for n in _compared(trace))
    rule = _rule(trace)
    same = rule is not None and rule.fused(*trace["mask"].shape[-2:]) == IS_CAUSAL
    causal = same and "bias" not in trace if is_causal is None else is_causal
    mask = torch.tensor(trace["mask"])
    if "bias" in trace:
        mask = torch.tensor(trace["bias"]).masked_fill(~mask, float("-inf"))
    return torch.nn.functional.scaled_dot_product_attention(
        Q, K, V,
        attn_mask=None if causal else mask,
        is_causal=causal,
        scale=_factor(trace),
        enable_gqa=Q.shape[1] != K.shape[1],
    )[0]  # fmt: skip


def _compared(trace: Trace) -> tuple[str, ...]:
    """The names of the queries and keys that are compared, and of the values."""
    return (*trace.program.step["scores"].operands, "V")


def _fusable(trace: Trace) -> bool:
    """Whether Q and K are there, and nothing between them and the weights is given."""
    between = {"scores", "scaled", "masked", "weights", "context"}
    return "scores" in trace and not trace.pinned & between


def _factor(trace: Trace) -> float:
    """What the scores are multiplied by."""
    operation = _operation(trace)
    if isinstance(operation, multiply_by):
        return operation.factor
    return 1 / math.sqrt(trace["K"].shape[-1])


def _operation(trace: Trace) -> object:
    return trace.program.step["scaled"].operation


def _widest(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, Cell]:
    """The largest |Δ| and its cell. Equal infinities are 0 apart, as are NaN and NaN."""
    a, b = ours.astype(float), theirs.astype(float)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
    gap[np.isnan(gap)] = math.inf  # NaN on one side alone
    cell = np.unravel_index(int(gap.argmax()), gap.shape)
    return float(gap[cell]), tuple(map(int, cell))


def _room(trace: Trace, name: str) -> float:
    """How far apart two computations in float64 may be without one of them being wrong."""
    share = RELATIVE
    if name in AFTER_SOFTMAX and "scaled" in trace:
        share = max(share, min(PER_SCORE * _size(trace["scaled"]), MOST_RELATIVE))
    return share * max(1.0, _size(trace[name]))


def _size(array: np.ndarray) -> float:
    """The largest |x| that is finite."""
    values = np.abs(array.astype(float))
    return float(values.max(initial=0.0, where=np.isfinite(values)))
