"""X Xᵀ is symmetric and has no eigenvalue below 0; Q Kᵀ of learned maps need be neither.

For any row a, a X Xᵀ aᵀ is the dot product of a X with itself: a squared length.
"""

from dataclasses import dataclass

import numpy as np

from core.chapters.queries_keys_values.ladder import climb, drawn
from core.program.labels import listed
from core.program.rounding import cell_text, typeset
from core.program.trace import Trace

ALONE, MAPPED = 1, 2
"""The rungs of the ladder whose scores are X Xᵀ, and Q Kᵀ."""


def eigenvalues_of_scores(trace: Trace) -> tuple[float, ...]:
    """Return the eigenvalues of symmetric scores, the smallest first; float noise is 0."""
    scores = trace["scores"][0]
    found = np.linalg.eigvalsh(scores)
    lost = np.abs(scores).max(initial=0.0) * len(scores) * np.finfo(float).eps
    return tuple(float(value) for value in np.where(np.abs(found) <= 4 * lost, 0.0, found))


def apart(trace: Trace) -> float:
    """Return by how much the two scores of a pair differ at most: 0 where they are symmetric."""
    scores = trace["scores"][0]
    found = float(np.abs(scores - scores.T).max(initial=0.0))
    return found if found > trace.noise["scores"] else 0.0


@dataclass(frozen=True)
class Symmetry:
    """The eigenvalues of X Xᵀ, and how far Q Kᵀ is from being symmetric."""

    eigenvalues: tuple[float, ...]
    apart: float

    @property
    def said(self) -> str:
        """Both in sentences."""
        count, above = len(self.eigenvalues), [value for value in self.eigenvalues if value]
        zeros = count - len(above)
        named = [typeset(cell_text(value)) for value in above]
        named += [f"{zeros} zero{'s' * (zeros > 1)}"] if zeros else []
        return (
            f"For this sentence X Xᵀ has {count} eigenvalue{'s' * (count > 1)}: {listed(named)}. "
            "None is below 0, because X Xᵀ is a matrix times its own transpose. "
        ) + self._of_maps

    @property
    def _of_maps(self) -> str:
        if self.apart:
            return (
                "QKᵀ is not symmetric here: the two scores of a pair differ by up to "
                f"{typeset(cell_text(self.apart))}."
            )
        return "The two scores of each pair happen to be equal in QKᵀ here."


def symmetry(text: str) -> Symmetry:
    """Return what holds of a sentence with drawn numbers. Raises `InputError`."""
    inputs = drawn(text)
    return Symmetry(eigenvalues_of_scores(climb(ALONE, inputs)), apart(climb(MAPPED, inputs)))
