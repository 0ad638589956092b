"""The usual slips of who implements attention: for each operation the wrong lines of numpy.

Beside them stand the usual mistakes of `core.attention.mistakes`, which are whole programs.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from core.attention.mistakes import MISTAKES
from core.operations.masking import mask_fill
from core.operations.products import matmul
from core.operations.scaling import divide_by_root
from core.operations.shapes import join_heads, split_columns, split_heads
from core.operations.softmax import softmax
from core.program.slips import Slip, Slips, attempts, meant, wrong_operand
from core.program.trace import BoundStep, Trace


def of_softmax(trace: Trace, bound: BoundStep) -> Iterator[Slip]:
    """Softmax along another axis, over everything, or with a sum that is missing or lies across."""
    if not isinstance(bound.operation, softmax):
        return
    scores = trace[bound.step.operands[0]]
    for axis in range(scores.ndim - 1):
        yield from attempts(
            f"softmax runs along axis {axis}",
            "It runs along the last axis, the keys: axis=-1, so that each row adds up to 1.",
            partial(_shares, scores, axis),
            partial(_shares, scores, axis, guarded=True),
        )
    yield from attempts(
        "softmax runs over all numbers at once",
        "Each row has a sum of its own: axis=-1, with keepdims=True.",
        partial(_shares, scores, None, guarded=True),
    )
    yield from attempts(
        "nothing is divided by the row's sum",
        "The exponentials of a row become weights when they are divided by their sum.",
        lambda: np.exp(scores),
        lambda: _exponentials(scores, -1, guarded=True),
    )
    yield from attempts(
        "the sums lie across the rows",
        "Without keepdims=True column j is divided by the sum of row j.",
        lambda: np.exp(scores) / np.exp(scores).sum(axis=-1),
    )


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
    shares: np.ndarray = exponentials / (np.where(total == 0.0, 1.0, total) if guarded else total)
    return shares


def of_product(trace: Trace, bound: BoundStep) -> Iterator[Slip]:
    """A product with an operand turned, entry by entry, or with heads that are shared otherwise."""
    product = bound.operation
    if not isinstance(product, matmul):
        return
    a, b = (trace[name] for name in bound.step.operands)
    left, right = bound.step.operands
    turned = b.swapaxes(-1, -2)
    as_is = "as it is, not transposed" if product.transposed else "transposed"
    yield from attempts(
        f"it reads {left} transposed", meant(bound),
        lambda: product.forward(a.swapaxes(-1, -2), b),
    )  # fmt: skip
    yield from attempts(
        f"it reads {right} {as_is}", meant(bound), lambda: product.forward(a, turned)
    )
    yield from attempts(
        "entries are multiplied one by one",
        f"{meant(bound)} A product of matrices is @ in numpy, not *.",
        lambda: a * (turned if product.transposed else b),
    )
    group = len(a) // len(b) if a.ndim == b.ndim == 3 else 1
    if group == 1:
        return
    yield from attempts(
        f"the heads of {right} are taken in turn",
        f"Heads that stand side by side share one of {right}: repeat each {group} times "
        "(np.repeat), not all of them one after another (np.tile).",
        lambda: product.forward(a, np.concatenate([b] * group)),
    )
    if product.transposed:
        swapped = MISTAKES["swapped"]  # which takes as many heads of both
        yield from attempts(
            swapped.name, swapped.why, lambda: product.forward(b.repeat(group, axis=0), a)
        )


def of_scaling(trace: Trace, bound: BoundStep) -> Iterator[Slip]:
    """A division by another number."""
    if type(bound.operation) is not divide_by_root:
        return
    scores, keys = (trace[name] for name in bound.step.operands)
    width = keys.shape[-1]
    why = f"The divisor is the root of {bound.step.operands[1]}.shape[-1], which is {width} here."
    yield from attempts("the root is missing", why, lambda: scores / width)
    yield from attempts(
        "it is multiplied by the root", why, lambda: scores * np.sqrt(width),
    )  # fmt: skip
    yield from attempts(
        "the divisor is the root of the number of keys", why,
        lambda: scores / np.sqrt(scores.shape[-1]),
    )  # fmt: skip


def of_mask(trace: Trace, bound: BoundStep) -> Iterator[Slip]:
    """The mask used the other way round, or another number than −∞."""
    if type(bound.operation) is not mask_fill:
        return
    scaled, mask = (trace[name] for name in bound.step.operands)
    yield from attempts(
        "the mask is used the other way round",
        "True means visible: −∞ stands where the mask is False.",
        lambda: np.where(mask, -np.inf, scaled),
    )
    yield from attempts(
        "+∞ stands for −∞",
        "e to −∞ is 0, which takes a hidden key out; e to +∞ is not finite.",
        lambda: np.where(mask, scaled, np.inf),
    )
    yield from attempts(
        "hidden scores are multiplied by −∞",
        "A negative score times −∞ is +∞. Put −∞ in its place, or add it.",
        lambda: np.where(mask, scaled, scaled * -np.inf),
    )


def of_heads(trace: Trace, bound: BoundStep) -> Iterator[Slip]:
    """Heads that are joined or split in another order."""
    operation, (name, *_) = bound.operation, bound.step.operands
    array = trace[name]
    if isinstance(operation, join_heads):
        rows = array.shape[1]
        side_by_side = "A row of each head stands beside the same row of the others."
        yield from attempts(
            MISTAKES["reshape"].name,
            "Memory holds one head after another. Cut straight into rows, a row holds what one "
            "head has of several tokens: swap the first two axes before.",
            lambda: array.reshape(rows, -1),
        )
        yield from attempts(
            "the features of the heads alternate",
            f"{side_by_side} First all features of head 1, then those of head 2.",
            lambda: array.transpose(1, 2, 0).reshape(rows, -1),
        )
        yield from attempts(
            "the heads stand one below the other", side_by_side,
            lambda: array.reshape(-1, array.shape[-1]),
        )  # fmt: skip
        yield from attempts(
            "the heads are added up or averaged", side_by_side,
            lambda: array.sum(axis=0), lambda: array.mean(axis=0),
        )  # fmt: skip
    if isinstance(operation, split_columns | split_heads):
        yield from attempts(
            "the features of the heads alternate",
            "Head 1 takes the first features of each row, head 2 the next ones.",
            lambda: array.reshape(-1, operation.d_k, operation.n_heads).transpose(2, 0, 1),
        )


SLIPS: tuple[Slips, ...] = (
    of_softmax, of_product, of_scaling, of_mask, of_heads, wrong_operand,
)  # fmt: skip
"""All kinds; where two of them make the same numbers, the first gives the name."""
