"""The usual slips of a person who works a step out by hand, each for every program that it fits."""

from collections.abc import Callable

import numpy as np

from core.attention.mistakes.attention_mistakes import MISTAKES, TEXTS
from core.operations.masking import mask_fill
from core.operations.products import matmul
from core.operations.scores import divide_by_root
from core.operations.softmax import softmax
from core.program.mistakes import HandSlip, Mistake
from core.program.operation import SHARES, Operation
from core.program.trace import BoundStep, Trace

Slip = Callable[[Trace, BoundStep], np.ndarray | None]


def _reads(trace: Trace, bound: BoundStep) -> tuple[np.ndarray, ...]:
    return tuple(trace[operand] for operand in bound.step.operands)


def _instead_of(kind: type[Operation], line: Callable[..., np.ndarray]) -> Slip:
    """What another line makes of the operands of a step of this kind; None at other steps."""

    def made(trace: Trace, bound: BoundStep) -> np.ndarray | None:
        return line(*_reads(trace, bound)) if type(bound.operation) is kind else None

    return made


def _unchanged(trace: Trace, bound: BoundStep) -> np.ndarray | None:
    first = _reads(trace, bound)[0]
    return first if first.shape == bound.result.shape else None


def _without_e(scores: np.ndarray, *_: np.ndarray) -> np.ndarray:
    visible = np.where(np.isneginf(scores), 0.0, scores)
    shares: np.ndarray = visible / visible.sum(axis=-1, keepdims=True)
    return shares


def _undivided(scores: np.ndarray, *_: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(scores)
    return powers


def _undivided_differences(scores: np.ndarray, *_: np.ndarray) -> np.ndarray:
    return _undivided(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))


def _divided_by_all(scores: np.ndarray, *_: np.ndarray) -> np.ndarray:
    powers = _undivided(scores)
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
    if not first or type(first.operation) is not softmax or _visible(trace, bound) is None:
        return None
    return _summed(trace, bound, _undivided(*_reads(trace, first)))


def _summed(trace: Trace, bound: BoundStep, weights: np.ndarray) -> np.ndarray:
    """The same sum with other weights."""
    return bound.operation.forward(weights, *_reads(trace, bound)[1:])


HAND_SLIPS = tuple(
    HandSlip(TEXTS(id), TEXTS(f"{id}_why"), of)
    for id, of in {
        "skipped": _unchanged,
        "no_root": _instead_of(divide_by_root, lambda scores, K: scores / K.shape[-1]),
        "times_root": _instead_of(divide_by_root, lambda scores, K: scores * np.sqrt(K.shape[-1])),
        "without_e": _instead_of(softmax, _without_e),
        "not_divided": _instead_of(softmax, _undivided),
        "differences_not_divided": _instead_of(softmax, _undivided_differences),
        "all_rows": _instead_of(softmax, _divided_by_all),
        "unmasked": _unmasked,
        "unweighted": _unweighted,
        "equal_weights": _equal_weights,
        "weighted_by_powers": _weighted_by_powers,
    }.items()
)

KNOWN_MISTAKES: tuple[Mistake | HandSlip, ...] = (*MISTAKES.values(), *HAND_SLIPS)
"""The mistakes that explain a number typed into a covered cell; the first that gives it counts."""
