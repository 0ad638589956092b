"""The same trace by PyTorch, to check ours against: the judge, never the source of a number.

Mind the booleans: True keeps a key in `scaled_dot_product_attention`, and blocks it in
`nn.MultiheadAttention`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from core.operations.masking import visible
from core.operations.scaling import divide_by_root, multiply_by
from core.program.rounding import decimal_text
from core.program.trace import Trace


@dataclass(frozen=True)
class Difference:
    """How far we are from PyTorch: the largest |Δ|, where it is, and what it was compared with."""

    largest: float
    array: str
    judges: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"equals PyTorch's {' and '.join(self.judges)} (max |Δ| {decimal_text(self.largest)})"
        )


def available() -> bool:
    """Whether PyTorch is installed; asks without importing it."""
    return find_spec("torch") is not None


def torch_trace(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of the attention program by PyTorch in float64, from the same inputs and pins.

    `context` is that of `torch.nn.functional.scaled_dot_product_attention`, with `is_causal` for
    the causal mask, a boolean mask for the others, and `enable_gqa` where heads share keys.
    """
    import torch

    given = {n: torch.tensor(trace[n]) for n in trace if n not in trace.steps}
    made = dict(given)

    def step(name: str, value: torch.Tensor) -> torch.Tensor:
        return made.setdefault(name, value)

    X = made["X"]
    Q, K, V = (step(n, X @ made[f"W_{n}"]) for n in "QKV")
    group = Q.shape[0] // K.shape[0]
    scores = step("scores", Q @ K.repeat_interleave(group, 0).transpose(-1, -2))
    scaled = step("scaled", scores * _factor(trace))
    mask = step("mask", torch.tensor(trace["mask"]))
    masked = step("masked", scaled.masked_fill(~mask, float("-inf")))
    weights = step("weights", torch.softmax(masked, dim=-1).nan_to_num(0.0))
    context = _fused(trace, made) if _fusable(trace) else weights @ V.repeat_interleave(group, 0)
    concat = step("concat", step("context", context).transpose(0, 1).flatten(1))
    step("output", concat @ made["W_O"])
    return {name: made[name].numpy() for name in trace}


def multihead(trace: Trace) -> Mapping[str, np.ndarray] | None:
    """`weights` and `output` by `torch.nn.MultiheadAttention`, or None where it has no such case.

    It takes as many key/value heads as heads, d_k = d_v = d_model / heads, the scale 1/√d_k, and
    no row without a visible key.
    """
    import torch

    H, d_model, d_k = trace["W_Q"].shape
    fits = (
        trace["W_K"].shape == trace["W_V"].shape == (H, d_model, d_k)
        and H * d_k == d_model
        and isinstance(_operation(trace), divide_by_root)
        and not trace.pinned
        and trace["mask"].any(axis=1).all()
    )
    if not fits:
        return None
    layer = torch.nn.MultiheadAttention(d_model, H, bias=False, dtype=torch.float64)
    stacked = [np.concatenate(list(trace[f"W_{n}"]), axis=1).T for n in "QKV"]
    with torch.no_grad():
        assert layer.in_proj_weight is not None
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate(stacked)))
        layer.out_proj.weight.copy_(torch.tensor(trace["W_O"].T.copy()))
        X = torch.tensor(trace["X"])
        output, weights = layer(
            X, X, X, attn_mask=torch.tensor(~trace["mask"]), average_attn_weights=False
        )
    return {"weights": weights.numpy(), "output": output.numpy()}


def largest_difference(trace: Trace) -> Difference:
    """The largest |ours − PyTorch's| over all arrays; equal infinities differ by 0."""
    judged = [("", name, array) for name, array in torch_trace(trace).items()]
    judges = ["scaled_dot_product_attention"] if _fusable(trace) else ["softmax and matmul"]
    if layer := multihead(trace):
        judges.append("MultiheadAttention")
        judged += [("MultiheadAttention", name, array) for name, array in layer.items()]
    differences = [(_distance(trace[name], array), name) for _, name, array in judged]
    largest, array = max(differences)
    return Difference(largest, array, tuple(judges))


def _fused(trace: Trace, made: Mapping[str, Any]) -> Any:
    """softmax(QKᵀ · scale, masked) V in PyTorch's one fused call."""
    import torch

    Q, K, V = (torch.as_tensor(made[n])[None] for n in "QKV")
    rule = trace.steps["mask"].operation if "mask" in trace.steps else None
    causal = isinstance(rule, visible) and rule.rule.name == "causal"
    context = torch.nn.functional.scaled_dot_product_attention(
        Q, K, V,
        attn_mask=None if causal else torch.tensor(trace["mask"]),
        is_causal=causal,
        scale=_factor(trace),
        enable_gqa=Q.shape[1] != K.shape[1],
    )[0]  # fmt: skip
    empty = torch.tensor(~trace["mask"].any(axis=1))[:, None]
    return context.masked_fill(empty, 0.0)


def _fusable(trace: Trace) -> bool:
    """Whether nothing between Q, K and the weights is pinned."""
    return not trace.pinned & {"scores", "scaled", "masked", "weights", "context"}


def _factor(trace: Trace) -> float:
    """What the scores are multiplied by."""
    operation = _operation(trace)
    if isinstance(operation, multiply_by):
        return operation.factor
    return 1 / math.sqrt(trace["K"].shape[-1])


def _operation(trace: Trace) -> object:
    return trace.program.step["scaled"].operation


def _distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    same = ours == theirs
    gap = np.where(same, 0.0, ours.astype(float) - np.where(same, 0.0, theirs.astype(float)))
    return float(np.abs(gap).max(initial=0.0))
