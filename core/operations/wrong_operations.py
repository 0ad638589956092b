"""The usual mistakes as operations.

They compute and explain themselves like the right ones, so that a broken program runs on the same
stage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.operations.masking import mask_fill
from core.operations.scores import divide_by_root
from core.operations.shapes import split_heads
from core.operations.softmax import softmax
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import ArithmeticLine, PrintedNumber, Subtraction
from core.program.numbers.rounding import operand_text
from core.program.operation import CellLines, Operand, Operation, number_text
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


class softmax_then_mask(softmax):  # noqa: N801 - a verb of the vocabulary
    """softmax(A) where the mask is True, 0 where it is False: the hidden keys keep their share."""

    template = "h i j, h i *, i j -> h i j"
    slots = (0, 0, 1)
    removed_by = 2
    numpy = "softmax({}) * {}"
    torch = "torch.softmax({}, -1) * {}"

    def row_table(self, lines: Sequence[ArithmeticLine]) -> None:
        """The shares are dealt out among keys that the row no longer shows."""

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        scores, mask = operands
        weights: np.ndarray = super().forward(scores) * mask
        return weights

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        if not operands[0].values:
            return [], PrintedNumber("0")
        return super().lines(operands[:2], decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("mask", f.call("softmax", operands[0], role="weights"))


class plain_softmax(softmax):  # noqa: N801
    """exp(s_j − max s) / Σ exp(s − max s) as written: a row without any key gives NaN."""

    helper = '''
def plain_softmax(scores):
    """exp(s - max s) / sum, row by row; a row of -inf alone gives -inf - -inf, which is NaN."""
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
'''
    numpy = "plain_softmax({})"
    torch = "torch.softmax({}, -1)"

    def forward(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights: np.ndarray = exponentials / exponentials.sum(axis=-1, keepdims=True)
        return weights

    def removes(self, decided: np.ndarray) -> np.ndarray:
        """A hidden key's weight is 0 only where its row has a visible key."""
        return decided & ~decided.all(axis=-1, keepdims=True)

    def formula(self, *operands: Formula) -> Formula:
        return f.call(TEXTS("plain_softmax"), operands[0], role="weights")


class softmax_over_queries(softmax):  # noqa: N801
    """softmax along the wrong axis: each column, over the queries, adds up to 1."""

    template = "h i j, h * j -> h i j"
    numpy = "softmax({}.swapaxes(-1, -2)).swapaxes(-1, -2)"
    torch = "torch.softmax({}, -2).nan_to_num(0.0)"

    def row_table(self, lines: Sequence[ArithmeticLine]) -> None:
        """What adds up to 1 is a column here, so no row shows how."""

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return super().forward(operands[0].swapaxes(-1, -2)).swapaxes(-1, -2)

    def formula(self, *operands: Formula) -> Formula:
        return f.call(TEXTS("softmax_over_queries"), operands[0], role="weights")


@dataclass(frozen=True)
class fill_with(mask_fill):  # noqa: N801
    """A where the mask is True, a finite number where it is False: a hidden key still counts."""

    number: float
    removed_by = None
    overwrites = 1
    numpy = "np.where({1}, {0}, {number})"
    torch = "{0}.masked_fill(~{1}, {number})"

    def forward(self, scaled: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.where(mask, scaled, self.number)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("mask", operands[0], f.word_formula(number_text(self.number)))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        kept = operands[0].numbers()
        return [], kept[0] if kept else PrintedNumber(operand_text(self.number, decimals))


@dataclass(frozen=True)
class subtract_where_hidden(Operation):  # noqa: N801
    """A − amount where the mask is False: e to a hidden score stays e^−amount of what it was."""

    amount: float
    template = "h i j, i j -> h i j"

    def forward(self, scaled: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.where(mask, scaled, scaled - self.amount)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (score,), (visible,) = operands[0].numbers(), operands[1].values
        return [], score if visible else Subtraction(score, PrintedNumber(f"{self.amount:g}"))

    def formula(self, *operands: Formula) -> Formula:
        return f.row(
            operands[0], f.word_formula("−"), f.word_formula(f"{self.amount:g}"), f.word("hidden")
        )

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        amount = "np.inf" if np.isinf(self.amount) else f"{self.amount:g}"
        return f"np.where({names[1]}, {names[0]}, {names[0]} - {amount})"


class divide_by_root_of_width(divide_by_root):  # noqa: N801
    """A / √d_model: the root of the wrong size, X's rows instead of one head's."""

    template = "h i j, _ _ -> h i j"

    def formula(self, *operands: Formula) -> Formula:
        return f.over(operands[0], f.root(f.name("d_model")))


class divide_and_fill(divide_by_root):  # noqa: N801
    """A / √d_k, its hidden cells overwritten with −∞ afterwards, through a view."""

    template = "h i j, _ _ _, i j -> h i j"
    removed_by = 2

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        scores, keys, mask = operands
        return np.where(mask, super().forward(scores, keys), -np.inf)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        if not operands[0].values:
            return [], PrintedNumber("-inf")
        return super().lines(operands[:2], decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("mask", super().formula(*operands))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        divided = super().code(names, shapes)
        return f"np.where({names[2]}, {divided}, -np.inf)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"({super().torch_code(names, shapes)}).masked_fill(~{names[2]}, -torch.inf)"


class reshape_heads(split_heads):  # noqa: N801
    """Memory cut straight into n_heads blocks: reshape(n_heads, T, d_k) mixes tokens and heads."""

    template = "0 h*{block}+i*{d_k}+k -> h i k"
    symbol = "reshape"
    numpy = torch = "{}.reshape({n_heads}, -1, {d_k})"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"block": shapes[0][1] // self.n_heads, "d_k": self.d_k}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(self.n_heads, -1, self.d_k)
