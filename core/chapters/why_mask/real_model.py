"""A head of a real model that gives its weight to the first token: an attention sink.

Under a causal mask every token sees the first one, which itself sees nothing else. Weights of a row
add up to 1, so a head that needs no other token still has to put its weight somewhere (Xiao et al.
2023).
"""

from dataclasses import dataclass

import numpy as np

from core.attention.given.given_program import vectors_program
from core.attention.masks import Rule
from core.models.captures import Capture
from core.models.head_scores import HEAD_SCORES

REAL_HEAD = "smollm2-first-token"
FROM_VECTORS = vectors_program(1, 1, Rule("causal"))


def first_if_equal(T: int) -> float:
    """Return (1/(T−1)) Σ 1/(i+1) over i from 1 to T−1: the first token's weight if equal weights
    go to all tokens that a row sees. The first row is left out: its weight is 1 in any case.
    """
    return float(np.mean(1 / np.arange(2, T + 1)))


@dataclass(frozen=True)
class Sink:
    """What a captured head gives its first token, and what it gets from there."""

    percent: float
    """Mean weight on the first token in the rows i ≥ 1, in percent."""
    length: float
    """√(Σ v²) of the first token's value."""
    other_length: float
    """The mean of this over the other tokens."""


def sink_of(capture: Capture) -> Sink:
    """Return the mean weight on the first token and the lengths of values."""
    first, *others = np.linalg.norm(capture.V, axis=1)
    percent = 100 * HEAD_SCORES["first_token"](capture.weights, capture.run.tokens)
    return Sink(percent, float(first), float(np.mean(others)))
