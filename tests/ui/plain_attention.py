"""Attention in a few lines of numpy, for claims of pages: nothing of it is the core's."""

from collections.abc import Mapping

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Shares of 1, row by row; zeros in a row of nothing but −∞."""
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        powers = np.exp(row - max(row.max(), -1e300))
        rows.append(powers / powers.sum() if powers.any() else powers)
    return np.array(rows).reshape(scores.shape)


def attend(
    arrays: Mapping[str, np.ndarray], mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of each head and what it reads; causal unless a mask says otherwise."""
    X, W_Q = arrays["X"], arrays["W_Q"]
    visible = np.tri(len(X), dtype=bool) if mask is None else mask
    weights, read = [], []
    for h in range(len(W_Q)):
        g = h * len(arrays["W_K"]) // len(W_Q)
        scores = (X @ W_Q[h]) @ (X @ arrays["W_K"][g]).T / np.sqrt(W_Q.shape[-1])
        weights.append(softmax(np.where(visible, scores, -np.inf)))
        read.append(weights[-1] @ (X @ arrays["W_V"][g]))
    return np.array(weights), np.array(read)


def output(arrays: Mapping[str, np.ndarray], mask: np.ndarray | None = None) -> np.ndarray:
    """The heads side by side, times W_O."""
    return np.concatenate(list(attend(arrays, mask)[1]), axis=-1) @ arrays["W_O"]
