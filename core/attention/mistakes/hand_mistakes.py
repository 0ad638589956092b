"""The usual slips of a person who works a step out by hand, each for every program that it fits."""

import numpy as np

from core.attention.mistakes.attention_mistakes import MISTAKES, TEXTS
from core.operations.masking import mask_fill
from core.operations.products import matmul
from core.operations.scores import divide_by_root
from core.operations.softmax import softmax
from core.program.mistakes import HandSlip, Mistake
from core.program.operation import SHARES
from core.program.trace import BoundStep, Trace


def _reads(trace: Trace, bound: BoundStep) -> tuple[np.ndarray, ...]:
    return tuple(trace[operand] for operand in bound.step.operands)


def _unchanged(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    first = _reads(trace, bound)[0]
    return first if first.shape == bound.result.shape else None


def _without_root(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if type(bound.operation) is not divide_by_root:
        return None
    scores, keys = _reads(trace, bound)
    divided: np.ndarray = scores / keys.shape[-1]
    return divided


def _times_root(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if type(bound.operation) is not divide_by_root:
        return None
    scores, keys = _reads(trace, bound)
    multiplied: np.ndarray = scores * np.sqrt(keys.shape[-1])
    return multiplied


def _scores(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    """What softmax reads; None at another step."""
    return _reads(trace, bound)[0] if type(bound.operation) is softmax else None


def _without_e(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if (scores := _scores(trace, bound)) is None:
        return None
    visible = np.where(np.isneginf(scores), 0.0, scores)
    shares: np.ndarray = visible / visible.sum(axis=-1, keepdims=True)
    return shares


def _undivided(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    scores = _scores(trace, bound)
    return None if scores is None else np.exp(scores)


def _undivided_differences(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if (scores := _scores(trace, bound)) is None:
        return None
    powers: np.ndarray = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    return powers


def _divided_by_all(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if (scores := _scores(trace, bound)) is None:
        return None
    powers = np.exp(scores)
    shares: np.ndarray = powers / powers.sum(axis=(-2, -1), keepdims=True)
    return shares


def _unmasked(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    """The weights of the scores before the mask, where the mask removes any."""
    before = trace.steps.get(bound.step.operands[0])
    if type(bound.operation) is not softmax or before is None:
        return None
    if type(before.operation) is not mask_fill:
        return None
    scores = _reads(trace, before)[0]
    return bound.operation.forward(scores, *_reads(trace, bound)[1:])


def _visible(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    """1 for each value that a weighted sum reads and 0 for a hidden one; None at another step."""
    first = bound.step.operands[0]
    if not (isinstance(bound.operation, matmul) and trace.program.palettes[first] == SHARES):
        return None
    removed = trace.removed[first]
    return np.ones(trace[first].shape) if removed is None else np.where(removed, 0.0, 1.0)


def _unweighted(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    visible = _visible(trace, bound)
    return None if visible is None else _summed(trace, bound, visible)


def _equal_weights(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    if (visible := _visible(trace, bound)) is None:
        return None
    return _summed(trace, bound, visible / visible.sum(axis=-1, keepdims=True))


def _weighted_by_powers(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    first = trace.steps.get(bound.step.operands[0])
    scores = _scores(trace, first) if first and _visible(trace, bound) is not None else None
    return None if scores is None else _summed(trace, bound, np.exp(scores))


def _summed(trace: Trace, bound: BoundStep, weights: np.ndarray) -> np.ndarray:
    """The same sum with other weights."""
    return bound.operation.forward(weights, *_reads(trace, bound)[1:])


HAND_SLIPS = tuple(
    HandSlip(TEXTS(id), TEXTS(f"{id}_why"), of)
    for id, of in {
        "skipped": _unchanged,
        "no_root": _without_root,
        "times_root": _times_root,
        "without_e": _without_e,
        "not_divided": _undivided,
        "differences_not_divided": _undivided_differences,
        "all_rows": _divided_by_all,
        "unmasked": _unmasked,
        "unweighted": _unweighted,
        "equal_weights": _equal_weights,
        "weighted_by_powers": _weighted_by_powers,
    }.items()
)

KNOWN_MISTAKES: tuple[Mistake | HandSlip, ...] = (*MISTAKES.values(), *HAND_SLIPS)
"""The mistakes that explain a number typed into a covered cell; the first that gives it counts."""
