"""What a wide spread of scores does to softmax: nearly all weight on one key, hardly any gradient.

The scores are those of `variance`: one query against eight keys, entries drawn from N(0, 1).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.chapters.why_scale.variance import DIMENSIONS, divided_by_root, dot_products, draw_vectors
from core.operations.softmax import softmax

N_KEYS = 8


ROWS = 1_000
"""Rows of scores behind each mean of a saturation curve."""


ROW_D = 64
"""The d of the one row of scores that is looked at closely."""


ROW_ROOT = math.isqrt(ROW_D)


def weights_of(scores: Float[np.ndarray, "*rows keys"]) -> Float[np.ndarray, "*rows keys"]:
    """Softmax along the last axis, as the walkthrough computes it. In [0, 1], rows sum to 1."""
    return softmax().forward(scores)


def entropy(weights: Float[np.ndarray, "*rows keys"]) -> Float[np.ndarray, "*rows"]:
    """−Σ p log p in nats, with 0 log 0 = 0: from 0 (one key has all) to log n (all equal)."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    nats: np.ndarray = np.asarray(0.0 - (weights * logs).sum(axis=-1))
    return nats


def softmax_jacobian(
    weights: Float[np.ndarray, "*rows keys"],
) -> Float[np.ndarray, "*rows keys keys"]:
    """∂p_i/∂s_j = p_i (δ_ij − p_j), that is diag(p) − p pᵀ, with s what enters softmax."""
    identity = np.eye(weights.shape[-1])
    jacobian: np.ndarray = weights[..., :, None] * (identity - weights[..., None, :])
    return jacobian


def jacobian_norm(weights: Float[np.ndarray, "*rows keys"]) -> Float[np.ndarray, "*rows"]:
    """The Frobenius norm of softmax's Jacobian: from 0 (saturated) to 1/2 (two keys, half each)."""
    norm: np.ndarray = np.asarray(np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1)))
    return norm


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The weights of one row of scores, and how sharp they are."""

    weights: Float[np.ndarray, "keys"]

    @property
    def largest(self) -> float:
        return float(self.weights.max())

    @property
    def nats(self) -> float:
        return float(entropy(self.weights))

    @property
    def bits(self) -> float:
        """Entropy in bits: nats / log 2."""
        return self.nats / float(np.log(2))

    @property
    def most_bits(self) -> float:
        """log2 n, the entropy of equal weights."""
        return float(np.log2(len(self.weights)))

    @property
    def jacobian_norm(self) -> float:
        return float(jacobian_norm(self.weights))


@dataclass(frozen=True, eq=False)
class Means:
    """Means over many rows of weights, at each d of `DIMENSIONS`."""

    largest: Float[np.ndarray, "D"]
    evenness: Float[np.ndarray, "D"]
    """Entropy relative to log n."""
    jacobian_norm: Float[np.ndarray, "D"]


@dataclass(frozen=True, eq=False)
class Saturation:
    """Rows of one query against `N_KEYS` keys: means with and without scaling, and one row."""

    unscaled: Means
    scaled: Means
    row: Float[np.ndarray, "keys"]
    """The first row of raw scores at `ROW_D`."""

    def at(self, d: int) -> tuple[float, float]:
        """The mean largest weight at one d: without scaling, with it."""
        n = DIMENSIONS.index(d)
        return float(self.unscaled.largest[n]), float(self.scaled.largest[n])

    def divided(self, divisor: int | float) -> RowWeights:
        """The weights of the row when its scores are divided first (a softmax temperature)."""
        return RowWeights(weights_of(self.row / divisor))


@lru_cache(maxsize=64)
def saturation(seed: int, rows: int = ROWS) -> Saturation:
    """Return the weights of one query over eight keys at every d, with √d and without."""
    products = dot_products(draw_vectors(rows, N_KEYS, seed))
    row = products[DIMENSIONS.index(ROW_D), 0].copy()
    unscaled, scaled = (_means(weights_of(s)) for s in (products, divided_by_root(products)))
    return Saturation(unscaled, scaled, row)


def _means(weights: Float[np.ndarray, "D rows keys"]) -> Means:
    return Means(
        weights.max(axis=-1).mean(axis=-1),
        entropy(weights).mean(axis=-1) / np.log(weights.shape[-1]),
        jacobian_norm(weights).mean(axis=-1),
    )
