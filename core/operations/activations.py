"""What a feed-forward unit does with its number: nothing is mixed, each entry is on its own."""

from collections.abc import Sequence
from math import erfc, pi, sqrt
from typing import ClassVar

import numpy as np

from core.operations.noise import noise_of_exponential
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
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
from core.program.operation import Arrays, CellLines, Operand, Operation

_ERFC = np.vectorize(erfc, otypes=[float])
"""numpy has none."""
CUBED = "0.044715"
FACTOR = sqrt(2 / pi)
DROWNED = 700.0
"""e to the minus of this is less than a float can add to 1; e to more is soon beyond all floats."""


class relu(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """max(0, A), entry by entry: a number below 0 goes no further."""

    template = "i m -> i m"
    symbol = "ReLU"
    numpy = "np.maximum(0.0, {})"
    torch = "torch.relu({})"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        made: np.ndarray = np.maximum(0.0, operands[0])
        return made

    def cell(self, own: PrintedNumber) -> Expression:
        return Call("max", (PrintedNumber("0"), own))


class sign(Operation):  # noqa: N801
    """1 where A ≥ 0, −1 elsewhere, entry by entry."""

    template = "t q -> t q"
    symbol = "sign"
    numpy = "np.where({} >= 0, 1.0, -1.0)"
    torch = "({0} >= 0).to({0}.dtype) * 2 - 1"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return np.where(operands[0] >= 0, 1.0, -1.0)

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Nothing of the operand's noise is left."""
        return 0.0

    def cell(self, own: PrintedNumber) -> Expression:
        return Call("sign", (own,))


class squares(Operation):  # noqa: N801
    """A², entry by entry: never below 0, and the same for a number and its opposite."""

    template = "h i j -> h i j"
    numpy = "{0} * {0}"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        made: np.ndarray = operands[0] * operands[0]
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """That of a product with itself: nothing cancels."""
        return noises[0] * float(np.abs(operands[0]).max(initial=0.0))

    def cell(self, own: PrintedNumber) -> Expression:
        return Product((own, own))

    def formula(self, *operands: Formula) -> Formula:
        return f.power(operands[0], 2)


class exponentials(Operation):  # noqa: N801
    """e^A, entry by entry: always above 0; 0 where A is −∞."""

    template = "h i j -> h i j"
    removed_by: ClassVar[int | None] = 0
    symbol = "exp"
    numpy = "np.exp({})"
    torch = "torch.exp({})"
    noise = noise_of_exponential

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # ∞ is what float64 makes of it
            powers: np.ndarray = np.exp(operands[0])
        return powers

    def cell(self, own: PrintedNumber) -> Expression:
        return Call("exp", (own,))


class elu_plus_one(Operation):  # noqa: N801
    """A + 1 above 0, e^A below: always positive (Katharopoulos et al. 2020, section 3.2)."""

    template = "h i k -> h i k"
    numpy = "np.where({0} > 0, {0} + 1, np.exp(np.minimum({0}, 0)))"
    torch = "torch.nn.functional.elu({}) + 1"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        return np.where(entries > 0, entries + 1, np.exp(np.minimum(entries, 0)))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,) = operands[0].numbers()
        above = own.value()[0] > 0
        return [], Sum((own, PrintedNumber("1"))) if above else Call("exp", (own,))

    def formula(self, *operands: Formula) -> Formula:
        return f.row(f.call("ELU", operands[0]), f.word_formula("+"), f.word_formula("1"))


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
    symbol = "GELU"
    numpy = "gelu({})"
    torch = "torch.nn.functional.gelu({})"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        made: np.ndarray = entries * _ERFC(-entries / np.sqrt(2)) / 2
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """It grows by a factor of 1.13 at most; 1 + erf keeps no digit of what is below 1e-15."""
        return max(1.13 * noises[0], 1e-15 * float(np.abs(operands[0]).max(initial=0.0)))

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,) = operands[0].numbers()
        inside = arithmetic_line(Quotient(own, Call("sqrt", (PrintedNumber("2"),))), decimals)
        part = arithmetic_line(Call("erf", (inside.right,)), decimals)
        share = arithmetic_line(Sum((PrintedNumber("1"), part.right)), decimals)
        return [inside, part, share], Quotient(Product((own, share.right)), PrintedNumber("2"))


class gelu_tanh(gelu):  # noqa: N801
    """A (1 + tanh(√(2/π) (A + 0.044715 A³))) / 2, entry by entry.

    GELU within 0.0005 (Hendrycks and Gimpel 2016, section 2); GPT-2 was trained with it.
    """

    helper: ClassVar[str] = '''
def gelu_tanh(entries):
    """x (1 + tanh(u)) / 2 is x / (1 + exp(-2u)): this way nothing cancels."""
    u = np.sqrt(2 / np.pi) * (entries + 0.044715 * entries**3)
    return entries / (1 + np.exp(np.minimum(-2 * u, 700.0)))
'''
    symbol = "GELU tanh"
    numpy = "gelu_tanh({})"
    torch = 'torch.nn.functional.gelu({}, approximate="tanh")'

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        inside = FACTOR * (entries + float(CUBED) * entries**3)
        made: np.ndarray = entries / (1 + np.exp(np.minimum(-2 * inside, DROWNED)))
        return made

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,) = operands[0].numbers()
        more = Product((PrintedNumber(CUBED), Power(own, 3)))
        bent = arithmetic_line(Sum((own, more)), decimals)
        factor = PrintedNumber(decimal_text(FACTOR, decimals + 2))
        inside = arithmetic_line(Product((factor, bent.right)), decimals)
        part = arithmetic_line(Call("tanh", (inside.right,)), decimals)
        share = arithmetic_line(Sum((PrintedNumber("1"), part.right)), decimals)
        left = Quotient(Product((own, share.right)), PrintedNumber("2"))
        return [bent, inside, part, share], left


class silu(Operation):  # noqa: N801
    """A / (1 + e^(−A)), entry by entry (Hendrycks and Gimpel 2016; Llama's units).

    Nearly A far above 0, nearly 0 far below, and least (about −0.28) near −1.28.
    """

    template = "i f -> i f"
    symbol = "SiLU"
    numpy = "{0} / (1 + np.exp(np.minimum(-{0}, 700.0)))"
    torch = "torch.nn.functional.silu({})"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        entries = operands[0]
        made: np.ndarray = entries / (1 + np.exp(np.minimum(-entries, DROWNED)))
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """It grows by a factor of 1.1 at most; nothing cancels, down to where e drowns."""
        return max(1.1 * noises[0], 1e-300)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        (own,) = operands[0].numbers()
        text = own.text
        opposite = text[1:] if text.startswith("-") else f"-{text}" if own.value()[0] else text
        power = arithmetic_line(Call("exp", (PrintedNumber(opposite),)), decimals)
        under = arithmetic_line(Sum((PrintedNumber("1"), power.right)), decimals)
        return [power, under], Quotient(own, under.right)
