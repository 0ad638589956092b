"""Any program by PyTorch, step by step: what each operation of the vocabulary is there.

The judge of every program, as `reference` is of attention as a whole; never the source of a number.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from core.operations import mistaken, norms, products, scores, shapes, sums
from core.operations.masking import mask_fill, visible
from core.operations.scaling import divide_by_root, multiply_by
from core.operations.softmax import softmax
from core.program.operation import Operation
from core.program.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

Judge = Callable[..., "Tensor"]
"""Takes the operation and its operands as tensors."""


def torch_steps(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of a run by PyTorch in float64, from the same inputs and pinned arrays."""
    import torch

    made = {name: torch.tensor(trace[name]) for name in trace if name not in trace.steps}
    for name, bound in trace.steps.items():
        operands = (made[operand] for operand in bound.step.operands)
        made[name] = JUDGES[type(bound.operation)](bound.operation, *operands)
    return {name: made[name].numpy() for name in trace}


def _matmul(product: products.matmul, a: "Tensor", b: "Tensor") -> "Tensor":
    if a.ndim == b.ndim == 3:
        b = b.repeat_interleave(a.shape[0] // b.shape[0], 0)
    return a @ (b.mT if product.transposed else b)


def _visible(mask: visible, sized: "Tensor") -> "Tensor":
    import torch

    T, S = sized.shape[-2:]
    i, j, size = torch.arange(T)[:, None], torch.arange(S), getattr(mask.rule, "size", 0)
    i = i + getattr(mask.rule, "offset", 0)
    causal = j <= i
    rules = {
        "none": causal | True,
        "causal": causal,
        "window": causal & (j > i - size),
        "prefix": causal | (j < size),
        "dilated": causal & ((i - j).remainder(max(size, 1)) == 0),
        "blocks": causal & (i.div(max(size, 1), rounding_mode="floor")
                            == j.div(max(size, 1), rounding_mode="floor")),
        "global": causal & ((j >= i - 1) | (j < size)),
    }  # fmt: skip
    return rules[mask.rule.name]


def _softmax(_: softmax, a: "Tensor", dim: int = -1) -> "Tensor":
    """PyTorch's softmax gives NaN for a row without a key; the product gives zeros there."""
    import torch

    return torch.softmax(a, dim).nan_to_num(0.0)


def _additive(_: scores.additive_score, q: "Tensor", k: "Tensor", v: "Tensor") -> "Tensor":
    return ((q.unsqueeze(-2) + k.unsqueeze(-3)).tanh() @ v.unsqueeze(-3)).squeeze(-1)


def _masked_fill(a: "Tensor", mask: "Tensor", number: float) -> "Tensor":
    return a.masked_fill(~mask, number)


def _add(total: sums.add, a: "Tensor", b: "Tensor") -> "Tensor":
    import torch

    left, right = total.template.split("->")
    spelled = [side.replace(" ", "") for side in (*left.split(","), right)]
    one = torch.ones(a.shape, dtype=a.dtype)
    return a + torch.einsum(f"{spelled[0]},{spelled[1]}->{spelled[2]}", one, b)


def _running_sum(total: sums.running_sum, a: "Tensor") -> "Tensor":
    index = total.template.split("->")[0].split()
    axis = next(n for n, part in enumerate(index) if "<=" in part)
    before = int(index[axis].partition("+")[2] or 0)
    return a.cumsum(axis).narrow(axis, before, a.shape[axis] - before)


def _concatenated(_: shapes.append_rows, *parts: "Tensor") -> "Tensor":
    import torch

    return torch.cat(parts, dim=-2)


def _normalised(_: norms.normalise_rows, a: "Tensor") -> "Tensor":
    import torch

    return torch.nn.functional.normalize(a, dim=-1, eps=norms.SHORTEST)


JUDGES: Mapping[type[Operation], Judge] = {
    products.matmul: _matmul,
    products.outer: lambda _, a, b: a.unsqueeze(-1) * b.unsqueeze(-2),
    divide_by_root: lambda _, a, b: a / b.shape[-1] ** 0.5,
    multiply_by: lambda operation, a: a * operation.factor,
    visible: _visible,
    mask_fill: lambda _, a, mask: _masked_fill(a, mask, -float("inf")),
    softmax: _softmax,
    sums.add: _add,
    sums.running_sum: _running_sum,
    shapes.join_heads: lambda _, a: a.transpose(0, 1).flatten(1),
    shapes.lay_out: lambda _, a: a.reshape(1, -1),
    shapes.split_heads: lambda how, a: a.view(-1, how.n_heads, how.d_k).transpose(0, 1),
    shapes.one_head: lambda _, a: a.unsqueeze(0),
    shapes.append_rows: _concatenated,
    norms.normalise_rows: _normalised,
    scores.additive_score: _additive,
    scores.uniform_score: lambda _, q, k: (q @ k.mT) * 0.0,
    mistaken.softmax_then_mask: lambda _, a, mask: a.softmax(-1) * mask,
    mistaken.plain_softmax: lambda _, a: a.softmax(-1),
    mistaken.softmax_over_queries: lambda how, a: _softmax(how, a, -2),
    mistaken.fill_with: lambda how, a, mask: _masked_fill(a, mask, how.number),
    mistaken.subtract_where_hidden: lambda how, a, mask: a.where(mask, a - how.amount),
    mistaken.divide_by_root_of_width: lambda _, a, b: a / b.shape[-1] ** 0.5,
    mistaken.divide_and_fill: lambda _, a, b, mask: _masked_fill(
        a / b.shape[-1] ** 0.5, mask, -float("inf")
    ),
    mistaken.reshape_heads: lambda how, a: a.reshape(how.n_heads, -1, how.d_k),
}
"""Every operation of the vocabulary; a test finds one that is missing."""
