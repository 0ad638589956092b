"""Another basis for queries and keys, which changes both and no score.

With A invertible, W_Q → W_Q A and W_K → W_K A⁻ᵀ give (X W_Q A)(X W_K A⁻ᵀ)ᵀ = X W_Q A A⁻¹ W_Kᵀ Xᵀ,
so Q and K mean something only together, as the product W_Q W_Kᵀ.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.program.inputs import Inputs
from core.program.trace import Trace


def turn_and_stretch(degrees: float, stretch: float) -> Float[np.ndarray, "2 2"]:
    """Return a rotation by `degrees`, then the first feature times `stretch` (not 0)."""
    angle = np.radians(degrees)
    turned = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return turned @ np.diag([stretch, 1.0])


def in_basis(inputs: Inputs, A: Float[np.ndarray, "d_k d_k"]) -> Inputs:
    """The inputs with W_Q A for W_Q and W_K A⁻ᵀ for W_K, in every head. A is invertible."""
    changed = {"W_Q": inputs["W_Q"] @ A, "W_K": inputs["W_K"] @ np.linalg.inv(A).T}
    return Inputs({**inputs.arrays, **changed}, inputs.tokens)


@dataclass(frozen=True)
class ChangedNumbers:
    """How many queries, keys and scores another basis changes, of how many."""

    queries: int
    keys: int
    scores: int
    tokens: int
    pairs: int


def moved_by_basis(before: Trace, after: Trace) -> ChangedNumbers:
    """Return how many rows of Q and K, and how many scores, differ between two runs."""
    queries, keys = (after.differs(before, name).any(axis=-1) for name in ("Q", "K"))
    scores = after.differs(before, "scores")
    return ChangedNumbers(
        int(queries.sum()), int(keys.sum()), int(scores.sum()), queries.size, scores.size
    )
