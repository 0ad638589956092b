"""Runs of one head that start from given scaled scores; what comes before counts for nothing."""

import numpy as np

from core.attention.program import attention_program
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.trace import Trace

MASKED = attention_program(heads=1, mask="custom")
"""One head; the mask is an input, so that any step may read it."""


def run_from_scores(
    scores: np.ndarray, mask: np.ndarray, program: Program = MASKED, **pinned: np.ndarray
) -> Trace:
    """A run of `program` on T × T scaled scores under a mask (True = visible).

    Other arrays can be pinned too, without their axis of heads.
    """
    T = len(scores)
    eye, one = np.eye(T), np.eye(T)[None]
    arrays = {"X": eye, "W_Q": one, "W_K": one, "W_V": one, "W_O": eye, "mask": mask}
    given = {"scaled": scores, **pinned}
    tokens = tuple(str(n + 1) for n in range(T))
    return program.run(Inputs(arrays, tokens), pinned={n: a[None] for n, a in given.items()})


def run_of_equal_scores(mask: np.ndarray) -> Trace:
    """Zero scores under a mask: a visible key has an equal share, a hidden one none."""
    return run_from_scores(np.zeros(mask.shape), mask)
