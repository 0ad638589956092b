"""Rows made one long."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.program import formulas as f
from core.program.arithmetic import (
    Call,
    Expression,
    Line,
    Number,
    Product,
    Quotient,
    line,
)
from core.program.formulas import Formula
from core.program.operation import (
    Arrays,
    Operand,
    Operation,
    sum_of,
)
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

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.nn.functional.normalize({names[0]}, dim=-1, eps={SHORTEST!r})"


def _lengths(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(rows, axis=-1, keepdims=True)
    return lengths
