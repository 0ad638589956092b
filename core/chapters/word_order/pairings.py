"""Which features of a row RoPE turns as a pair: neighbours, or one of each half of the row.

Neighbours (1 with 2, 3 with 4): Su et al. (2021), and the code that Meta published with Llama.
Halves (1 with 3, 2 with 4): Hugging Face's port of it, whose conversion of the weights puts the
output features of W_Q and W_K, head by head, into the order that makes the scores the same.

A picture shows the paths along which the pairs turn, as arrows.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from core.chapters.word_order.encoding_parts import D_K, frequencies
from core.program.labels import listed_names
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
QUERY, KEY = (1, 2, 3, 4), (1, 0, -1, 2)
DISTANCE = 2
"""How many positions the query is after the key."""

ARROW_STEP = 0.2
"""Of an arrow that turns, in radians, the points by which its way is drawn."""

ArrowPath = list[tuple[float, float]]
"""The points through which the tip of an arrow goes."""
Row = Float[np.ndarray, "d_k"]
Pairs = Int[np.ndarray, "pairs 2"]
"""Two features, counted from 0, for each angle."""


@dataclass(frozen=True)
class Pairing:
    """One choice of pairs, in words, and the score of `QUERY` and `KEY` under it."""

    words: str
    score: float


def pairings() -> tuple[Pairing, Pairing, Pairing]:
    """Return three choices: neighbours, halves, and halves after the features are reordered."""
    query, key = np.array(QUERY, dtype=float), np.array(KEY, dtype=float)
    neighbours: Pairs = np.arange(D_K).reshape(-1, 2)
    halves: Pairs = np.arange(D_K).reshape(2, -1).T
    order = neighbours.T.ravel()
    return (
        Pairing(TEXTS("neighbours", pairs=_in_words(neighbours)), _score(query, key, neighbours)),
        Pairing(TEXTS("halves", pairs=_in_words(halves)), _score(query, key, halves)),
        Pairing(
            TEXTS("reordered", features=", ".join(str(at + 1) for at in order)),
            _score(query[order], key[order], halves),
        ),
    )


def _in_words(pairs: Pairs) -> str:
    return listed_names([TEXTS("pair_of", a=int(a) + 1, b=int(b) + 1) for a, b in pairs])


def _score(query: Row, key: Row, pairs: Pairs) -> float:
    """The dot product of both rows, turned by their positions: the key's is 0.

    A pair (a, b) is the complex number a + bi, and to turn it is to multiply it by e^(iθ).
    """
    angles = DISTANCE * frequencies(D_K)
    turned = (query[pairs[:, 0]] + 1j * query[pairs[:, 1]]) * np.exp(1j * angles)
    still = key[pairs[:, 0]] + 1j * key[pairs[:, 1]]
    return float((turned * still.conj()).real.sum())


def rotation_paths(trace: Trace, array: str, head: int = 0) -> list[list[ArrowPath]]:
    """Return for each token and pair of features the path of its arrow while RoPE turns it.

    It goes from the entries of `array` (Q or K) in one head to those of the turned array, in steps
    of at most `ARROW_STEP` radians.
    """
    T = len(trace.tokens)
    before, after = (trace[name][head].reshape(T, -1, 2) for name in (array, f"{array}_rot"))
    angles = trace["angles"][:, ::2]

    def path(at: int, pair: int) -> ArrowPath:
        angle, (x, y) = angles[at, pair], before[at, pair]
        turns = np.linspace(0, angle, 1 + math.ceil(abs(angle) / ARROW_STEP))[1:-1]
        between = complex(x, y) * np.exp(1j * turns)
        ends = (tuple(map(float, end)) for end in (before[at, pair], after[at, pair]))
        first, last = ends
        return [first, *zip(between.real.tolist(), between.imag.tolist(), strict=True), last]

    return [[path(at, pair) for pair in range(before.shape[1])] for at in range(T)]
