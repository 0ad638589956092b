"""Scores that are not dot products: rows made one long, the additive score, and no score at all.

They join the vocabulary of `core.operations`. i is a query position, j a key position, k a feature
that queries and keys share.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core import formulas as f
from core.arithmetic import Call, Expression, Line, Number, Product, Quotient, Sum, line
from core.formulas import Formula
from core.operations import Arrays, Operand, Operation, sum_of
from core.patterns import Shape

SHORTEST = 1e-8
"""Rows shorter than this are divided by this, as in `torch.nn.functional.cosine_similarity`."""


class normalise_rows(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A_ik / max(‖A_i‖, 1e-8): each row keeps its direction and becomes 1 long.

    The dot product of two such rows is the cosine of their angle, in [−1, 1]. A row of zeros has
    no direction and stays zeros.
    """

    template = "h i k, h i * -> h i k"
    slots: ClassVar[tuple[int, ...] | None] = (0, 0)

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        (rows,) = operands
        unit: np.ndarray = rows / np.maximum(_lengths(rows), SHORTEST)
        return unit

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Noise grows as its row becomes 1 long; a row of nothing but noise stays noise."""
        (rows,), (noise,) = operands, noises
        lengths = _lengths(rows)
        real = lengths > noise * np.sqrt(rows.shape[-1])
        only_noise = np.abs(self.forward(rows)[~real[..., 0]]).max(initial=0.0)
        return max(float(only_noise), noise / float(lengths[real].min(initial=1.0)))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        (own,), row = operands[0].numbers(), operands[1].numbers()
        parts, squares = sum_of([Product((entry, entry)) for entry in row], decimals, 0.0)
        total = line(squares, decimals)
        length = line(Call("sqrt", (total.right,)), decimals)
        lines = [*parts, total, length]
        if float(length.right.text) < SHORTEST:
            shortest = Number(f"{SHORTEST:.0e}".replace("e-0", "e-"))
            lines.append(line(Call("max", (length.right, shortest)), decimals))
        return lines, Quotient(own, lines[-1].right)

    def formula(self, *operands: Formula) -> Formula:
        (rows,) = operands
        return f.over(rows, f.row(f.mark("‖"), rows, f.mark("‖")))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rows = names[0]
        length = f"np.linalg.norm({rows}, axis=-1, keepdims=True)"
        return f"{rows} / np.maximum({length}, {SHORTEST!r})"


class additive_score(Operation):  # noqa: N801
    """v_aᵀ tanh(q_i + k_j), the additive score (Bahdanau et al. 2015, section 3.1).

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
        """A residue of terms that cancel, as in a product."""
        return 1e-9 * min(1.0, float(np.abs(operands[2]).max(initial=0.0)))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        query, key, v_a = (operand.numbers() for operand in operands)
        met = [
            line(Call("tanh", (Sum(pair),)), decimals, noise)
            for pair in zip(query, key, strict=True)
        ]
        terms = [Product((v, t.right)) for v, t in zip(v_a, met, strict=True)]
        parts, total = sum_of(terms, decimals, noise)
        return [*met, *parts], total

    def formula(self, *operands: Formula) -> Formula:
        queries, keys, v_a = operands
        return f.row(f.transpose(v_a), f.call("tanh", f.row(queries, f.mark("+"), keys)))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        queries, keys, v_a = names
        return f"(np.tanh({queries}[:, :, None] + {keys}[:, None]) @ {v_a}[:, None])[..., 0]"


class uniform_score(Operation):  # noqa: N801
    """0 for every pair: softmax then shares evenly, and the context is the mean of the values."""

    template = "_ _ _, _ _ _ -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        queries, keys = operands
        return np.zeros((*queries.shape[:-1], keys.shape[-2]))

    def formula(self, *operands: Formula) -> Formula:
        return ["word", "0"]

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        queries, keys = names
        return f"np.zeros((*{queries}.shape[:-1], {keys}.shape[-2]))"


def _lengths(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(rows, axis=-1, keepdims=True)
    return lengths
