"""Scores that are no dot products: the additive score, and no score at all.

i is a query position, j a key position, k a feature that queries and keys share.
"""

from collections.abc import Sequence

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    Product,
    Sum,
    arithmetic_line,
)
from core.program.operation import (
    Arrays,
    Operand,
    Operation,
    sum_of,
)
from core.program.patterns import Shape


class additive_score(Operation):  # noqa: N801
    """v_aᵀ tanh(q_i + k_j), the additive score (Bahdanau et al. 2015, appendix A.1.2).

    The paper writes v_aᵀ tanh(W_a s + U_a h). Its W_a s is our query, x·W_Q, and its U_a h our
    key, x·W_K: the projections are the same, only what meets differs. A score lies between
    −Σ|v_a| and Σ|v_a|.
    """

    template = "h i k, h j k, h k o -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        queries, keys, v_a = operands
        pairs = np.tanh(queries[:, :, None] + keys[:, None])
        scores: np.ndarray = np.matmul(pairs, v_a[:, None])[..., 0]
        return scores

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, as in a product of v_a and what tanh leaves."""
        query, key, weight = (float(np.abs(operand).max(initial=0.0)) for operand in operands)
        return 1e-9 * min(1.0, weight * float(np.tanh(query + key)))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        query, key, v_a = (operand.numbers() for operand in operands)
        met = [
            arithmetic_line(Call("tanh", (Sum(pair),)), decimals, noise)
            for pair in zip(query, key, strict=True)
        ]
        terms = [Product((v, t.right)) for v, t in zip(v_a, met, strict=True)]
        parts, total = sum_of(terms, decimals, noise)
        return [*met, *parts], total

    def formula(self, *operands: Formula) -> Formula:
        queries, keys, v_a = operands
        return f.row(f.transpose(v_a), f.call("tanh", f.row(queries, f.word_formula("+"), keys)))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        queries, keys, v_a = names
        return f"(np.tanh({queries}[:, :, None] + {keys}[:, None]) @ {v_a}[:, None])[..., 0]"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self.code(names, shapes).replace("np.", "torch.")


class uniform_score(Operation):  # noqa: N801
    """0 for every pair: softmax then shares evenly, and the context is the mean of the values."""

    template = "_ _ _, _ _ _ -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        queries, keys = operands
        return np.zeros((*queries.shape[:-1], keys.shape[-2]))

    def formula(self, *operands: Formula) -> Formula:
        return f.word("0")

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        queries, keys = names
        return f"np.zeros((*{queries}.shape[:-1], {keys}.shape[-2]))"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        queries, keys = names
        return f"{queries}.new_zeros(*{queries}.shape[:-1], {keys}.shape[-2])"
