"""How far scores spread as vectors get longer, and what a wide spread does to softmax: nearly all
weight on one key, hardly any gradient.

Throughout, the entries of q and k are independent draws from N(0, 1): mean 0, variance 1. That
describes projections as they are initialised, and nothing after training has moved them. d is the
length of q and k, so the head dimension d_k and not d_model. Every draw is made once, at the
largest d; its first d entries are the draw for a smaller d. Softmax gets the scores of one query
and eight keys.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float

from core.operations.softmax import softmax

DIMENSIONS = (1, 2, 4, 8, 16, 32, 64, 128)
DRAWS = (500, 1_000, 2_000, 5_000, 10_000, 20_000)
GRID_D = 4
"""The d at which the terms of the variance are laid out one by one."""
_EDGES = np.linspace(-64, 64, 257)


def draw_vectors(rows: int, keys: int, seed: int) -> Float[np.ndarray, "rows vectors d"]:
    """`rows` times one query and then `keys` keys, at the largest d."""
    return np.random.default_rng(seed).standard_normal((rows, 1 + keys, DIMENSIONS[-1]))


def dot_products(vectors: Float[np.ndarray, "rows vectors d"]) -> Float[np.ndarray, "D rows keys"]:
    """q·k = Σ q_i k_i for every d of `DIMENSIONS`: sums over the first d terms.

    E[q·k] = 0 and Var(q·k) = d, so Var(q·k / √d) = 1 (Vaswani et al. 2017, footnote 4).
    """
    q, k = vectors[:, :1], vectors[:, 1:]
    sums = np.cumsum(q * k, axis=-1)[..., np.array(DIMENSIONS) - 1]
    return np.moveaxis(sums, -1, 0)


def divided_by_root(products: Float[np.ndarray, "D rows keys"]) -> Float[np.ndarray, "D rows keys"]:
    """q·k / √d, each d by its own root."""
    scaled: np.ndarray = products / np.sqrt(DIMENSIONS)[:, None, None]
    return scaled


@dataclass(frozen=True, eq=False)
class DotProductSample:
    """n draws of q·k at each d of `DIMENSIONS`, and the terms of their variance at `GRID_D`.

    `grid` holds the means over the draws of q_i k_i q_j k_j. Their expected values are 1 where
    i = j and 0 elsewhere, and Var(q·k) is the sum of all d² of them, which is d.
    """

    products: Float[np.ndarray, "D n 1"]
    scaled: Float[np.ndarray, "D n 1"]
    grid: Float[np.ndarray, "d d"]

    @property
    def grid_sum(self) -> float:
        """The sum of all terms: the mean of (q·k)² at `GRID_D`."""
        return float(self.grid.sum())

    def at(self, d: int) -> "DotProductSpread":
        """The draws for one d."""
        n = DIMENSIONS.index(d)
        return DotProductSpread(
            mean=float(self.means[n]),
            variance=float(self.variances[n]),
            scaled_variance=float(self.scaled_variances[n]),
            plain=histogram(self.products[n]),
            scaled=histogram(self.scaled[n]),
        )

    @cached_property
    def means(self) -> Float[np.ndarray, "D"]:
        """The mean of q·k at each d; about 0."""
        means: np.ndarray = self.products.mean(axis=(1, 2))
        return means

    @cached_property
    def variances(self) -> Float[np.ndarray, "D"]:
        """The variance of q·k at each d; about d."""
        variances: np.ndarray = self.products.var(axis=(1, 2))
        return variances

    @cached_property
    def scaled_variances(self) -> Float[np.ndarray, "D"]:
        """The variance of q·k / √d at each d; about 1."""
        variances: np.ndarray = self.scaled.var(axis=(1, 2))
        return variances


@dataclass(frozen=True, eq=False)
class Histogram:
    """The share of draws in each bin, with the bins' middles and one width for all."""

    middles: Float[np.ndarray, "bins"]
    shares: Float[np.ndarray, "bins"]
    width: float
    deviation: float
    """The standard deviation of the draws."""


@dataclass(frozen=True, eq=False)
class DotProductSpread:
    """How the draws of q·k and of q·k / √d are spread at one d."""

    mean: float
    variance: float
    scaled_variance: float
    plain: Histogram
    scaled: Histogram


def histogram(values: Float[np.ndarray, "n 1"]) -> Histogram:
    """Bins of one width from −64 to 64, the same for every d; only those up to the last draw."""
    counts, _ = np.histogram(values, _EDGES)
    used = np.flatnonzero(counts)
    kept = slice(used[0], used[-1] + 1)
    middles = (_EDGES[:-1] + _EDGES[1:]) / 2
    width = float(_EDGES[1] - _EDGES[0])
    return Histogram(middles[kept], counts[kept] / len(values), width, float(values.std()))


@lru_cache(maxsize=16)
def sample(draws: int, seed: int) -> DotProductSample:
    """`draws` pairs of q and k, all from one seed."""
    vectors = draw_vectors(draws, 1, seed)
    products = dot_products(vectors)
    terms = vectors[:, 0, :GRID_D] * vectors[:, 1, :GRID_D]
    drawn = DotProductSample(products, divided_by_root(products), terms.T @ terms / draws)
    for array in vars(drawn).values():
        array.setflags(write=False)
    return drawn


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
