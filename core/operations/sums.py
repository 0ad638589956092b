"""Sums and differences: a bias or a second array added, and sums that run along positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.operations.noise import noise_of_sum
from core.operations.shapes import first_read
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    Expression,
    Power,
    PrintedNumber,
    Product,
    Subtraction,
    Sum,
)
from core.program.operation import CellLines, Operand, Operation, number_text, sum_of
from core.program.patterns import Shape


@dataclass(frozen=True)
class add(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A + B; a B with fewer axes, such as a bias, is added to every row of A.

    A B with one column (`i 0`) is added to every column.
    """

    template: str  # type: ignore[misc]  # as "h i k, h k -> h i k"
    own_letters = True
    symbol = "+"
    noise = noise_of_sum

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        index = tuple(None if part == "None" else slice(None) for part in self._index())
        total: np.ndarray = a + b[index]
        return total

    def cell(self, a: PrintedNumber, b: PrintedNumber) -> Expression:
        return Sum((a, b))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        index = ", ".join(self._index())
        return f"{a} + {b}" + (f"[{index}]" if "None" in index else "")

    def _index(self) -> list[str]:
        """Where B has an axis of A (`:`), and where it has none (`None`)."""
        a, b = (side.split() for side in self.template.split("->")[0].split(","))
        if len(a) == len(b):
            return [":"] * len(a)
        return [":" if letter in b else "None" for letter in a]


@dataclass(frozen=True)
class subtract(add):  # noqa: N801
    """A − B."""

    symbol = "−"

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().forward(a, -b)

    def cell(self, a: PrintedNumber, b: PrintedNumber) -> Expression:
        return Subtraction(a, b)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return super().code(names, shapes).replace(" + ", " - ")


@dataclass(frozen=True)
class running_sum(Operation):  # noqa: N801
    """Row i is the sum of rows 0 to i of A, along the axis that runs up to a position.

    With `j<=i+5`, of rows 0 to i + 5: five rows came before the first of the result.
    """

    template: str  # type: ignore[misc]  # as "h j<=i k v -> h i k v"
    own_letters = True
    symbol = "running sum"
    noise = noise_of_sum

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        sums: np.ndarray = np.cumsum(operands[0], axis=self._axis)
        before = np.arange(self._before, sums.shape[self._axis])
        return np.take(sums, before, axis=self._axis)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        return sum_of(operands[0].numbers(), decimals, noise)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.cumsum({names[0]}, axis={self._axis})" + self._later

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.cumsum({names[0]}, {self._axis})" + self._later

    @property
    def _later(self) -> str:
        """The rows that are left, where some came before the first of the result."""
        return f"[{':, ' * self._axis}{self._before}:]" if self._before else ""

    @property
    def _axis(self) -> int:
        indices = self.template.split("->")[0].split()
        return next(n for n, index in enumerate(indices) if "<=" in index)

    @property
    def _before(self) -> int:
        """How many rows came before the first of the result."""
        return first_read(self.template, self._axis)


@dataclass(frozen=True)
class recurrence(Operation):  # noqa: N801
    """H_i = factor · H_{i−1} + A_i, from H = 0: the state of a linear recurrent net, row by row.

    Written out it is a sum whose weights depend on distance alone: Σ_{j ≤ i} factor^(i−j) · A_j.
    """

    template: str  # type: ignore[misc]  # as "h j<=i v -> h i v"
    factor: float
    own_letters = True
    helper = '''
def recurrence(entering, factor):
    """Row i is factor times row i - 1, plus what enters in row i."""
    state = entering.copy()
    for i in range(1, state.shape[-2]):
        state[..., i, :] += factor * state[..., i - 1, :]
    return state
'''
    noise = noise_of_sum

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        state: np.ndarray = operands[0].copy()
        for i in range(1, state.shape[-2]):
            state[..., i, :] += self.factor * state[..., i - 1, :]
        return state

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        *earlier, own = operands[0].numbers()
        factor = PrintedNumber(number_text(self.factor))
        back = range(len(earlier), 0, -1)
        powers = (factor if n == 1 else Power(factor, n) for n in back)
        terms = [Product(pair) for pair in zip(powers, earlier, strict=True)]
        return sum_of([*terms, own], decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("recurrence", operands[0], f.word_formula(number_text(self.factor)))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"recurrence({names[0]}, {number_text(self.factor)})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        places = f"torch.arange({shapes[0][-2]}, dtype={names[0]}.dtype)"
        apart = f"({places}[:, None] - {places})"
        return f"({number_text(self.factor)} ** {apart}).tril() @ {names[0]}"
