"""What a call of attention was computed from, as tensors; and the call, its arrays copied."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.limits import MOST_FEATURES, MOST_MAPPED, MOST_REAL_HEADS
from core.program.numbers.display import shape_text
from core.pytorch.recorded_call import MOST_OF_CALL, RecordedCall
from core.texts import core_texts

TEXTS = core_texts("recordings")


class NotRecordedError(Exception):
    """A call that is left out; its text says why."""


@dataclass(frozen=True, eq=False)
class CallParts:
    """Tensors of one item: as in `RecordedCall`. What is None is computed from the others."""

    function: str
    Q: Tensor
    K: Tensor
    V: Tensor
    scale: float
    mask: Tensor | None = None
    causal: bool = False
    dropout: float = 0.0
    weights: Tensor | None = None
    context: Tensor | None = None
    output: Tensor | None = None
    batch: tuple[int, ...] = ()
    """The sizes of the batch that the item is from."""
    inner: str = ""
    """The module that was passed over, below the one that called."""


def recorded_call(name: str, parts: CallParts) -> RecordedCall:
    """Return a call with copies of its arrays. Raises `NotRecordedError` past a limit."""
    H, T, d_k = parts.Q.shape
    S, d_v = parts.V.shape[-2:]
    if max(T, S) > MOST_MAPPED or H > MOST_REAL_HEADS or max(d_k, d_v) > MOST_FEATURES:
        shapes = shape_text(parts.Q.shape), shape_text(parts.K.shape)
        raise NotRecordedError(TEXTS("too_large_a_call", Q=shapes[0], K=shapes[1], **MOST_OF_CALL))
    empty = _empty_rows(parts)
    weights = _weights(parts, empty) if parts.weights is None else parts.weights
    weights = weights.masked_fill(empty, 0.0)
    context = parts.context
    if context is None:
        V = _for_each_head(parts.V, H)
        context = weights.to(V.dtype) @ V
    tensors = {
        "Q": parts.Q,
        "K": parts.K,
        "V": parts.V,
        "mask": None if parts.mask is None else parts.mask.expand(*parts.mask.shape[:-2], T, S),
        "weights": weights,
        "context": context.masked_fill(empty, 0.0),
        "output": parts.output,
    }
    arrays = {name: array_of(tensor) for name, tensor in tensors.items() if tensor is not None}
    return RecordedCall(
        name=name,
        function=parts.function,
        arrays=arrays,
        shapes={array: values.shape for array, values in arrays.items()},
        causal=parts.causal,
        scale=parts.scale,
        dropout=parts.dropout,
        precision=str(parts.Q.dtype).removeprefix("torch."),
    )


def array_of(tensor: Tensor) -> np.ndarray:
    """Return a copy of a tensor's numbers. numpy has no bfloat16; float32 holds it exactly."""
    here = tensor.detach().cpu()
    return np.array((here.float() if here.dtype is torch.bfloat16 else here).numpy(), order="C")


def _for_each_head(shared: Tensor, heads: int) -> Tensor:
    """Keys or values that heads share, once for each head."""
    return shared.repeat_interleave(heads // len(shared), 0)


def _visible(parts: CallParts) -> Tensor | None:
    """Which keys can be seen, (…, T, S); None: all."""
    T, S = parts.Q.shape[1], parts.K.shape[1]
    visible = None
    if parts.mask is not None:
        visible = parts.mask if parts.mask.dtype is torch.bool else parts.mask != float("-inf")
    if parts.causal:
        triangle = torch.ones(T, S, dtype=torch.bool, device=parts.Q.device).tril()
        visible = triangle if visible is None else visible & triangle
    return visible


def _empty_rows(parts: CallParts) -> Tensor:
    """Which queries see no key, (…, T, 1)."""
    visible = _visible(parts)
    if visible is None:
        return torch.zeros(1, 1, dtype=torch.bool, device=parts.Q.device)
    return ~visible.any(-1, keepdim=True)


def _weights(parts: CallParts, empty: Tensor) -> Tensor:
    """softmax(QKᵀ · scale + mask), in float32 at least, as PyTorch's kernels compute it."""
    dtype = torch.promote_types(parts.Q.dtype, torch.float32)
    with torch.autocast(parts.Q.device.type, enabled=False):
        Q, K = parts.Q.to(dtype), _for_each_head(parts.K, len(parts.Q)).to(dtype)
        scores = (Q @ K.mT) * parts.scale
        if parts.mask is not None and parts.mask.dtype is not torch.bool:
            scores = scores + parts.mask
        visible = _visible(parts)
        if visible is not None:
            scores = scores.masked_fill(~visible, float("-inf"))
        return scores.masked_fill(empty, 0.0).softmax(-1)
