"""What a head does on a text, as numbers from 0 to 1 that anyone can recompute from its weights.

Throughout, w is the (T, T) matrix of weights (row i: what token i reads, adding up to 1), t the
list of tokens, and i, j count from 0. Most scores count some cells of w: they are the mean, over
the rows with a counted cell, of the weight in that row's counted cells. A score says what this head
does on this text. It does not say what it does on other texts, nor what the model uses it for.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from core.models.token_text import spaced_token

Weights = Float[np.ndarray, "T T"]
Cells = Bool[np.ndarray, "T T"]
Tokens = Sequence[str]
HeadScore = Callable[[Weights, Tokens], float]


def counted_weight(weights: Weights, cells: Cells) -> float:
    """Mean over the rows with a counted cell of the weight in that row's counted cells."""
    rows = cells.any(axis=1)
    return _mean((weights * cells).sum(axis=1)[rows])


def previous_token(tokens: Tokens) -> Cells:
    """w[i, i−1] of each i ≥ 1."""
    return np.eye(len(tokens), k=-1, dtype=bool)


def next_token(tokens: Tokens) -> Cells:
    """w[i, i+1] of each i < T−1: its score is 0 under a causal mask."""
    return np.eye(len(tokens), k=1, dtype=bool)


def own_token(tokens: Tokens) -> Cells:
    """w[i, i] of each i ≥ 1. Row 0 is left out: under a causal mask it has no choice."""
    cells = np.eye(len(tokens), dtype=bool)
    cells[0] = False
    return cells


def first_token(tokens: Tokens) -> Cells:
    """w[i, 0] of each i ≥ 1: near 1, the first token is a sink (Xiao et al. 2023)."""
    return _column(len(tokens), 0)


def last_token(tokens: Tokens) -> Cells:
    """w[i, T−1] of each i < T−1: 0 under a causal mask. In BERT the last token is [SEP]."""
    return _column(len(tokens), len(tokens) - 1)


def same_token(tokens: Tokens) -> Cells:
    """w[i, j] of each j < i with t[j] = t[i]."""
    words = np.array(tokens, object)
    cells: Cells = np.equal.outer(words, words).astype(bool) & _earlier(len(tokens))
    return cells


def induction(tokens: Tokens) -> Cells:
    """w[i, j+1] of each j < i−1 with t[j] = t[i].

    The token after the earlier equal one is what comes next if the text repeats itself (Olsson et
    al. 2022).
    """
    cells = np.zeros((len(tokens),) * 2, bool)
    cells[:, 1:] = same_token(tokens)[:, :-1]
    cells &= _earlier(len(tokens))
    return cells


def punctuation(tokens: Tokens) -> Cells:
    """w[i, j] of each j < i with t[j] punctuation."""
    marks = np.array([is_punctuation(token) for token in tokens], bool)
    cells: Cells = marks & _earlier(len(tokens))
    return cells


def evenness(weights: Weights, tokens: Tokens) -> float:
    """Mean over i ≥ 1 of −Σ w[i, j] ln w[i, j] / ln n, where row i sees n keys: 1 if all are equal.

    n is i+1 if no weight is above the diagonal (a causal mask), otherwise T.
    """
    T = len(weights)
    seen = np.arange(1, T + 1) if not np.triu(weights, 1).any() else np.full(T, T)
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return _mean((-(weights * logs).sum(axis=1))[1:] / np.log(seen[1:]))


def distance(weights: Weights, tokens: Tokens) -> float:
    """Mean over i ≥ 1 of Σ w[i, j] · |i − j| / (T − 1)."""
    T = len(weights)
    apart = np.abs(np.subtract.outer(np.arange(T), np.arange(T)))
    return _mean((weights * apart).sum(axis=1)[1:] / max(T - 1, 1))


def linked_words(weights: Weights, pairs: Sequence[tuple[int, int]]) -> float:
    """Mean over chosen pairs (i, j) of w[i, j]: whether i reads the j that it goes with.

    A person chooses the pairs, such as a pronoun and its noun, before any weight is seen.
    """
    return _mean(weights[i, j] for i, j in pairs)


def others_weight(weights: Weights, pair: tuple[int, int]) -> float:
    """Mean of w[k, j] over the rows k that see token j, without i and j: what w[i, j] is to be
    compared with. Under a causal mask these are the rows below j.
    """
    i, j = pair
    first = 0 if np.triu(weights, 1).any() else j
    return _mean(weights[k, j] for k in range(first, len(weights)) if k not in (i, j))


def first_token_by_layer(maps: Float[np.ndarray, "L H T T"]) -> Float[np.ndarray, "L"]:
    """Return for each layer how much weight goes to the first token: mean over heads and i ≥ 1."""
    means: np.ndarray = maps[:, :, 1:, 0].mean(axis=(1, 2))
    return means


COUNTED_CELLS: Mapping[str, Callable[[Tokens], Cells]] = {
    "previous_token": previous_token,
    "next_token": next_token,
    "own_token": own_token,
    "first_token": first_token,
    "last_token": last_token,
    "same_token": same_token,
    "induction": induction,
    "punctuation": punctuation,
}
"""The cells that each of these scores counts: it is their `counted_weight`."""


def _of_cells(counted: Callable[[Tokens], Cells]) -> HeadScore:
    return lambda weights, tokens: counted_weight(weights, counted(tokens))


HEAD_SCORES: Mapping[str, HeadScore] = {
    name: _of_cells(counted) for name, counted in COUNTED_CELLS.items()
} | {"evenness": evenness, "distance": distance}
"""The scores that need no pairs. A score's name is also the id of its texts, in `real_heads.md`."""


def is_punctuation(token: str) -> bool:
    """Whether a token has neither letters nor digits, once the signs of its tokeniser are off.

    Byte-level tokenisers write a space as Ġ and a new line as Ċ. A token of only white space is not
    punctuation, nor is one in square brackets, such as [CLS].
    """
    text = spaced_token(re.sub(r"^\[[A-Z]+\]$", "", token)).strip()
    return bool(text) and not any(c.isalnum() for c in text)


def _earlier(T: int) -> Cells:
    """Whether the key is before the query."""
    return np.tri(T, k=-1, dtype=bool)


def _column(T: int, at: int) -> Cells:
    """One key, for every other query."""
    cells = np.zeros((T, T), bool)
    cells[:, at] = True
    cells[at] = False
    return cells


def _mean(values: Iterable[float]) -> float:
    """Return the mean of some numbers; 0 if there are none, because then nothing is shown."""
    numbers = np.fromiter(values, float)
    return float(numbers.mean()) if len(numbers) else 0.0
