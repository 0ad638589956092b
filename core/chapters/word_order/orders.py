"""Orders of a sentence's tokens, and the matrix that puts rows into an order.

And the same words in two orders: which tokens have the same row after attention in both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import SHORT, tokenise
from core.chapters.word_order.encoding_parts import D_K, D_MODEL
from core.chapters.word_order.encodings import ENCODING, encoding_family
from core.errors import InputError
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
Order = tuple[int, ...]
"""For each new position, counted from 0, the position that its token had."""

BY_HAND = "hand"
"""The order that somebody typed."""
ORDERS: Mapping[str, Callable[[int], Order]] = MappingProxyType(
    {
        "typed": lambda T: tuple(range(T)),
        "earlier": lambda T: (*range(T - 2, -1, -1), T - 1),
        "front": lambda T: (T - 1, *range(T - 1)),
        "reversed": lambda T: tuple(range(T - 1, -1, -1)),
    }
)


def permutation_matrix(order: Order) -> Float[np.ndarray, "T T"]:
    """P with one 1 in each row and each column: row i of P·X is row order[i] of X."""
    return np.eye(len(order))[list(order)]


def order_of(text: str, again: str) -> Order:
    """Return the order that the same tokens have in `again`; as typed if that is empty.

    Equal tokens keep their order. Raises `InputError` if it has other tokens.
    """
    tokens, wanted = tokenise(text), tokenise(again) if again.strip() else ()
    if not wanted:
        return tuple(range(len(tokens)))
    places: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        places.setdefault(token, []).append(at)
    order = tuple(places[token].pop(0) for token in wanted if places.get(token))
    if not len(order) == len(wanted) == len(tokens):
        raise InputError(
            TEXTS("has_tokens", tokens=", ".join(wanted[:SHORT])),
            TEXTS("sentence_tokens", tokens=", ".join(tokens)),
            TEXTS("type_each"),
        )
    return order


ABOVE, BELOW = TEXTS("dog_bites"), TEXTS("man_bites")
MASK_TOGGLES = ("none", "causal")
SAME = 1e-9
"""Rows are the same if no number differs by more: floats are added in another order."""


@dataclass(frozen=True)
class SentencePair:
    """What attention reads in each sentence, and for each token above its position below.

    `same` says for each token above whether both of its rows are the same.
    """

    above: Trace
    below: Trace
    place: Sequence[int]
    same: Sequence[bool]


@lru_cache(maxsize=4)
def pair(mask: str, placed: bool) -> SentencePair:
    """Return the two runs, with a mask or without; `placed` adds a row for each position to X."""
    above, below = (_run(text, mask, placed) for text in (ABOVE, BELOW))
    place = [below.tokens.index(token) for token in above.tokens]
    gaps = np.abs(above["context"][0] - below["context"][0][place]).max(axis=-1)
    return SentencePair(above, below, place, [bool(gap <= SAME) for gap in gaps])


def _run(text: str, mask: str, placed: bool) -> Trace:
    given = toy_inputs(text, heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)
    X = np.array(given["X"])
    if placed:
        X = X + encoding_family(text).run(**{ENCODING.key: "sinusoidal"})["PE"]
    return attention_program(heads=1, mask=mask).run(Inputs({**given, "X": X}, given.tokens))
