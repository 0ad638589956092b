"""The usual slips of a person who works a step out by hand, each for every program that it fits."""

import numpy as np

from core.attention.mistakes import MISTAKES
from core.operations.softmax import softmax
from core.program.mistakes import HandSlip, Mistake, Reads
from core.program.trace import BoundStep


def _unchanged(bound: BoundStep, reads: Reads) -> np.ndarray | None:
    return reads[0] if reads[0].shape == bound.result.shape else None


def _without_e(bound: BoundStep, reads: Reads) -> np.ndarray | None:
    if type(bound.operation) is not softmax:
        return None
    visible = np.where(np.isneginf(reads[0]), 0.0, reads[0])
    shares: np.ndarray = visible / visible.sum(axis=-1, keepdims=True)
    return shares


def _undivided(bound: BoundStep, reads: Reads) -> np.ndarray | None:
    return np.exp(reads[0]) if type(bound.operation) is softmax else None


def _divided_by_all(bound: BoundStep, reads: Reads) -> np.ndarray | None:
    if type(bound.operation) is not softmax:
        return None
    powers = np.exp(reads[0])
    shares: np.ndarray = powers / powers.sum(axis=(-2, -1), keepdims=True)
    return shares


HAND_SLIPS = (
    HandSlip("this step is left out", "That number is what the step starts from.", _unchanged),
    HandSlip(
        "e is left out",
        "Each score is divided by the sum of the scores. Raise e to each score first.",
        _without_e,
    ),
    HandSlip(
        "the division is left out",
        "It is e to the score. Divide it by the sum of the row.",
        _undivided,
    ),
    HandSlip(
        "the sum runs over all rows",
        "Each row has a sum of its own: each query divides up its own 1.",
        _divided_by_all,
    ),
)

BY_HAND: tuple[Mistake | HandSlip, ...] = (*MISTAKES.values(), *HAND_SLIPS)
"""What a number that is typed into a covered cell may come from; the first that gives it counts."""
