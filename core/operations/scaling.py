"""Numbers times or divided by one number."""

from collections.abc import Sequence
from dataclasses import dataclass

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
)
from core.program.numbers.rounding import typeset
from core.program.operation import (
    Operand,
    Operation,
    number_text,
)
from core.program.patterns import Shape


class divide_by_root(Operation):  # noqa: N801
    """A / √d with d the length of B's rows: the scaling of scaled dot-product attention."""

    template = "h i j, _ _ _ -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        scaled: np.ndarray = a / np.sqrt(b.shape[-1])
        return scaled

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (value,), (width,) = operands[0].numbers(), operands[1].numbers()
        return [], Quotient(value, Call("sqrt", (width,)))

    def formula(self, *operands: Formula) -> Formula:
        return f.over(operands[0], f.root(f.name("d_k")))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} / np.sqrt({names[1]}.shape[-1])"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} / {names[1]}.shape[-1] ** 0.5"


@dataclass(frozen=True)
class multiply_by(Operation):  # noqa: N801
    """A × number; 1 leaves A as it is."""

    factor: float
    template: str = "h i j -> h i j"  # type: ignore[misc]  # as many axes as A has

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0] * self.factor

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (value,) = operands[0].numbers()
        return [], Product((value, PrintedNumber(number_text(self.factor))))

    def formula(self, *operands: Formula) -> Formula:
        factor = f.word_formula(typeset(number_text(self.factor)))
        order = (factor, operands[0]) if self.factor < 0 else (operands[0], factor)
        return f.row(order[0], f.word_formula("×"), order[1])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {number_text(self.factor)}"
