"""Scores: scaled by one number, the additive score, and no score at all.

i is a query position, j a key position, k a feature that queries and keys share.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
from core.program.numbers.rounding import typeset
from core.program.operation import Arrays, CellLines, Operand, Operation, number_text, sum_of
from core.program.patterns import Shape


class divide_by_root(Operation):  # noqa: N801
    """A / √d with d the length of B's rows: the scaling of scaled dot-product attention."""

    template = "h i j, _ _ _ -> h i j"
    numpy = "{} / np.sqrt({}.shape[-1])"
    torch = "{} / {}.shape[-1] ** 0.5"

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        scaled: np.ndarray = a / np.sqrt(b.shape[-1])
        return scaled

    def cell(self, value: PrintedNumber, width: PrintedNumber) -> Expression:
        return Quotient(value, Call("sqrt", (width,)))

    def formula(self, *operands: Formula) -> Formula:
        return f.over(operands[0], f.root(f.name("d_k")))


@dataclass(frozen=True)
class multiply_by(Operation):  # noqa: N801
    """A × number; 1 leaves A as it is."""

    factor: float
    template: str = "h i j -> h i j"  # type: ignore[misc]  # as many axes as A has

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0] * self.factor

    def cell(self, value: PrintedNumber) -> Expression:
        return Product((value, PrintedNumber(number_text(self.factor))))

    def formula(self, *operands: Formula) -> Formula:
        factor = f.word_formula(typeset(number_text(self.factor)))
        order = (factor, operands[0]) if self.factor < 0 else (operands[0], factor)
        return f.row(order[0], f.word_formula("×"), order[1])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {number_text(self.factor)}"


class additive_score(Operation):  # noqa: N801
    """v_aᵀ tanh(q_i + k_j), the additive score (Bahdanau et al. 2015, appendix A.1.2).

    The paper writes v_aᵀ tanh(W_a s + U_a h). Its W_a s is our query, x·W_Q, and its U_a h our
    key, x·W_K: the projections are the same, only what meets differs. A score lies between
    −Σ|v_a| and Σ|v_a|.
    """

    template = "h i k, h j k, h k o -> h i j"
    numpy = "(np.tanh({}[:, :, None] + {}[:, None]) @ {}[:, None])[..., 0]"

    def forward(self, queries: np.ndarray, keys: np.ndarray, v_a: np.ndarray) -> np.ndarray:
        pairs = np.tanh(queries[:, :, None] + keys[:, None])
        scores: np.ndarray = np.matmul(pairs, v_a[:, None])[..., 0]
        return scores

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, as in a product of v_a and what tanh leaves."""
        query, key, weight = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return 1e-9 * min(1.0, weight * float(np.tanh(query + key)))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        query, key, v_a = (operand.numbers() for operand in operands)
        met = [
            arithmetic_line(Call("tanh", (Sum(pair),)), decimals, noise)
            for pair in zip(query, key, strict=True)
        ]
        terms = [Product((v, t.right)) for v, t in zip(v_a, met, strict=True)]
        parts, total = sum_of(terms, decimals, noise)
        return [*met, *parts], total

    def formula(self, queries: Formula, keys: Formula, v_a: Formula) -> Formula:
        return f.row(f.transpose(v_a), f.call("tanh", f.row(queries, f.word_formula("+"), keys)))


class uniform_score(Operation):  # noqa: N801
    """0 for every pair: softmax then shares evenly, and the context is the mean of the values."""

    template = "_ _ _, _ _ _ -> h i j"
    numpy = "np.zeros((*{}.shape[:-1], {}.shape[-2]))"
    torch = "{0}.new_zeros(*{0}.shape[:-1], {1}.shape[-2])"

    def forward(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return np.zeros((*queries.shape[:-1], keys.shape[-2]))

    def formula(self, *operands: Formula) -> Formula:
        return f.word("0")
