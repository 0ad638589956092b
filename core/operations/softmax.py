"""Softmax: scores become weights that add up to 1."""

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np

from core.operations.noise import noise_of_exponential
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    PrintedNumber,
    Quotient,
    Subtraction,
    arithmetic_line,
)
from core.program.numbers.rounding import typeset
from core.program.operation import SHARES, CellLines, Operand, Operation, RowTable, total_of
from core.texts import core_texts

TEXTS = core_texts("operations")


class softmax(Operation):  # noqa: N801
    """exp(s_j − max s) / Σ exp(s − max s) along the last axis; a row without any key gives zeros.

    Subtracting the maximum changes nothing in exact arithmetic and keeps exp from overflowing.
    """

    template = "h i j, h i * -> h i j"
    slots: ClassVar[tuple[int, ...] | None] = (0, 0)
    removed_by: ClassVar[int | None] = 0
    palette = SHARES
    by_hand = TEXTS("softmax_by_hand")
    helper = '''
def softmax(scores):
    """exp(s - max s) / sum, row by row; a row with no visible key gives zeros."""
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isneginf(largest), 0.0, largest))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0.0, 1.0, total)
'''
    numpy = "softmax({})"
    torch = "torch.softmax({}, -1).nan_to_num(0.0)"  # NaN where a row has no key: 0/0
    noise = noise_of_exponential

    def forward(self, scores: np.ndarray) -> np.ndarray:
        largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        largest[np.isneginf(largest)] = 0.0
        exponentials: np.ndarray = scores - largest
        np.exp(exponentials, out=exponentials)
        total = exponentials.sum(axis=-1, keepdims=True)
        exponentials /= np.where(total == 0.0, 1.0, total)
        return exponentials

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,), row = operands[0].numbers(), operands[1].numbers()
        if not row:
            return [], Call("exp", (own,))
        lines, powers, total = _row_lines(row, decimals, noise)
        return [*lines], Quotient(powers[own], total)

    def row_table(self, lines: Sequence[ArithmeticLine]) -> RowTable | None:
        """Largest score, exponentials, their sum and the quotients."""
        if len(lines) < 2:
            return None
        powers = [(*a, made.right) for made in lines[:-1] if (a := _argument(made.left))]
        total, taken = lines[-2].right.text, typeset(powers[0][1].text)
        return RowTable(
            TEXTS("softmax_row", largest=taken, total=total, nan=total == "NaN"),
            tuple(score.text for score, _, _ in powers),
            f"exp({{}} − {f'({taken})' if taken.startswith('−') else taken})",
            tuple(power.text for _, _, power in powers),
            f"… / {total}",
        )

    def formula(self, *operands: Formula) -> Formula:
        return f.call("softmax", operands[0], role="weights")


class softmax_rows(softmax):  # noqa: N801
    """The same of a matrix without heads, such as logits over a vocabulary."""

    template = "i l, i * -> i l"


@lru_cache(maxsize=16)
def _row_lines(
    row: tuple[PrintedNumber, ...], decimals: int, noise: float
) -> tuple[list[ArithmeticLine], dict[PrintedNumber, PrintedNumber], PrintedNumber]:
    """The lines that every weight of a row shares, each score's exponential, and their sum.

    A single score is the largest without a line.
    """
    largest = arithmetic_line(Call("max", row) if len(row) > 1 else row[0], decimals)
    powers = [
        arithmetic_line(Call("exp", (Subtraction(score, largest.right),)), decimals, noise)
        for score in row
    ]
    total, sums = total_of([p.right for p in powers], decimals)
    of_score = {score: power.right for score, power in zip(row, powers, strict=True)}
    return [*[largest] * (len(row) > 1), *powers, *sums], of_score, total


def _argument(expression: Expression) -> tuple[PrintedNumber, PrintedNumber] | None:
    """The score and the largest of exp(score − largest); None of anything else."""
    if not isinstance(expression, Call) or expression.function != "exp":
        return None
    (argument,) = expression.arguments
    if not isinstance(argument, Subtraction):
        return None
    score, largest = argument.left, argument.right
    if isinstance(score, PrintedNumber) and isinstance(largest, PrintedNumber):
        return score, largest
    return None
