"""The vocabulary: operations that compute and explain themselves.

Each operation is written once and knows five things: `forward` (the numpy that computes it), its
index `pattern`, `lines` (its arithmetic for one cell, in printed numbers), `formula` (its symbols)
and `code` (its line of numpy). A program is a list of these; everything on screen follows from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core import formulas as f
from core import masks
from core.arithmetic import (
    Call,
    Difference,
    Expression,
    Line,
    Number,
    Product,
    Quotient,
    Sum,
    line,
    numbers,
)
from core.formulas import Formula
from core.patterns import Shape

TERMS_ON_A_LINE = 16
"""Longer sums are shown as partial sums of this many terms."""

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Operand:
    """The live cells of one operand that make an output cell, as values ready to print."""

    values: Sequence[float]
    text: Callable[[float], str]

    def numbers(self) -> tuple[Number, ...]:
        return numbers([self.text(value) for value in self.values])


class Operation:
    """What every operation answers; subclasses override what is theirs."""

    template: ClassVar[str]
    """The index pattern; numbers in braces come from `numbers`."""
    slots: ClassVar[tuple[int, ...] | None] = None
    """Which operand each part of the pattern reads, where that is not simply one after another."""
    removed_by: ClassVar[int | None] = None
    """The part of the pattern that takes a cell out: a cell is removed where that part's is."""
    overwrites: ClassVar[int | None] = None
    """The part that puts a number into a cell where it says so; the cell stays live."""
    helper: ClassVar[str] = ""
    """The source of the function that `code` calls, where numpy has none of that name."""

    @property
    def decided_by(self) -> int | None:
        """The part that alone makes a cell where it says so."""
        return self.removed_by if self.overwrites is None else self.overwrites

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        """The sizes that the pattern's template asks for."""
        return {}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def removes(self, decided: np.ndarray) -> np.ndarray:
        """Of the cells that `decided_by` would make alone, those that it does make alone.

        The others are computed like any cell, of all that they read, removed or not.
        """
        return decided

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Up to what size a cell of the result is float noise about zero."""
        return max(noises, default=0.0)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        """The lines before the last, and the left side of the last, whose right side is the cell.

        An operand of which only the size is read comes as that size. Without an override the cell
        is its one live source, unchanged.
        """
        return [], operands[0].numbers()[0]

    def formula(self, *operands: Formula) -> Formula:
        raise NotImplementedError

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        raise NotImplementedError


def sum_of(terms: Sequence[Product], decimals: int, noise: float) -> tuple[list[Line], Sum]:
    """A sum of products, by way of partial sums where its terms are many."""
    if len(terms) <= TERMS_ON_A_LINE:
        return [], Sum(tuple(terms))
    parts = [
        line(Sum(tuple(terms[start : start + TERMS_ON_A_LINE])), decimals, noise)
        for start in range(0, len(terms), TERMS_ON_A_LINE)
    ]
    return parts, Sum(tuple(part.right for part in parts))


@dataclass(frozen=True)
class matmul(Operation):  # noqa: N801 - a verb of the vocabulary, used like a function
    """A·B, a sum of products over the letter both patterns share; `transposed` multiplies by Bᵀ.

    Where B has fewer heads than A, each of B's serves `group` of A's in turn.
    """

    template: str  # type: ignore[misc]  # each product has its own letters
    transposed: bool = False

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
        """A residue of terms that cancel: 1e-9, or less where the terms themselves are small."""
        largest = [float(np.nanmax(np.abs(operand), initial=0.0)) for operand in operands]
        return 1e-9 * min(1.0, largest[0] * largest[1])

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        pairs = zip(*(operand.numbers() for operand in operands), strict=True)
        terms = [Product(pair) for pair in pairs]
        if not terms:
            return [], Number("0")
        return sum_of(terms, decimals, noise)

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return f.row(a, f.transpose(b) if self.transposed else b)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        a, b = names
        if group := self._repeats(*shapes):
            b = f"{b}.repeat({group}, axis=0)"
        return f"{a} @ {b}" + (".swapaxes(-1, -2)" if self.transposed else "")

    def _repeats(self, a: Shape, b: Shape) -> int:
        group = self.numbers((a, b))["group"]
        return group if group > 1 and "{group}" in self.template else 0


def matmul_transposed(template: str) -> matmul:
    """A·Bᵀ."""
    return matmul(template, transposed=True)


class divide_by_root(Operation):  # noqa: N801
    """A / √d with d the length of B's rows: the scaling of scaled dot-product attention."""

    template = "h i j, _ _ _ -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        a, b = operands
        scaled: np.ndarray = a / np.sqrt(b.shape[-1])
        return scaled

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        (value,), (width,) = operands[0].numbers(), operands[1].numbers()
        return [], Quotient(value, Call("sqrt", (width,)))

    def formula(self, *operands: Formula) -> Formula:
        return f.over(operands[0], f.root(f.name("d_k")))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} / np.sqrt({names[1]}.shape[-1])"


@dataclass(frozen=True)
class multiply_by(Operation):  # noqa: N801
    """A × number; 1 leaves A as it is."""

    factor: float
    template = "h i j -> h i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0] * self.factor

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        (value,) = operands[0].numbers()
        return [], Product((value, Number(_number(self.factor))))

    def formula(self, *operands: Formula) -> Formula:
        return f.row(operands[0], f.mark("×"), f.mark(_number(self.factor)))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {_number(self.factor)}"


@dataclass(frozen=True)
class visible(Operation):  # noqa: N801
    """Which keys a query may see, by a rule of positions alone (`core.masks`); True = visible."""

    rule: masks.Rule
    template = "_ _ _ -> i j"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return self.rule.mask(*operands[0].shape[-2:])

    def formula(self, *operands: Formula) -> Formula:
        return ["word", self.rule.name]

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self.rule.code(*shapes[0][-2:])


class mask_fill(Operation):  # noqa: N801
    """A where the mask is True, −∞ where it is False (T: mask)."""

    template = "h i j, i j -> h i j"
    removed_by: ClassVar[int | None] = 1

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        scaled, mask = operands
        return np.where(mask, scaled, -np.inf)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        kept = operands[0].numbers()
        return [], kept[0] if kept else Number("-inf")

    def formula(self, *operands: Formula) -> Formula:
        return f.call("mask", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.where({names[1]}, {names[0]}, -np.inf)"


class softmax(Operation):  # noqa: N801
    """exp(s_j − max s) / Σ exp(s − max s) along the last axis; a row without any key gives zeros.

    Subtracting the maximum changes nothing in exact arithmetic and keeps exp from overflowing.
    """

    template = "h i j, h i * -> h i j"
    slots: ClassVar[tuple[int, ...] | None] = (0, 0)
    removed_by: ClassVar[int | None] = 0
    helper = '''
def softmax(scores):
    """exp(s - max s) / sum, row by row; a row with no visible key gives zeros."""
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isneginf(largest), 0.0, largest))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0.0, 1.0, total)
'''

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        (scores,) = operands
        largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        largest[np.isneginf(largest)] = 0.0
        exponentials: np.ndarray = scores - largest
        np.exp(exponentials, out=exponentials)
        total = exponentials.sum(axis=-1, keepdims=True)
        exponentials /= np.where(total == 0.0, 1.0, total)
        return exponentials

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Positive numbers over a positive sum: nothing cancels, down to where floats underflow."""
        return float(np.finfo(np.float64).tiny)

    def lines(
        self, operands: Sequence[Operand], decimals: int, noise: float
    ) -> tuple[list[Line], Expression]:
        (own,), row = operands[0].numbers(), operands[1].numbers()
        if not row:
            return [], Call("exp", (own,))
        largest = line(Call("max", row) if len(row) > 1 else row[0], decimals)
        powers = [
            line(Call("exp", (Difference(score, largest.right),)), decimals, noise) for score in row
        ]
        mine = next(p for p in powers if isinstance(p.left, Call) and _argument(p.left) == own)
        total, sums = _total([p.right for p in powers], decimals)
        return [largest, *powers, *sums], Quotient(mine.right, total)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("softmax", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"softmax({names[0]})"


class join_heads(Operation):  # noqa: N801
    """The heads' rows side by side: head 1's features, then head 2's (concat)."""

    template = "c//{width} i c%{width} -> i c"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][-1]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        (heads,) = operands
        return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("concat", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.swapaxes(0, 1).reshape({shapes[0][1]}, -1)"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _argument(call: Call) -> Number | None:
    (argument,) = call.arguments
    left = argument.left if isinstance(argument, Difference) else None
    return left if isinstance(left, Number) else None


def _total(values: list[Number], decimals: int) -> tuple[Number, list[Line]]:
    """The sum of some numbers, in partial sums where they are many."""
    lines: list[Line] = []
    while len(values) > 1:
        chunks = [
            tuple(values[start : start + TERMS_ON_A_LINE])
            for start in range(0, len(values), TERMS_ON_A_LINE)
        ]
        sums = [line(Sum(chunk), decimals) for chunk in chunks]
        lines += sums
        values = [s.right for s in sums]
    return values[0], lines
