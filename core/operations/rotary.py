"""Sine and cosine of angles, entry by entry, and pairs of features that are turned by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import Call, Expression, PrintedNumber, Product, Sum
from core.program.operation import Arrays, Operation
from core.program.patterns import Shape


class sine(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """sin A, entry by entry; angles in radians."""

    template = "i k -> i k"
    symbol = "sin"
    numpy = "np.sin({})"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        made: np.ndarray = getattr(np, self.symbol)(operands[0])
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Neither grows faster than its angle; a multiple of π/2 leaves a residue in floats."""
        largest = float(np.abs(operands[0]).max(initial=0.0))
        return max(noises[0], 1e-15 * max(1.0, largest))

    def cell(self, angle: PrintedNumber) -> Expression:
        return Call(self.symbol, (angle,))


class cosine(sine):  # noqa: N801
    """cos A, entry by entry; angles in radians."""

    symbol = "cos"
    numpy = "np.cos({})"


@dataclass(frozen=True)
class rotate(Operation):  # noqa: N801
    """A cos θ + A⊥ sin θ: each pair of features turned by its angle (Su et al. 2021, eq. 34).

    A⊥ is A with each pair (a, b) turned by a right angle, (−b, a); so the pair becomes
    a cos θ − b sin θ, b cos θ + a sin θ. Cosine and sine stand once for each feature.
    """

    template = "h i k, i k, h i k, i k -> h i k"
    numpy = "{} * {} + {} * {}"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        rows, cosines, turned, sines = operands
        made: np.ndarray = rows * cosines + turned * sines
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of two terms that cancel, as in a sum."""
        largest = max(float(np.abs(operand).max(initial=0.0)) for operand in operands[::2])
        angles = largest * max(noises[1::2])
        return max(1e-9 * min(1.0, largest), *noises[::2], angles)

    def cell(self, *numbers: PrintedNumber) -> Expression:
        return Sum((Product(numbers[:2]), Product(numbers[2:])))

    def formula(self, rows: Formula, cosines: Formula, turned: Formula, sines: Formula) -> Formula:
        times = f.word_formula("×")
        return f.row(rows, times, cosines, f.word_formula("+"), turned, times, sines)


@dataclass(frozen=True)
class rotate_pairs(Operation):  # noqa: N801
    """A cos θ + A⇄ sin θ: each pair of features turned by its angle (Su et al. 2021, eq. 34).

    A⇄ is A with the two features of each pair swapped. With an angle −θ at a pair's first feature
    and θ at its second, (a, b) becomes (a cos θ − b sin θ, b cos θ + a sin θ). Neighbours pair,
    as in the paper; with `halves`, a feature and the one half a row further.
    """

    halves: bool = False
    template = "h i k, i k, h i k~{apart}, i k -> h i k"
    slots: ClassVar[tuple[int, ...] | None] = (0, 1, 0, 2)
    helper: ClassVar[str] = '''
def swap_pairs(rows, apart):
    """Swap the features of each pair: one and the one so many places further."""
    return np.flip(rows.reshape(*rows.shape[:-1], -1, 2, apart), -2).reshape(rows.shape)
'''

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"apart": self._apart(shapes[0])}

    def forward(self, rows: np.ndarray, cosines: np.ndarray, sines: np.ndarray) -> np.ndarray:
        pairs = rows.reshape(*rows.shape[:-1], -1, 2, self._apart(rows.shape))
        made: np.ndarray = rows * cosines + np.flip(pairs, -2).reshape(rows.shape) * sines
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of two terms that cancel, as in a sum."""
        largest = float(np.abs(operands[0]).max(initial=0.0))
        return max(1e-9 * min(1.0, largest), noises[0], largest * max(noises[1:]))

    def cell(self, *numbers: PrintedNumber) -> Expression:
        return Sum((Product(numbers[:2]), Product(numbers[2:])))

    def formula(self, rows: Formula, cosines: Formula, sines: Formula) -> Formula:
        times, swap = f.word_formula("×"), "swap halves" if self.halves else "swap neighbours"
        swapped = f.call(swap, rows)
        return f.row(rows, times, cosines, f.word_formula("+"), swapped, times, sines)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rows, cosines, sines = names
        return f"{rows} * {cosines} + swap_pairs({rows}, {self._apart(shapes[0])}) * {sines}"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rows, cosines, sines = names
        swapped = f"{rows}.unflatten(-1, (-1, 2, {self._apart(shapes[0])})).flip(-2).flatten(-3)"
        return f"{rows} * {cosines} + {swapped} * {sines}"

    def _apart(self, shape: Shape) -> int:
        """How many places the second feature of a pair is after the first."""
        return shape[-1] // 2 if self.halves else 1
