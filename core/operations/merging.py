"""What is known of some keys, merged with what is known of others: sums of exponentials and maxima.

Scores of −∞ are of keys that nothing may read; of no key at all the logarithm of the sum is −∞.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    PrintedNumber,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.operation import SHARES, SIGNED, Arrays, Operand, Operation, sum_of, total_of
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

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        (scores,) = operands
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

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
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

    def formula(self, *operands: Formula) -> Formula:
        return f.call(TEXTS("log_sum_exp"), operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"log_sum_exp({names[0]})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.logsumexp({names[0]}, -1, keepdim=True)"


@dataclass(frozen=True)
class row_max(Operation):  # noqa: N801
    """The largest number of each row of A, or of A and B side by side: the maximum so far."""

    template: str  # type: ignore[misc]  # as "h i y -> h i o" or "h i y+0, h i y-1 -> h i o"
    own_letters = True
    makes_minus_inf = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        largest: np.ndarray = np.concatenate(operands, axis=-1).max(axis=-1, keepdims=True)
        return largest

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """A row of which nothing is left."""
        return _all_of(np.concatenate(removed, axis=-1))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        row = [number for operand in operands for number in operand.numbers()]
        return [], Call("max", tuple(row)) if len(row) > 1 else row[0]

    def formula(self, *operands: Formula) -> Formula:
        return f.call("max", *operands)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'np.concatenate', 'axis')}.max(axis=-1, keepdims=True)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{_beside(names, 'torch.cat', 'dim')}.amax(-1, keepdim=True)"


@dataclass(frozen=True)
class total(Operation):  # noqa: N801
    """The sum of each row of A, or of A and B side by side: the sum so far."""

    template: str  # type: ignore[misc]  # as "h i y -> h i o" or "h i y+0, h i y-1 -> h i o"
    own_letters = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        summed: np.ndarray = np.concatenate(operands, axis=-1).sum(axis=-1, keepdims=True)
        return summed

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, as in a product."""
        largest = max(float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return max(1e-9 * min(1.0, largest), *noises)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        terms = [number for operand in operands for number in operand.numbers()]
        return sum_of(terms, decimals, noise) if terms else ([], PrintedNumber("0"))

    def formula(self, *operands: Formula) -> Formula:
        return f.call("sum", *operands)

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

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, m = operands
        powers: np.ndarray = np.exp(a - _finite(m))
        return powers

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Nothing cancels in an exponential, down to where floats underflow."""
        return float(np.finfo(np.float64).tiny)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,), largest = operands[0].numbers(), operands[1].numbers()
        return [], Call("exp", (Subtraction(own, largest[0]) if largest else own,))

    def formula(self, *operands: Formula) -> Formula:
        a, m = operands
        return f.call("exp", f.row(a, f.word_formula("−"), m))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, m = names
        return f"np.exp({a} - np.where(np.isneginf({m}), 0.0, {m}))"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, m = names
        return f"torch.exp({a} - {m}.masked_fill({m}.isneginf(), 0.0))"


@dataclass(frozen=True)
class rescale(Operation):  # noqa: N801
    """c · A, c a number for each row: what was summed before, as the new maximum has it."""

    template: str  # type: ignore[misc]  # as "h i 0, h i v -> h i v"
    own_letters = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        c, a = operands
        kept: np.ndarray = c * a
        return kept

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left of the operands' noise: nothing cancels in one product."""
        c, a = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return max(noises[0] * a, noises[1] * c)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        c, a = (operand.numbers() for operand in operands)
        return [], Product((*c, *a)) if c else PrintedNumber("0")

    def formula(self, *operands: Formula) -> Formula:
        c, a = operands
        return f.row(c, f.word_formula("×"), a)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {names[1]}"


@dataclass(frozen=True)
class divide_rows(Operation):  # noqa: N801
    """A / l, l a number for each row, which is 0 only where A is: then 0."""

    template: str  # type: ignore[misc]  # as "h i v, h i 0 -> h i v"
    own_letters = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, under = operands
        shares: np.ndarray = a / np.where(under == 0.0, 1.0, under)
        return shares

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """That of A, over the smallest number that it is divided by."""
        under = np.abs(operands[1][operands[1] != 0.0])
        return max(noises[0] / float(under.min(initial=1.0)), 1e-9)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (a,), (under,) = (operand.numbers() for operand in operands)
        return [], Quotient(a, under) if under.value()[0] else PrintedNumber("0")

    def formula(self, *operands: Formula) -> Formula:
        return f.over(*operands)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, under = names
        return f"{a} / np.where({under} == 0.0, 1.0, {under})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, under = names
        return f"{a} / {under}.masked_fill({under} == 0.0, 1.0)"


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

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
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
