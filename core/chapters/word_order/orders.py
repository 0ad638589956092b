"""Orders of a sentence's tokens, and the matrix that puts rows into an order."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.attention.tokens import SHORT, tokenise
from core.errors import InputError
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
