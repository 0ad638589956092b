"""Rows made one long, and rows brought to mean 0 and variance 1: the steps of a layer norm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.operations.noise import noise_of_sum
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    Call,
    Expression,
    PrintedNumber,
    Product,
    Quotient,
    Sum,
    arithmetic_line,
)
from core.program.operation import Arrays, CellLines, Operand, Operation, number_text, sum_of
from core.program.patterns import Shape

SHORTEST = 1e-8
"""Rows shorter than this are divided by this, as in `torch.nn.functional.cosine_similarity`."""


class normalise_rows(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A_ik / max(‖A_i‖, 1e-8): each row keeps its direction and becomes 1 long.

    The dot product of two such rows is the cosine of their angle, in [−1, 1]. A row of zeros has
    no direction and stays zeros.
    """

    template = "h i k, h i * -> h i k"
    slots: ClassVar[tuple[int, ...] | None] = (0, 0)

    def forward(self, rows: np.ndarray) -> np.ndarray:
        unit: np.ndarray = rows / np.maximum(_lengths(rows), SHORTEST)
        return unit

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Noise grows as its row becomes 1 long; a row of nothing but noise stays noise."""
        (rows,), (noise,) = operands, noises
        lengths = _lengths(rows)
        real = lengths > noise * np.sqrt(rows.shape[-1])
        only_noise = np.abs(self.forward(rows)[~real[..., 0]]).max(initial=0.0)
        return max(float(only_noise), noise / float(lengths[real].min(initial=1.0)))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,), row = operands[0].numbers(), operands[1].numbers()
        parts, squares = sum_of([Product((entry, entry)) for entry in row], decimals, 0.0)
        total = arithmetic_line(squares, decimals)
        length = arithmetic_line(Call("sqrt", (total.right,)), decimals)
        lines = [*parts, total, length]
        if float(length.right.text) < SHORTEST:
            shortest = PrintedNumber(f"{SHORTEST:.0e}".replace("e-0", "e-"))
            lines.append(arithmetic_line(Call("max", (length.right, shortest)), decimals))
        return lines, Quotient(own, lines[-1].right)

    def formula(self, rows: Formula) -> Formula:
        return f.over(rows, f.row(f.word_formula("‖"), rows, f.word_formula("‖")))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rows = names[0]
        length = f"np.linalg.norm({rows}, axis=-1, keepdims=True)"
        return f"{rows} / np.maximum({length}, {SHORTEST!r})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.nn.functional.normalize({names[0]}, dim=-1, eps={SHORTEST!r})"


def _lengths(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(rows, axis=-1, keepdims=True)
    return lengths


@dataclass(frozen=True)
class row_mean(Operation):  # noqa: N801
    """Σ_m A_im / d: the mean of each row of d numbers."""

    template: str = "i * -> i o"  # type: ignore[misc]  # with heads "h i * -> h i o"
    symbol = "mean"
    numpy = "{}.mean(axis=-1, keepdims=True)"
    torch = "{}.mean(-1, keepdim=True)"
    noise = noise_of_sum

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        mean: np.ndarray = operands[0].mean(axis=-1, keepdims=True)
        return mean

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        terms = self._terms(operands[0].numbers())
        parts, total = sum_of(terms, decimals, noise)
        added = arithmetic_line(total, decimals, noise)
        return [*parts, added], Quotient(added.right, PrintedNumber(str(len(terms))))

    def _terms(self, row: Sequence[PrintedNumber]) -> Sequence[Expression]:
        """What is added up."""
        return row


@dataclass(frozen=True)
class mean_square(row_mean):  # noqa: N801
    """Σ_m A_im² / d: of rows with mean 0 this is the variance (divided by d, not d − 1)."""

    symbol = "mean square"
    numpy = "({} ** 2).mean(axis=-1, keepdims=True)"
    torch = "({} ** 2).mean(-1, keepdim=True)"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return super().forward(operands[0] ** 2)

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Squares never cancel; what is noise in a row is less in its square."""
        largest = float(np.abs(operands[0]).max(initial=0.0))
        return max(noises[0] ** 2, min(noises[0], noises[0] * largest))

    def _terms(self, row: Sequence[PrintedNumber]) -> Sequence[Expression]:
        return [Product((entry, entry)) for entry in row]


@dataclass(frozen=True)
class divide_by_spread(Operation):  # noqa: N801
    """A_im / √(B_i + ε), with B the mean of a row's squares: that of the result is 1.

    Of rows of mean 0, B is the variance.

    ε keeps a row without any spread from a division by 0 (Ba, Kiros and Hinton 2016).
    """

    epsilon: float
    template: str = "i m, i 0 -> i m"  # type: ignore[misc]  # with heads "h i k, h i 0 -> h i k"

    def forward(self, rows: np.ndarray, variance: np.ndarray) -> np.ndarray:
        return rows / np.sqrt(variance + self.epsilon)

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Noise grows as its row does."""
        least = float(np.sqrt(operands[1].min(initial=np.inf) + self.epsilon))
        return noises[0] / least

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,), (variance,) = (operand.numbers() for operand in operands)
        epsilon = PrintedNumber(number_text(self.epsilon))
        root = arithmetic_line(Call("sqrt", (Sum((variance, epsilon)),)), decimals)
        return [root], Quotient(own, root.right)

    def formula(self, rows: Formula, variance: Formula) -> Formula:
        epsilon = f.number_formula(number_text(self.epsilon))
        return f.over(rows, f.root(f.row(variance, f.word_formula("+"), epsilon)))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rows, variance = names
        return f"{rows} / np.sqrt({variance} + {number_text(self.epsilon)})"


@dataclass(frozen=True)
class gain_and_bias(Operation):  # noqa: N801
    """A_im g_m + b_m: what a layer norm may learn, a factor and a shift for each feature."""

    template = "i m, m, m -> i m"
    numpy = "{} * {} + {}"

    def forward(self, rows: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
        made: np.ndarray = rows * gain + bias
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of two terms that cancel, as in a sum."""
        rows, gain, bias = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        largest = max(rows * gain, bias)
        return max(1e-9 * min(1.0, largest), noises[0] * gain, noises[1] * rows, noises[2])

    def cell(self, own: PrintedNumber, gain: PrintedNumber, bias: PrintedNumber) -> Expression:
        return Sum((Product((own, gain)), bias))

    def formula(self, rows: Formula, gain: Formula, bias: Formula) -> Formula:
        return f.row(rows, f.word_formula("×"), gain, f.word_formula("+"), bias)
