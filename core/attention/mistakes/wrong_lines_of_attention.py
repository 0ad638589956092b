"""Usual slips in an implementation of attention: for each operation, wrong lines of numpy.

The usual mistakes of `core.attention.mistakes.attention_mistakes` are whole programs.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from core.attention.mistakes.attention_mistakes import MISTAKES
from core.operations.masking import mask_fill
from core.operations.products import matmul
from core.operations.scores import divide_by_root
from core.operations.shapes import join_heads, split_columns, split_heads
from core.operations.softmax import softmax
from core.program.mistakes import WrongLine, WrongLines, attempts, intended_formula, wrong_operand
from core.program.trace import BoundStep, Trace
from core.texts import core_texts

TEXTS = core_texts("mistakes")


def _slip(
    id: str, *lines: Callable[[], np.ndarray], why: str = "", **values: object
) -> Iterator[WrongLine]:
    """A slip: its name is the text of an id, its reason that of `why`, or else of `<id>_why`."""
    name, reason = (TEXTS.filled(part, values) for part in (id, why or f"{id}_why"))
    return attempts(name, reason, *lines)


def of_softmax(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """Softmax along another axis, over everything, or with a total that is missing or misplaced."""
    if not isinstance(bound.operation, softmax):
        return
    scores = trace[bound.step.operands[0]]
    for axis in range(scores.ndim - 1):
        shares = partial(_shares, scores, axis)
        yield from _slip("along_axis", shares, partial(shares, guarded=True), axis=axis)
    yield from _slip("over_all", partial(_shares, scores, None, guarded=True))
    yield from _slip(
        "undivided", lambda: np.exp(scores), lambda: _exponentials(scores, -1, guarded=True)
    )
    yield from _slip("across", lambda: np.exp(scores) / np.exp(scores).sum(axis=-1))


def _exponentials(scores: np.ndarray, axis: int | None, guarded: bool) -> np.ndarray:
    """e to the scores less the largest; `guarded` where all of them are −∞."""
    largest = scores.max(axis=axis, keepdims=True)
    if guarded:
        largest = np.where(np.isneginf(largest), 0.0, largest)
    exponentials: np.ndarray = np.exp(scores - largest)
    return exponentials


def _shares(scores: np.ndarray, axis: int | None, guarded: bool = False) -> np.ndarray:
    exponentials = _exponentials(scores, axis, guarded)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / (np.where(total == 0.0, 1.0, total) if guarded else total)


def of_product(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """A product with a transposed operand, entry by entry, or with key heads in another order."""
    product = bound.operation
    if not isinstance(product, matmul):
        return
    left, right, *_ = bound.step.operands
    a, b, *bias = (trace[name] for name in bound.step.operands)
    turned, meant = b.swapaxes(-1, -2), intended_formula(bound)
    name = TEXTS("transposed", name=left)
    yield from attempts(name, meant, lambda: product.forward(a.swapaxes(-1, -2), b, *bias))
    name = TEXTS("not_transposed" if product.transposed else "transposed", name=right)
    yield from attempts(name, meant, lambda: product.forward(a, turned, *bias))
    yield from _slip("entries", lambda: a * (turned if product.transposed else b), meant=meant)
    group = len(a) // len(b) if a.ndim == b.ndim == 3 else 1
    if group == 1:
        return
    yield from _slip(
        "tiled",
        lambda: product.forward(a, np.concatenate([b] * group), *bias),
        name=right,
        times=group,
    )
    if product.transposed:
        swapped = MISTAKES["swapped"]  # which takes as many heads of both
        yield from attempts(
            swapped.name, swapped.why, lambda: product.forward(b.repeat(group, axis=0), a, *bias)
        )


def of_scaling(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """A division by another number."""
    if type(bound.operation) is not divide_by_root:
        return
    scores, keys = (trace[name] for name in bound.step.operands)
    width = keys.shape[-1]
    why = TEXTS("divisor_is", name=bound.step.operands[1], width=width)
    yield from attempts(TEXTS("no_root"), why, lambda: scores / width)
    yield from attempts(TEXTS("times_root"), why, lambda: scores * np.sqrt(width))
    yield from attempts(TEXTS("root_of_keys"), why, lambda: scores / np.sqrt(scores.shape[-1]))


def of_mask(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """The mask used the other way round, or another number than −∞."""
    if type(bound.operation) is not mask_fill:
        return
    scaled, mask = (trace[name] for name in bound.step.operands)
    yield from _slip("inverted", lambda: np.where(mask, -np.inf, scaled))
    yield from _slip("plus_infinity", lambda: np.where(mask, scaled, np.inf))
    yield from _slip("times_infinity", lambda: np.where(mask, scaled, scaled * -np.inf))


def of_heads(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """Heads that are joined or split in another order."""
    operation, (name, *_) = bound.operation, bound.step.operands
    array = trace[name]
    if isinstance(operation, join_heads):
        rows = array.shape[1]
        yield from attempts(
            MISTAKES["reshape"].name, TEXTS("heads_in_rows"), lambda: array.reshape(rows, -1)
        )
        yield from _slip("alternate", lambda: array.transpose(1, 2, 0).reshape(rows, -1))
        yield from _slip("stacked", lambda: array.reshape(-1, array.shape[-1]), why="join_why")
        yield from _slip(
            "added_up", lambda: array.sum(axis=0), lambda: array.mean(axis=0), why="join_why"
        )
    if isinstance(operation, split_columns | split_heads):
        yield from _slip(
            "alternate",
            lambda: array.reshape(-1, operation.d_k, operation.n_heads).transpose(2, 0, 1),
            why="split_why",
        )


WRONG_LINES: tuple[WrongLines, ...] = (
    of_softmax, of_product, of_scaling, of_mask, of_heads, wrong_operand,
)  # fmt: skip
"""All kinds; where two of them make the same numbers, the first gives the name."""
