"""What the layers of transformers are made of, on plain arrays of float32 or float64.

Throughout, T is the number of tokens, H of query heads, G of key/value heads.
"""

from math import erf

import numpy as np
from jaxtyping import Bool, Float

from core.models.transformer.settings import GELU, SILU, Rope

_erf = np.vectorize(erf, otypes=[np.float64])


def layer_normed(
    rows: Float[np.ndarray, "T d"],
    gain: Float[np.ndarray, "d"],
    bias: Float[np.ndarray, "d"],
    eps: float,
) -> Float[np.ndarray, "T d"]:
    """(x − mean) / √(variance + ε) · gain + bias, row by row (Ba et al. 2016)."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    normed: np.ndarray = centred / np.sqrt(variance + rows.dtype.type(eps)) * gain + bias
    return normed


def rms_normed(
    rows: Float[np.ndarray, "*T d"], gain: Float[np.ndarray, "d"], eps: float
) -> Float[np.ndarray, "*T d"]:
    """x / √(mean of x² + ε) · gain, row by row (Zhang and Sennrich 2019)."""
    size = np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + rows.dtype.type(eps))
    normed: np.ndarray = rows / size * gain
    return normed


def activate(name: str, entries: np.ndarray) -> np.ndarray:
    """GELU, its approximation by tanh (Hendrycks and Gimpel 2016), or SiLU, entry by entry."""
    if name == SILU:
        silu: np.ndarray = entries / (1 + np.exp(-entries))
        return silu
    if name == GELU:
        of_normal = 1 + _erf(entries / np.sqrt(2)).astype(entries.dtype)
    else:
        of_normal = 1 + np.tanh(
            np.sqrt(2 / np.pi, dtype=entries.dtype) * (entries + 0.044715 * entries**3)
        )
    made: np.ndarray = entries * of_normal / 2
    return made


def feature_frequencies(rope: Rope) -> Float[np.ndarray, "d_head"]:
    """Return the angle from one position to the next, for each feature: ∓ the one of its pair.

    The first feature of a pair has the minus sign, so that `rotate_pairs` turns a pair (a, b) into
    (a cos θ − b sin θ, b cos θ + a sin θ) by one rule (Su et al. 2021, equation 34).
    """
    of_pairs = np.array(rope.frequencies)
    if rope.halves:
        return np.concatenate([-of_pairs, of_pairs])
    return np.stack([-of_pairs, of_pairs], axis=-1).ravel()


def rotated(
    vectors: Float[np.ndarray, "H T d_head"], angles: Float[np.ndarray, "T d_head"], halves: bool
) -> Float[np.ndarray, "H T d_head"]:
    """Return each feature times its cosine plus its partner times its sine: pairs are turned."""
    width = vectors.shape[-1]
    pairs = vectors.reshape(*vectors.shape[:-1], -1, 2, width // 2 if halves else 1)
    partners = pairs[..., ::-1, :].reshape(vectors.shape)
    cosines, sines = (f(angles).astype(vectors.dtype) for f in (np.cos, np.sin))
    turned: np.ndarray = vectors * cosines + partners * sines
    return turned


def heads_of_rows(rows: Float[np.ndarray, "T c"], heads: int) -> Float[np.ndarray, "H T d_head"]:
    """Return rows of heads next to each other as one matrix a head."""
    return rows.reshape(len(rows), heads, -1).transpose(1, 0, 2)


def heads_side_by_side(context: Float[np.ndarray, "H T d_head"]) -> Float[np.ndarray, "T c"]:
    """Return matrices of heads as rows of heads next to each other."""
    return context.transpose(1, 0, 2).reshape(context.shape[1], -1)


def attention_weights(
    Q: Float[np.ndarray, "H T d_head"],
    K: Float[np.ndarray, "G T d_head"],
    visible: Bool[np.ndarray, "T T"] | None,
    is_scaled: bool,
) -> Float[np.ndarray, "H T T"]:
    """Return softmax(mask(QKᵀ / √d_k)) of every head; without a mask every key is visible."""
    keys = np.repeat(K, len(Q) // len(K), axis=0)
    scores = Q @ keys.transpose(0, 2, 1)
    if is_scaled:
        scores /= np.sqrt(Q.shape[-1], dtype=Q.dtype)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf).astype(Q.dtype)
    return softmax_of_rows(scores)


def softmax_of_rows(scores: np.ndarray) -> np.ndarray:
    """Return e to each entry over the sum of its row; each row has an entry that is not −∞."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: np.ndarray = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights
