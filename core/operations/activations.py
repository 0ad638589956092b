"""What a feed-forward unit does with its number: nothing is mixed, each entry is on its own."""

from collections.abc import Sequence
from math import erfc
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
    Sum,
    arithmetic_line,
)
from core.program.operation import Arrays, Operand, Operation
from core.program.patterns import Shape


class relu(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """max(0, A), entry by entry: a number below 0 goes no further."""

    template = "i m -> i m"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        made: np.ndarray = np.maximum(0.0, operands[0])
        return made

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        return [], Call("max", (PrintedNumber("0"), own))

    def formula(self, *operands: Formula) -> Formula:
        return f.call("ReLU", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.maximum(0.0, {names[0]})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.relu({names[0]})"


class sign(Operation):  # noqa: N801
    """1 where A ≥ 0, −1 elsewhere, entry by entry."""

    template = "t q -> t q"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return np.where(operands[0] >= 0, 1.0, -1.0)

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Nothing of the operand's noise is left."""
        return 0.0

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        return [], Call("sign", (own,))

    def formula(self, *operands: Formula) -> Formula:
        return f.call("sign", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.where({names[0]} >= 0, 1.0, -1.0)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"({names[0]} >= 0).to({names[0]}.dtype) * 2 - 1"


class squares(Operation):  # noqa: N801
    """A², entry by entry: never below 0, and the same for a number and its opposite."""

    template = "h i j -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        made: np.ndarray = operands[0] * operands[0]
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """That of a product with itself: nothing cancels."""
        return noises[0] * float(np.abs(operands[0]).max(initial=0.0))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        return [], Product((own, own))

    def formula(self, *operands: Formula) -> Formula:
        return f.power(operands[0], 2)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {names[0]}"


class exponentials(Operation):  # noqa: N801
    """e^A, entry by entry: always above 0; 0 where A is −∞."""

    template = "h i j -> h i j"
    removed_by: ClassVar[int | None] = 0

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # ∞ is what float64 makes of it
            powers: np.ndarray = np.exp(operands[0])
        return powers

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Nothing cancels in an exponential, down to where floats underflow."""
        return float(np.finfo(np.float64).tiny)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        return [], Call("exp", (own,))

    def formula(self, *operands: Formula) -> Formula:
        return f.call("exp", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.exp({names[0]})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.exp({names[0]})"


class elu_plus_one(Operation):  # noqa: N801
    """A + 1 above 0, e^A below: always positive (Katharopoulos et al. 2020, section 3.2)."""

    template = "h i k -> h i k"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        return np.where(entries > 0, entries + 1, np.exp(np.minimum(entries, 0)))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        above = own.value()[0] > 0
        return [], Sum((own, PrintedNumber("1"))) if above else Call("exp", (own,))

    def formula(self, *operands: Formula) -> Formula:
        return f.row(f.call("ELU", operands[0]), f.word_formula("+"), f.word_formula("1"))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        (a,) = names
        return f"np.where({a} > 0, {a} + 1, np.exp(np.minimum({a}, 0)))"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.nn.functional.elu({names[0]}) + 1"


class gelu(Operation):  # noqa: N801
    """A (1 + erf(A / √2)) / 2, entry by entry (Hendrycks and Gimpel 2016).

    A times the share of a standard normal distribution that lies below A: nearly A far above 0,
    nearly 0 far below, smooth between, and least (about −0.17) near −0.75.
    """

    template = "i m -> i m"
    helper: ClassVar[str] = '''
def gelu(entries):
    """x (1 + erf(x / sqrt 2)) / 2, entry by entry; erfc(-x) is 1 + erf(x) without cancelling."""
    from math import erfc

    return entries * np.vectorize(erfc, otypes=[float])(-entries / np.sqrt(2)) / 2
'''

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        made: np.ndarray = entries * _ERFC(-entries / np.sqrt(2)) / 2
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """It grows by a factor of 1.13 at most; 1 + erf keeps no digit of what is below 1e-15."""
        return max(1.13 * noises[0], 1e-15 * float(np.abs(operands[0]).max(initial=0.0)))

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        inside = arithmetic_line(Quotient(own, Call("sqrt", (PrintedNumber("2"),))), decimals)
        part = arithmetic_line(Call("erf", (inside.right,)), decimals)
        share = arithmetic_line(Sum((PrintedNumber("1"), part.right)), decimals)
        return [inside, part, share], Quotient(Product((own, share.right)), PrintedNumber("2"))

    def formula(self, *operands: Formula) -> Formula:
        return f.call("GELU", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"gelu({names[0]})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.nn.functional.gelu({names[0]})"


_ERFC = np.vectorize(erfc, otypes=[float])
"""numpy has none."""
