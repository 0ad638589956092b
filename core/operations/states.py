"""A sum of outer products as a state: one row of numbers for each token, and how a query reads it.

A state of d_k × d_v numbers is laid out in a row, the d_v numbers of key feature 1 first: so states
of different tokens stand below each other.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import ArithmeticLine, Expression, PrintedNumber, Product
from core.program.operation import Arrays, Operand, Operation, sum_of
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


class outer_rows(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """k_j v_jᵀ for each token j, laid out in a row."""

    template = "h j p//{width}, h j p%{width} -> h j p"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[1][-1]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        made: np.ndarray = (a[..., :, None] * b[..., None, :]).reshape(*a.shape[:-1], -1)
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left of the operands' noise: nothing cancels in one product."""
        a, b = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return max(noises[0] * b, noises[1] * a)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (a,), (b,) = (operand.numbers() for operand in operands)
        return [], Product((a, b))

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return f.call("rows", f.row(a, f.word_formula("⊗"), b))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        rows, width = shapes[0][-2], shapes[0][-1] * shapes[1][-1]
        return f"({a}[..., :, None] * {b}[..., None, :]).reshape(-1, {rows}, {width})"


class SumOfProducts:
    """What operations share whose cells are sums of products, term by term of both operands."""

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, as in a product."""
        a, b = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return max(1e-9 * min(1.0, a * b), noises[0] * b, noises[1] * a)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        pairs = zip(*(operand.numbers() for operand in operands), strict=True)
        terms = [Product(pair) for pair in pairs]
        return sum_of(terms, decimals, noise) if terms else ([], PrintedNumber("0"))


class read_state(SumOfProducts, Operation):  # noqa: N801
    """q_iᵀ S_i for each token i: its query times its state."""

    template = "h i k, h i k*{width}+v -> h i v"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[1][-1] // max(shapes[0][-1], 1)}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        q, state = operands
        square = state.reshape(*q.shape, -1)
        read: np.ndarray = (q[..., None, :] @ square)[..., 0, :]
        return read

    def formula(self, *operands: Formula) -> Formula:
        q, state = operands
        return f.call("read", q, state)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        q, state = names
        square = ", ".join(map(str, (*shapes[0], -1)))
        return f"({q}[..., None, :] @ {state}.reshape({square}))[..., 0, :]"


class dot_rows(SumOfProducts, Operation):  # noqa: N801
    """a_i · b_i for each token i, as a column."""

    template = "h i k, h i k -> h i o"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        products: np.ndarray = (a * b).sum(axis=-1, keepdims=True)
        return products

    def formula(self, *operands: Formula) -> Formula:
        return f.call(TEXTS("row_by_row"), *operands)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"({names[0]} * {names[1]}).sum(axis=-1, keepdims=True)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"({names[0]} * {names[1]}).sum(-1, keepdim=True)"
