"""What is known of some keys, merged with what is known of others: sums of exponentials and maxima.

Scores of −∞ are of keys that nothing may read; of no key at all the logarithm of the sum is −∞.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.operations.noise import noise_of_exponential, noise_of_sum
from core.operations.products import product_if_any, times_each
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    Call,
    Expression,
    PrintedNumber,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.operation import (
    SHARES,
    SIGNED,
    Arrays,
    CellLines,
    Operand,
    Operation,
    sum_of,
    total_of,
)
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")

NOTHING = PrintedNumber("-inf")


@dataclass(frozen=True)
class log_sum_exp(Operation):  # noqa: N801
    """log Σ exp(s) along the last axis, by way of the largest: m + log Σ exp(s − m).

    −∞ where every score is: the logarithm of an empty sum.
    """

    template: str  # type: ignore[misc]  # as "h i j -> h i o"
    own_letters = True
    makes_minus_inf = True
    helper = '''
def log_sum_exp(scores):
    """log of the sum of exp(scores), row by row; of a row without any key it is -inf."""
    largest = scores.max(axis=-1, keepdims=True)
    finite = np.where(np.isneginf(largest), 0.0, largest)
    total = np.exp(scores - finite).sum(axis=-1, keepdims=True)
    return finite + np.log(total, where=total > 0, out=np.full_like(total, -np.inf))
'''
    symbol = TEXTS("log_sum_exp")
    numpy = "log_sum_exp({})"
    torch = "torch.logsumexp({}, -1, keepdim=True)"

    def forward(self, scores: np.ndarray) -> np.ndarray:
        finite = _finite(scores.max(axis=-1, keepdims=True))
        total = np.exp(scores - finite).sum(axis=-1, keepdims=True)
        nothing = np.full_like(total, -np.inf)
        made: np.ndarray = finite + np.log(total, where=total > 0, out=nothing)
        return made

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """A row of which nothing is left."""
        return _all_of(removed[0])

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left where the logarithm of the sum cancels the largest score."""
        finite = operands[0][np.isfinite(operands[0])]
        return max(1e-9 * min(1.0, float(np.abs(finite).max(initial=0.0))), *noises, 1e-15)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        row = operands[0].numbers()
        if len(row) == 1:
            return [], row[0]
        largest = arithmetic_line(Call("max", row), decimals)
        if largest.right == NOTHING:
            return [largest], NOTHING
        powers = [
            arithmetic_line(Call("exp", (Subtraction(s, largest.right),)), decimals) for s in row
        ]
        total, sums = total_of([p.right for p in powers], decimals)
        return [largest, *powers, *sums], Sum((largest.right, Call("log", (total,))))


@dataclass(frozen=True)
class row_max(Operation):  # noqa: N801
    """The largest number of each row of A, or of A and B side by side: the maximum so far."""

    template: str  # type: ignore[misc]  # as "h i y -> h i o" or "h i y+0, h i y-1 -> h i o"
    own_letters = True
    makes_minus_inf = True
    symbol = "max"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        largest: np.ndarray = np.concatenate(operands, axis=-1).max(axis=-1, keepdims=True)
        return largest

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """A row of which nothing is left."""
        return _all_of(np.concatenate(removed, axis=-1))

    def cell(self, *row: PrintedNumber) -> Expression:
        return Call("max", row) if len(row) > 1 else row[0]

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'np.concatenate', 'axis')}.max(axis=-1, keepdims=True)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'torch.cat', 'dim')}.amax(-1, keepdim=True)"


@dataclass(frozen=True)
class total(Operation):  # noqa: N801
    """The sum of each row of A, or of A and B side by side: the sum so far."""

    template: str  # type: ignore[misc]  # as "h i y -> h i o" or "h i y+0, h i y-1 -> h i o"
    own_letters = True
    symbol = "sum"
    noise = noise_of_sum

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        summed: np.ndarray = np.concatenate(operands, axis=-1).sum(axis=-1, keepdims=True)
        return summed

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        return sum_of([n for operand in operands for n in operand.numbers()], decimals, noise)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'np.concatenate', 'axis')}.sum(axis=-1, keepdims=True)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'torch.cat', 'dim')}.sum(-1, keepdim=True)"


@dataclass(frozen=True)
class exp_below(Operation):  # noqa: N801
    """exp(A − m), m a number for each row; 0 where A is −∞."""

    template: str  # type: ignore[misc]  # as "h i y, h i 0 -> h i y"
    own_letters = True
    removed_by: ClassVar[int | None] = 0
    palette = SHARES
    numpy = "np.exp({0} - np.where(np.isneginf({1}), 0.0, {1}))"
    torch = "torch.exp({0} - {1}.masked_fill({1}.isneginf(), 0.0))"
    noise = noise_of_exponential

    def forward(self, a: np.ndarray, m: np.ndarray) -> np.ndarray:
        powers: np.ndarray = np.exp(a - _finite(m))
        return powers

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,), largest = operands[0].numbers(), operands[1].numbers()
        return [], Call("exp", (Subtraction(own, largest[0]) if largest else own,))

    def formula(self, a: Formula, m: Formula) -> Formula:
        return f.call("exp", f.row(a, f.word_formula("−"), m))


@dataclass(frozen=True)
class rescale(times_each):  # noqa: N801
    """c · A, c a number for each row: what was summed before, as the new maximum has it."""

    template: str  # type: ignore[misc]  # as "h i 0, h i v -> h i v"
    own_letters = True

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        return product_if_any(*operands)


@dataclass(frozen=True)
class divide_rows(Operation):  # noqa: N801
    """A / l, l a number for each row, which is 0 only where A is: then 0."""

    template: str  # type: ignore[misc]  # as "h i v, h i 0 -> h i v"
    own_letters = True
    numpy = "{0} / np.where({1} == 0.0, 1.0, {1})"
    torch = "{0} / {1}.masked_fill({1} == 0.0, 1.0)"

    def forward(self, a: np.ndarray, under: np.ndarray) -> np.ndarray:
        return a / np.where(under == 0.0, 1.0, under)

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """That of A, over the smallest number that it is divided by."""
        under = np.abs(operands[1][operands[1] != 0.0])
        return max(noises[0] / float(under.min(initial=1.0)), 1e-9)

    def cell(self, a: PrintedNumber, under: PrintedNumber) -> Expression:
        return Quotient(a, under) if under.value()[0] else PrintedNumber("0")

    def formula(self, *operands: Formula) -> Formula:
        return f.over(*operands)


class over_sum(divide_rows):  # noqa: N801
    """The same of sums that are at most as many times their divisor as what was summed is large."""

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, beside the largest result."""
        return 1e-9 * min(1.0, float(np.abs(self.forward(*operands)).max(initial=0.0)))


class share_rows(divide_rows):  # noqa: N801
    """The same of numbers that are not below 0, over their sum: shares. What is hidden stays so."""

    removed_by: ClassVar[int | None] = 0
    palette = SHARES

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """That of A, over the smallest sum: nothing cancels in sums of what is not below 0."""
        under = operands[1][operands[1] != 0.0]
        return noises[0] / float(np.abs(under).min(initial=1.0))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        if not all(operand.numbers() for operand in operands):
            return [], PrintedNumber("0")
        return super().lines(operands, decimals, noise)


class signed_shares(share_rows):  # noqa: N801
    """The same of numbers of any sign: then no shares, but numbers that add up to 1."""

    palette = SIGNED

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """As of any row that is divided."""
        return divide_rows.noise(self, operands, noises)


def _all_of(gone: np.ndarray) -> np.ndarray:
    """Rows of which every cell is gone, as a column."""
    found: np.ndarray = np.logical_and.reduce(gone, axis=-1)
    return found[..., None]


def _finite(largest: np.ndarray) -> np.ndarray:
    """A row's maximum as what may be subtracted: 0 where nothing is there."""
    return np.where(np.isneginf(largest), 0.0, largest)


def _beside(names: Sequence[str], append: str, axis: str) -> str:
    """Arrays side by side, in a line of code; one alone as it is."""
    return names[0] if len(names) == 1 else f"{append}(({', '.join(names)}), {axis}=-1)"
