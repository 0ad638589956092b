"""How far rotary positions turn each pair of features from one position to the next.

Models for longer texts turn some pairs, or all, more slowly: each frequency has a divisor.
"""

import numpy as np
from jaxtyping import Float

Divisors = float | Float[np.ndarray, "pairs"]
"""One for all pairs, or one for each."""
_INFINITE = np.errstate(all="ignore")
"""Numbers that are too large become infinite, and `Rope` refuses them."""


@_INFINITE
def pair_frequencies(base: float, d_head: int, divisors: Divisors = 1.0) -> tuple[float, ...]:
    """Return the angle of each pair p in radians: base^(−2p/d_head) / divisor (Su et al. 2021,
    equation 15).
    """
    return tuple((_undivided(base, d_head) / divisors).tolist())


@_INFINITE
def llama3_divisors(
    base: float, d_head: int, factor: float, low: float, high: float, length: int
) -> Float[np.ndarray, "pairs"]:
    """Return by which number Llama 3.1 divides each frequency (Grattafiori et al. 2024).

    Over the original `length`, a pair makes length · frequency / 2π turns. With at least `high`
    turns its divisor is 1, with at most `low` turns it is `factor`. Between them, 1 / divisor
    grows evenly with the turns.
    """
    turns = length * _undivided(base, d_head) / (2 * np.pi)
    kept = np.clip((turns - low) / (high - low), 0, 1)
    divisors: np.ndarray = 1 / (kept + (1 - kept) / factor)
    return divisors


def _undivided(base: float, d_head: int) -> Float[np.ndarray, "pairs"]:
    frequencies: np.ndarray = base ** (-2 * np.arange(d_head // 2) / d_head)
    return frequencies
