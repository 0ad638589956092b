"""Toy inputs: embeddings and weights for a sentence, as decimals with one digit.

Every number is drawn from a hash (SHAKE-256), not from a random generator, so that it is the same
on every machine and in every version: a word's vector depends on the word alone, a weight on the
seed, its matrix, its row and its column. One digit keeps Q, K, V and the raw scores exact decimals.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.tokens import tokenise
from core.errors import input_error
from core.hash_random import Draw
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from core.program.inputs import Inputs
from core.texts import core_texts

TEXTS = core_texts("setups")
SEED = 0
"""The seed of weights where nobody gives another."""
_EMBEDDING_VARIANCE = 2 * (10 * 11 / 3) / 100


def toy_inputs(
    text: str | Sequence[str],
    *,
    heads: int = 2,
    kv_heads: int | None = None,
    d_model: int = 8,
    d_k: int | None = None,
    d_v: int | None = None,
    seed: int = SEED,
    mask: np.ndarray | None = None,
) -> Inputs:
    """X, W_Q, W_K, W_V and W_O for a sentence, or for a list of tokens.

    Each weight matrix is one seeded draw, d_model wide, that is cut into heads; fewer key/value
    heads take its first blocks. d_k and d_v are d_model / heads unless given. `mask` (T, S) is for
    a program with a custom mask. Raises `InputError` past a limit.
    """
    words = text if isinstance(text, str) else tuple(text)
    drawn = _drawn(words, heads, kv_heads, d_model, d_k, d_v, seed)
    if mask is None:
        return drawn
    given = np.array(mask)
    given.setflags(write=False)
    return Inputs({**drawn, "mask": given}, drawn.tokens)


@lru_cache(maxsize=64, typed=True)  # a seed of 1.0 is refused
def _drawn(
    text: str | tuple[str, ...],
    heads: int,
    kv_heads: int | None,
    d_model: int,
    d_k: int | None,
    d_v: int | None,
    seed: int,
) -> Inputs:
    """`toy_inputs` without a mask."""
    tokens = tokenise(text) if isinstance(text, str) else list(text)
    check_tokens(len(tokens))
    groups = heads if kv_heads is None else kv_heads
    check_sizes(heads, groups, d_model, split=d_k is None or d_v is None)
    _check_range("seed", seed, 0, MAX_SEED)
    d_k, d_v = d_k or d_model // heads, d_v or d_model // heads
    for name, width in (("d_k", d_k), ("d_v", d_v)):
        _check_range(name, width, 1, MAX_D_MODEL)
    arrays = {
        "X": np.stack([embedding(token, d_model) for token in tokens]),
        "W_Q": _split(_weights(seed, "W_Q", d_model, heads * d_k, d_model), heads),
        "W_K": _split(_weights(seed, "W_K", d_model, heads * d_k, d_model), heads)[:groups],
        "W_V": _split(_weights(seed, "W_V", d_model, heads * d_v, d_model), heads)[:groups],
        "W_O": _weights(seed, "W_O", heads * d_v, d_model, heads * d_v),
    }
    for array in arrays.values():
        array.setflags(write=False)
    return Inputs(arrays, tuple(tokens))


@lru_cache(maxsize=1024)
def embedding(word: str, d_model: int) -> Float[np.ndarray, "d_model"]:
    """The static vector of a word: one-digit decimals in [−2, 2], the same in every sentence."""
    numbers = Draw(f"word:{word}").around_zero(10, 2 * d_model)
    vector: np.ndarray = np.round(numbers.reshape(d_model, 2).sum(axis=1) / 10, 1)
    vector.setflags(write=False)
    return vector[:]  # a view: nobody who is given it can make it writable


def check_sizes(heads: int, kv_heads: int, d_model: int, split: bool = True) -> None:
    """Raise `InputError` unless so many heads and key/value heads fit d_model."""
    _check_range("d_model", d_model, 1, MAX_D_MODEL)
    check_heads(heads, kv_heads)
    if split and d_model % heads:
        fitting = [str(n) for n in range(1, MAX_HEADS + 1) if d_model % n == 0]
        raise input_error(TEXTS, "uneven", heads=heads, d_model=d_model, fitting=_any_of(fitting))


def check_heads(heads: int, kv_heads: int) -> None:
    """Raise `InputError` unless so many key/value heads can serve so many heads."""
    _check_range("heads", heads, 1, MAX_HEADS)
    if kv_heads < 1 or heads % kv_heads:
        fitting = [str(n) for n in range(1, heads + 1) if heads % n == 0]
        raise input_error(
            TEXTS, "unserved", kv_heads=kv_heads, heads=heads, fitting=_any_of(fitting)
        )


def check_tokens(count: int) -> None:
    """Raise `InputError` if a matrix has more rows than the product shows."""
    _check_range(TEXTS("tokens"), count, 1, MAX_TOKENS)


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise input_error(TEXTS, "out_of_range", name=name, number=str(value), low=low, high=high)


def _any_of(values: list[str]) -> str:
    """Return values as a sentence lists a choice: "1", "1 or 2", "1, 2 or 4"."""
    *first, last = values
    return TEXTS("any_of", first=", ".join(first), last=last) if first else last


@lru_cache(maxsize=128)
def _weights(
    seed: int, name: str, rows: int, columns: int, width: int
) -> Float[np.ndarray, "rows columns"]:
    """One-digit decimals, uniform, spread so that x·w has about unit variance (Glorot's rule)."""
    spread = 300 / (width * _EMBEDDING_VARIANCE)  # r(r + 1) for whole tenths from −r to r
    largest = max(1, round((np.sqrt(1 + 4 * spread) - 1) / 2))
    lines = [Draw(f"{name}:{seed}:{row}").around_zero(largest, columns) for row in range(rows)]
    matrix: np.ndarray = np.round(np.stack(lines) / 10, 1)
    matrix.setflags(write=False)
    return matrix[:]


def _split(matrix: np.ndarray, heads: int) -> Float[np.ndarray, "heads rows width"]:
    """Columns cut into one block a head."""
    rows, columns = matrix.shape
    return np.ascontiguousarray(matrix.reshape(rows, heads, columns // heads).swapaxes(0, 1))
