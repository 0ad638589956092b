"""Products: of matrices, of their entries, and outer products whose sum is read as a state.

A state of d_k × d_v numbers is laid out in a row, the d_v numbers of key feature 1 first: so states
of different tokens stand below each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.operations.noise import largest_number, noise_of_product
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import Expression, PrintedNumber, Product
from core.program.operation import CORNER, Arrays, CellLines, Operand, Operation, sum_of
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


class SumOfProducts:
    """What operations share whose cells are sums of products, term by term of both operands."""

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel, as in a product."""
        a, b = map(largest_number, operands)
        return max(1e-9 * min(1.0, a * b), noises[0] * b, noises[1] * a)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        pairs = zip(*(operand.numbers() for operand in operands), strict=True)
        return sum_of([Product(pair) for pair in pairs], decimals, noise)


class OneProduct:
    """What operations share whose cells are one product, of a number of each operand."""

    noise = noise_of_product

    def cell(self, a: PrintedNumber, b: PrintedNumber) -> Expression:
        return Product((a, b))


def product_if_any(factors: Operand, numbers: Operand) -> CellLines:
    """The arithmetic of one product; 0 where the mask took its factor out."""
    factor = factors.numbers()
    return [], Product((*factor, *numbers.numbers())) if factor else PrintedNumber("0")


@dataclass(frozen=True)
class matmul(SumOfProducts, Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
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

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if group := self._repeats(a.shape, b.shape):
            b = b.repeat(group, axis=0)
        product: np.ndarray = np.matmul(a, b.swapaxes(-1, -2) if self.transposed else b)
        return product

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """A residue of terms that cancel: 1e-9, or less where the terms themselves are small.

        A product with what is nothing but noise is noise.
        """
        a, b = map(largest_number, operands)
        carried = [noises[0] * b] * (a <= noises[0]) + [noises[1] * a] * (b <= noises[1])
        return max([1e-9 * min(1.0, a * b), *carried])

    def formula(self, a: Formula, b: Formula) -> Formula:
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
        a, b, c = map(largest_number, operands)
        product = super().noise(operands[:2], noises[:2])
        return max(product, 1e-9 * min(1.0, max(a * b, c)), noises[2])

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
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
class outer(OneProduct, Operation):  # noqa: N801
    """a bᵀ for each row a of A and b of B: a matrix a row, each entry one product."""

    template: str  # type: ignore[misc]  # as "h j k, h j v -> h j k v"
    own_letters = True
    symbol = "⊗"
    numpy = "{}[..., :, None] * {}[..., None, :]"

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        products: np.ndarray = a[..., :, None] * b[..., None, :]
        return products


@dataclass(frozen=True)
class times_each(OneProduct, Operation):  # noqa: N801
    """A × B, entry by entry: every entry of B times the one number that A holds for a head.

    With another template of both, each entry of A times the one of B at its place.
    """

    template: str = "h 0 0, i j -> h i j"  # type: ignore[misc]
    symbol = "×"
    numpy = "{} * {}"

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        made: np.ndarray = a * b
        return made


@dataclass(frozen=True)
class scale_rows(Operation):  # noqa: N801
    """diag(w) A, w one row of numbers: row j of A times entry j of w, and nothing added up yet."""

    template: str  # type: ignore[misc]  # as "h 0 j, h j v -> h j v"
    own_letters = True
    removed_by: ClassVar[int | None] = 0
    numpy = "{}[..., 0, :, None] * {}"
    noise = noise_of_product

    def forward(self, w: np.ndarray, a: np.ndarray) -> np.ndarray:
        scaled: np.ndarray = w[..., 0, :, None] * a
        return scaled

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        return product_if_any(*operands)

    def formula(self, w: Formula, a: Formula) -> Formula:
        return f.row(f.call("diag", w), a)


class outer_rows(OneProduct, Operation):  # noqa: N801
    """k_j v_jᵀ for each token j, laid out in a row."""

    template = "h j p//{width}, h j p%{width} -> h j p"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[1][-1]}

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        made: np.ndarray = (a[..., :, None] * b[..., None, :]).reshape(*a.shape[:-1], -1)
        return made

    def formula(self, a: Formula, b: Formula) -> Formula:
        return f.call("rows", f.row(a, f.word_formula("⊗"), b))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        rows, width = shapes[0][-2], shapes[0][-1] * shapes[1][-1]
        return f"({a}[..., :, None] * {b}[..., None, :]).reshape(-1, {rows}, {width})"


class read_state(SumOfProducts, Operation):  # noqa: N801
    """q_iᵀ S_i for each token i: its query times its state."""

    template = "h i k, h i k*{width}+v -> h i v"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[1][-1] // max(shapes[0][-1], 1)}

    def forward(self, q: np.ndarray, state: np.ndarray) -> np.ndarray:
        square = state.reshape(*q.shape, -1)
        read: np.ndarray = (q[..., None, :] @ square)[..., 0, :]
        return read

    def formula(self, q: Formula, state: Formula) -> Formula:
        return f.call("read", q, state)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        q, state = names
        square = ", ".join(map(str, (*shapes[0], -1)))
        return f"({q}[..., None, :] @ {state}.reshape({square}))[..., 0, :]"


class dot_rows(SumOfProducts, Operation):  # noqa: N801
    """a_i · b_i for each token i, as a column."""

    template = "h i k, h i k -> h i o"
    symbol = TEXTS("row_by_row")
    numpy = "({} * {}).sum(axis=-1, keepdims=True)"
    torch = "({} * {}).sum(-1, keepdim=True)"

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        products: np.ndarray = (a * b).sum(axis=-1, keepdims=True)
        return products
