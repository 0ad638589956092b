"""X Xᵀ is symmetric and has no eigenvalue below 0; Q Kᵀ of learned projections need be neither.

For any row a, a X Xᵀ aᵀ is the dot product of a X with itself: a squared length.
"""

from dataclasses import dataclass

import numpy as np

from core.chapters.queries_keys_values.ladder import climb, drawn_ladder
from core.program.trace import Trace

ALONE, MAPPED = 1, 2
"""The rungs of the ladder whose scores are X Xᵀ, and Q Kᵀ."""


def eigenvalues_of_scores(trace: Trace) -> tuple[float, ...]:
    """Return the eigenvalues of symmetric scores, the smallest first; float noise is 0."""
    scores = trace["scores"][0]
    found = np.linalg.eigvalsh(scores)
    lost = np.abs(scores).max(initial=0.0) * len(scores) * np.finfo(float).eps
    return tuple(float(value) for value in np.where(np.abs(found) <= 4 * lost, 0.0, found))


def asymmetry(trace: Trace) -> float:
    """Return by how much the two scores of a pair differ at most: 0 if they are symmetric."""
    scores = trace["scores"][0]
    found = float(np.abs(scores - scores.T).max(initial=0.0))
    return found if found > trace.noise["scores"] else 0.0


@dataclass(frozen=True)
class Symmetry:
    """The eigenvalues of X Xᵀ, and by how much two mirrored entries of Q Kᵀ differ at most."""

    eigenvalues: tuple[float, ...]
    apart: float

    @property
    def above(self) -> tuple[float, ...]:
        """The eigenvalues above 0."""
        return tuple(value for value in self.eigenvalues if value)

    @property
    def zeros(self) -> int:
        return len(self.eigenvalues) - len(self.above)


def symmetry(text: str) -> Symmetry:
    """Return both for a sentence with random numbers. Raises `InputError`."""
    inputs = drawn_ladder(text)
    return Symmetry(eigenvalues_of_scores(climb(ALONE, inputs)), asymmetry(climb(MAPPED, inputs)))
