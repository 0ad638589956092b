"""Products of matrices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Expression,
    PrintedNumber,
    Product,
)
from core.program.operation import CORNER, Arrays, Operand, Operation, sum_of
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


@dataclass(frozen=True)
class matmul(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A·B, a sum of products over the letter both patterns share; `transposed` multiplies by Bᵀ.

    Where B has fewer heads than A, each of B's serves `group` of A's in turn.
    """

    template: str  # type: ignore[misc]  # each product has its own letters
    transposed: bool = False
    own_letters = True
    layout = CORNER

    @property
    def by_hand(self) -> str:  # type: ignore[override]
        if self.transposed:
            return TEXTS("transposed_product_by_hand")
        return TEXTS("product_by_hand")

    @property
    def turned(self) -> tuple[int, ...]:  # type: ignore[override]
        return (1,) if self.transposed else ()

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        a, b = shapes
        return {"group": a[0] // b[0] if len(a) == len(b) == 3 and b[0] else 1}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        if group := self._repeats(a.shape, b.shape):
            b = b.repeat(group, axis=0)
        product: np.ndarray = np.matmul(a, b.swapaxes(-1, -2) if self.transposed else b)
        return product

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel: 1e-9, or less where the terms themselves are small.

        A product with what is nothing but noise is noise.
        """
        a, b = map(_largest, operands)
        carried = [noises[0] * b] * (a <= noises[0]) + [noises[1] * a] * (b <= noises[1])
        return max([1e-9 * min(1.0, a * b), *carried])

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        pairs = zip(*(operand.numbers() for operand in operands), strict=True)
        terms = [Product(pair) for pair in pairs]
        if not terms:
            return [], PrintedNumber("0")
        return sum_of(terms, decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return f.row(a, f.transpose(b) if self.transposed else b)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        if group := self._repeats(*shapes):
            b = f"{b}.repeat({group}, axis=0)"
        return f"{a} @ {b}" + (".swapaxes(-1, -2)" if self.transposed else "")

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        if group := self._repeats(*shapes):
            b = f"{b}.repeat_interleave({group}, 0)"
        return f"{a} @ {b}" + (".transpose(-1, -2)" if self.transposed else "")

    def _repeats(self, a: Shape, b: Shape) -> int:
        group = self.numbers((a, b))["group"]
        return group if group > 1 and "{group}" in self.template else 0  # noqa: RUF027


def matmul_transposed(template: str) -> matmul:
    """A·Bᵀ."""
    return matmul(template, transposed=True)


@dataclass(frozen=True)
class affine(matmul):  # noqa: N801
    """A·B + c: a product, and a bias c that is added to each of its rows.

    Where A's rows are multiplied for each head, every head has a bias of its own.
    """

    @property
    def by_hand(self) -> str:  # type: ignore[override]
        return TEXTS("affine_by_hand")

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return super().numbers(shapes[:2])

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b, c = operands
        shifted: np.ndarray = super().forward(a, b) + c[..., None, :]
        return shifted

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of the terms that cancel, the bias among them."""
        a, b, c = map(_largest, operands)
        product = super().noise(operands[:2], noises[:2])
        return max(product, 1e-9 * min(1.0, max(a * b, c)), noises[2])

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        *factors, biases = (operand.numbers() for operand in operands)
        terms = [Product(pair) for pair in zip(*factors, strict=True)]
        return sum_of([*terms, *biases], decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        return f.row(*super().formula(*operands[:2])[1:], f.word_formula("+"), operands[2])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self._plus(super().code(names[:2], shapes[:2]), names[2], shapes[2])

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self._plus(super().torch_code(names[:2], shapes[:2]), names[2], shapes[2])

    def _plus(self, product: str, bias: str, shape: Shape) -> str:
        return f"{product} + {bias}" + ("[:, None]" if len(shape) > 1 else "")


@dataclass(frozen=True)
class outer(Operation):  # noqa: N801
    """a bᵀ for each row a of A and b of B: a matrix a row, each entry one product."""

    template: str  # type: ignore[misc]  # as "h j k, h j v -> h j k v"
    own_letters = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        products: np.ndarray = a[..., :, None] * b[..., None, :]
        return products

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left of the operands' noise: nothing cancels in one product."""
        a, b = map(_largest, operands)
        return max(noises[0] * b, noises[1] * a)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (a,), (b,) = (operand.numbers() for operand in operands)
        return [], Product((a, b))

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return f.row(a, f.word_formula("⊗"), b)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        return f"{a}[..., :, None] * {b}[..., None, :]"


@dataclass(frozen=True)
class times_each(Operation):  # noqa: N801
    """A × B, entry by entry: every entry of B times the one number that A holds for a head.

    With another template of both, each entry of A times the one of B at its place.
    """

    template: str = "h 0 0, i j -> h i j"  # type: ignore[misc]

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        made: np.ndarray = a * b
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left of the operands' noise: nothing cancels in one product."""
        a, b = map(_largest, operands)
        return max(noises[0] * b, noises[1] * a)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        (a,), (b,) = (operand.numbers() for operand in operands)
        return [], Product((a, b))

    def formula(self, *operands: Formula) -> Formula:
        return f.row(operands[0], f.word_formula("×"), operands[1])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {names[1]}"


@dataclass(frozen=True)
class scale_rows(Operation):  # noqa: N801
    """diag(w) A, w one row of numbers: row j of A times entry j of w, and nothing added up yet."""

    template: str  # type: ignore[misc]  # as "h 0 j, h j v -> h j v"
    own_letters = True
    removed_by: ClassVar[int | None] = 0

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        w, a = operands
        scaled: np.ndarray = w[..., 0, :, None] * a
        return scaled

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """What is left of the operands' noise: nothing cancels in one product."""
        w, a = map(_largest, operands)
        return max(noises[0] * a, noises[1] * w)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[ArithmeticLine], Expression]:
        w, a = (operand.numbers() for operand in operands)
        return [], Product((*w, *a)) if w else PrintedNumber("0")

    def formula(self, *operands: Formula) -> Formula:
        w, a = operands
        return f.row(f.call("diag", w), a)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        w, a = names
        return f"{w}[..., 0, :, None] * {a}"


def _largest(array: np.ndarray) -> float:
    """The largest size of an array's numbers, NaN apart; no copy is made of it."""
    flat = array.ravel()
    most = np.fmax.reduce(flat, initial=0.0), -np.fmin.reduce(flat, initial=0.0)
    return float(max(most))
