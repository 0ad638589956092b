"""What one layer's attention computed, and the numpy that both models have in common."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LayerAttention:
    """The heads of one layer: Q (H, T, d_k), K and V (G, T, d_k), weights (H, T, T), context
    (H, T, d_k); G divides H.
    """

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    weights: np.ndarray
    context: np.ndarray


def attend(Q: np.ndarray, K: np.ndarray, V: np.ndarray, causal: bool) -> LayerAttention:
    """Return softmax(mask(QKᵀ / √d_k)) V of every head."""
    per_group = len(Q) // len(K)
    keys, values = (np.repeat(a, per_group, axis=0) for a in (K, V))
    scores = Q @ keys.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    if causal:
        scores = np.where(np.tri(Q.shape[1], dtype=bool), scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return LayerAttention(Q, K, V, weights, weights @ values)


def split_heads(rows: np.ndarray, heads: int) -> np.ndarray:
    """Return T rows of heads next to each other as (heads, T, d_k)."""
    return rows.reshape(len(rows), heads, -1).transpose(1, 0, 2)


def join_heads(context: np.ndarray) -> np.ndarray:
    """Return (heads, T, d_k) as T rows of heads next to each other."""
    return context.transpose(1, 0, 2).reshape(context.shape[1], -1)
