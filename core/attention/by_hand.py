"""The usual slips of a person who works a step out by hand, each for every program that it fits."""

import numpy as np

from core.attention.attention_mistakes import MISTAKES, TEXTS
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
    HandSlip(TEXTS("skipped"), TEXTS("skipped_why"), _unchanged),
    HandSlip(TEXTS("without_e"), TEXTS("without_e_why"), _without_e),
    HandSlip(TEXTS("not_divided"), TEXTS("not_divided_why"), _undivided),
    HandSlip(TEXTS("all_rows"), TEXTS("all_rows_why"), _divided_by_all),
)

KNOWN_MISTAKES: tuple[Mistake | HandSlip, ...] = (*MISTAKES.values(), *HAND_SLIPS)
"""The mistakes that explain a number typed into a covered cell; the first that gives it counts."""
