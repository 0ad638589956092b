"""What PyTorch's attention functions were given and returned, as one kind of call.

Each `..._parts` takes an item of the batch, a function's result and its arguments, and returns
what attention was computed from. Nothing here draws random numbers or changes a tensor.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from core.pytorch.call_parts import CallParts, NotRecordedError
from core.texts import core_texts

TEXTS = core_texts("recordings")
Parts = Callable[..., CallParts]


def sdpa_parts(
    item: int,
    result: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> CallParts:
    """Of `scaled_dot_product_attention`: (…, H, T, d_k); the axis before the last two is heads."""
    batch = np.broadcast_shapes(*(tuple(t.shape[:-3]) for t in (query, key, value)))
    Q, K, V, context = (_of_item(t, batch, item) for t in (query, key, value, result))
    mask = None
    if attn_mask is not None:
        heads = query.shape[-3:-2]  # none for two matrices
        mask = attn_mask.expand(*batch, *heads, Q.shape[-2], K.shape[-2])
        mask = _once(_of_item(mask, batch, item))
    name, scale = "scaled_dot_product_attention", _default_scale(Q) if scale is None else scale
    causal, dropout = bool(is_causal), float(dropout_p)
    call = CallParts(name, Q, K, V, float(scale), mask, causal, dropout, batch=batch)
    return call if dropout else replace(call, context=context)


def multihead_parts(item: int, result: Any, *args: Any, **kwargs: Any) -> CallParts:
    """Of `nn.MultiheadAttention`, as `F.multi_head_attention_forward` computes it."""
    bound = inspect.signature(functional.multi_head_attention_forward).bind(*args, **kwargs)
    bound.apply_defaults()
    given: Mapping[str, Any] = bound.arguments
    if given["static_k"] is not None or given["static_v"] is not None:
        raise NotRecordedError(TEXTS("static_keys"))
    batched = given["query"].dim() == 3
    batch = (given["query"].shape[1],) if batched else ()
    _check_item(batch, item)
    inputs = [given[n][:, item] if batched else given[n] for n in ("query", "key", "value")]
    H = given["num_heads"]
    Q, K, V = (
        functional.linear(x, W, b) for x, W, b in zip(inputs, *_projections(given), strict=True)
    )
    T, S = len(Q), len(K)
    K, V = _with_more_keys(given, K, V)
    Q, K, V = (x.view(len(x), H, -1).transpose(0, 1) for x in (Q, K, V))
    padding, mask = given["key_padding_mask"], given["attn_mask"]
    causal = given["is_causal"] and padding is None and not given["need_weights"]
    if causal:
        mask = None
    elif mask is not None and mask.dim() == 3:
        mask = mask.view(-1, H, T, S)[item]
    if padding is not None and batched:
        padding = padding[item]
    dropout = given["dropout_p"] if given["training"] else 0.0
    output, weights = result
    whole = given["need_weights"] and not given["average_attn_weights"] and not dropout
    if whole and batched:
        weights = weights[item]
    mask, scale = _visible_or_added(mask, padding, K.shape[1] - S), _default_scale(Q)
    call = CallParts("MultiheadAttention", Q, K, V, scale, mask, causal, dropout, batch=batch)
    output = output[:, item] if batched else output
    return replace(call, weights=weights if whole else None, output=output)


def native_multihead_parts(
    item: int,
    result: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_head: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    mask: Tensor | None = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> CallParts:
    """Of the fast path of `nn.MultiheadAttention`: self-attention of (B, T, E), no gradients."""
    masked = mask, mask_type
    parts = _packed_parts(item, query, num_head, qkv_weight, qkv_bias, masked)
    output, weights = result
    whole = need_weights and not average_attn_weights
    output = _of_item(output, parts.batch, item, axes=2)
    return replace(parts, output=output, weights=weights[item] if whole else None)


def encoder_layer_parts(
    item: int,
    result: Tensor,
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight: Tensor,
    norm_bias: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> CallParts:
    """Of the fast path of `nn.TransformerEncoderLayer`, which is one function for all of it."""
    norm = (norm_weight, norm_bias, eps) if norm_first else None
    masked = mask, mask_type
    parts = _packed_parts(item, src, num_heads, qkv_weight, qkv_bias, masked, norm)
    return replace(parts, inner="self_attn")


def interface_parts(
    item: int,
    result: Any,
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    fused: CallParts | None = None,
    **kwargs: Any,
) -> CallParts:
    """Of an attention function of transformers: queries, keys and values are (B, heads, T, d).

    `fused` is the call of `scaled_dot_product_attention` inside, if there was one. Its mask
    counts, except for a single query, whose heads transformers may place along the queries.
    """
    batch = (len(query),)
    output, weights = result[0], result[1] if len(result) > 1 else None
    if weights is None and fused is None:
        raise NotRecordedError(TEXTS("no_weights"))
    Q, K, V, context = (_of_item(t, batch, item) for t in (query, key, value, output))
    function = f"transformers {type(module).__name__}"
    scale = _default_scale(Q) if scaling is None else float(scaling)
    parts = CallParts(function, Q, K, V, scale, dropout=float(dropout), batch=batch)
    if not dropout:
        weights = None if weights is None else weights[item]
        parts = replace(parts, context=context.transpose(0, 1), weights=weights)
    if fused is not None and fused.Q.shape == Q.shape:
        return replace(parts, mask=fused.mask, causal=fused.causal)
    whole = (*batch, len(Q), Q.shape[1], K.shape[1])
    masks = [
        _once(_of_item(mask[..., : whole[-1]].expand(whole), batch, item))
        for mask in (attention_mask, position_bias)
        if mask is not None
    ]
    return replace(parts, mask=_joined(*masks) if masks else None)


PARTS_OF_CALL: Mapping[Any, Parts] = {
    functional.scaled_dot_product_attention: sdpa_parts,
    functional.multi_head_attention_forward: multihead_parts,
    torch._native_multi_head_attention: native_multihead_parts,
    torch._transformer_encoder_layer_fwd: encoder_layer_parts,
}
"""By the function that a call is of. One inside another is not seen."""


def _packed_parts(
    item: int,
    X: Tensor,
    heads: int,
    weight: Tensor,
    bias: Tensor | None,
    masked: tuple[Tensor | None, int | None],
    norm: tuple[Tensor, Tensor, float] | None = None,
) -> CallParts:
    """Of self-attention with W_Q, W_K and W_V in one.

    The mask hides where it is not 0. By its type it is (T, T), (B, T) or (B, H, T, T).
    """
    batch = (X.size(0),)
    _check_item(batch, item)
    rows = X.unbind()[item] if X.is_nested else X[item]
    if norm:
        rows = functional.layer_norm(rows, rows.shape[-1:], *norm)
    Q, K, V = (
        functional.linear(rows, weight, bias).view(len(rows), 3, heads, -1).permute(1, 2, 0, 3)
    )
    mask, mask_type = masked
    visible = None
    if mask is not None:
        visible = _once(mask[item] if mask_type else mask) == 0
        visible = visible if visible.dim() > 1 else visible[None]
    return CallParts("MultiheadAttention", Q, K, V, _default_scale(Q), visible, batch=batch)


def _projections(given: Mapping[str, Any]) -> tuple[list[Tensor], list[Tensor | None]]:
    """W_Q, W_K and W_V, and their biases."""
    if given["use_separate_proj_weight"]:
        weights = [given[f"{n}_proj_weight"] for n in "qkv"]
    else:
        weights = list(given["in_proj_weight"].chunk(3))
    bias = given["in_proj_bias"]
    return weights, [None] * 3 if bias is None else list(bias.chunk(3))


def _with_more_keys(given: Mapping[str, Any], K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    """K and V with the rows that `add_bias_kv` and `add_zero_attn` add below."""
    if given["bias_k"] is not None:
        K, V = torch.cat([K, given["bias_k"][0]]), torch.cat([V, given["bias_v"][0]])
    if given["add_zero_attn"]:
        K, V = (torch.cat([x, x.new_zeros(1, x.shape[1])]) for x in (K, V))
    return K, V


def _visible_or_added(mask: Tensor | None, padding: Tensor | None, more: int) -> Tensor | None:
    """The two masks of `MultiheadAttention` in one, in which more keys at the end are visible.

    Booleans, in which True hides, become ones in which True is visible.
    """
    masks = [
        functional.pad(~m, (0, more), value=True)
        if m.dtype is torch.bool
        else functional.pad(m, (0, more))
        for m in (mask, None if padding is None else padding[None])
        if m is not None
    ]
    return _joined(*masks) if masks else None


def _joined(first: Tensor, *others: Tensor) -> Tensor:
    """Masks in one: booleans if both are, else what is added to the scores."""
    for other in others:
        if first.dtype is other.dtype is torch.bool:
            first = first & other
        else:
            first = _added(first) + _added(other)
    return first


def _added(mask: Tensor) -> Tensor:
    """A mask as what is added to the scores."""
    if mask.dtype is not torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, float("-inf"))


def _of_item(tensor: Tensor, batch: tuple[int, ...], item: int, axes: int = 3) -> Tensor:
    """One item of a tensor with these axes before its last three, without a copy.

    Two matrices are one head.
    """
    _check_item(batch, item)
    if tensor.dim() < axes:
        return tensor[None]
    place = np.unravel_index(item, batch) if batch else ()
    return tensor.expand(*batch, *tensor.shape[-axes:])[tuple(map(int, place))]


def _check_item(batch: tuple[int, ...], item: int) -> None:
    """Raise `NotRecordedError` unless the batch has the item. Without a batch there is one."""
    size = int(np.prod(batch))
    if batch and item >= size:
        raise NotRecordedError(TEXTS("no_item", item=item, size=size))


def _once(mask: Tensor) -> Tensor:
    """A mask by heads as the one of them all, if it is the same memory."""
    return mask[0] if mask.dim() == 3 and (len(mask) == 1 or mask.stride(0) == 0) else mask


def _default_scale(Q: Tensor) -> float:
    return float(Q.shape[-1] ** -0.5)
