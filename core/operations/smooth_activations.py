"""What the feed-forward units of real models do with their numbers: smooth, entry by entry."""

from collections.abc import Sequence
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from core.operations.activations import gelu
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    Power,
    PrintedNumber,
    Product,
    Quotient,
    Sum,
    arithmetic_line,
)
from core.program.numbers.rounding import decimal_text
from core.program.operation import Arrays, Operand, Operation
from core.program.patterns import Shape

CUBED = "0.044715"
FACTOR = sqrt(2 / pi)
DROWNED = 700.0
"""e to the minus of this is less than a float can add to 1; e to more is soon beyond all floats."""


class gelu_tanh(gelu):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A (1 + tanh(√(2/π) (A + 0.044715 A³))) / 2, entry by entry.

    GELU within 0.0005 (Hendrycks and Gimpel 2016, section 2); GPT-2 was trained with it.
    """

    helper: ClassVar[str] = '''
def gelu_tanh(entries):
    """x (1 + tanh(u)) / 2 is x / (1 + exp(-2u)): this way nothing cancels."""
    u = np.sqrt(2 / np.pi) * (entries + 0.044715 * entries**3)
    return entries / (1 + np.exp(np.minimum(-2 * u, 700.0)))
'''

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        inside = FACTOR * (entries + float(CUBED) * entries**3)
        made: np.ndarray = entries / (1 + np.exp(np.minimum(-2 * inside, DROWNED)))
        return made

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        more = Product((PrintedNumber(CUBED), Power(own, 3)))
        bent = arithmetic_line(Sum((own, more)), decimals)
        factor = PrintedNumber(decimal_text(FACTOR, decimals + 2))
        inside = arithmetic_line(Product((factor, bent.right)), decimals)
        part = arithmetic_line(Call("tanh", (inside.right,)), decimals)
        share = arithmetic_line(Sum((PrintedNumber("1"), part.right)), decimals)
        left = Quotient(Product((own, share.right)), PrintedNumber("2"))
        return [bent, inside, part, share], left

    def formula(self, *operands: Formula) -> Formula:
        return f.call("GELU tanh", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"gelu_tanh({names[0]})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f'torch.nn.functional.gelu({names[0]}, approximate="tanh")'


class silu(Operation):  # noqa: N801
    """A / (1 + e^(−A)), entry by entry (Hendrycks and Gimpel 2016; Llama's units).

    Nearly A far above 0, nearly 0 far below, and least (about −0.28) near −1.28.
    """

    template = "i f -> i f"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        made: np.ndarray = entries / (1 + np.exp(np.minimum(-entries, DROWNED)))
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """It grows by a factor of 1.1 at most; nothing cancels, down to where e drowns."""
        return max(1.1 * noises[0], 1e-300)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (own,) = operands[0].numbers()
        text = own.text
        opposite = text[1:] if text.startswith("-") else f"-{text}" if own.value()[0] else text
        power = arithmetic_line(Call("exp", (PrintedNumber(opposite),)), decimals)
        under = arithmetic_line(Sum((PrintedNumber("1"), power.right)), decimals)
        return [power, under], Quotient(own, under.right)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("SiLU", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} / (1 + np.exp(np.minimum(-{names[0]}, 700.0)))"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.nn.functional.silu({names[0]})"
