"""The paths along which RoPE turns the arrows of queries and keys."""

import math

import numpy as np

from core.program.trace import Trace

APART = 0.2
"""Of an arrow that turns, in radians, the points by which its way is drawn."""

ArrowPath = list[tuple[float, float]]
"""The points through which the tip of an arrow goes."""


def rotation_paths(trace: Trace, array: str, head: int = 0) -> list[list[ArrowPath]]:
    """Return for each token and pair of features the path of its arrow while RoPE turns it.

    It goes from the entries of `array` (Q or K) in one head to those of the turned array, in steps
    of at most `APART` radians.
    """
    T = len(trace.tokens)
    before, after = (trace[name][head].reshape(T, -1, 2) for name in (array, f"{array}_rot"))
    angles = trace["angles"][:, ::2]

    def path(at: int, pair: int) -> ArrowPath:
        angle, (x, y) = angles[at, pair], before[at, pair]
        turns = np.linspace(0, angle, 1 + math.ceil(abs(angle) / APART))[1:-1]
        between = complex(x, y) * np.exp(1j * turns)
        ends = (tuple(map(float, end)) for end in (before[at, pair], after[at, pair]))
        first, last = ends
        return [first, *zip(between.real.tolist(), between.imag.tolist(), strict=True), last]

    return [[path(at, pair) for pair in range(before.shape[1])] for at in range(T)]
