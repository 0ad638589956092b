"""What an operation is: it computes, explains, draws and exports itself.

Each operation is written once and knows five things: `forward` (the numpy that computes it), its
index `template`, `cell` (its arithmetic for one cell, in printed numbers; `lines` if it takes
several), its formula (its `symbol`, or `formula`) and its line of `numpy` (`torch` is PyTorch's;
`code` and `torch_code` if the line depends on sizes). A program is a list of these; everything on
screen follows from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.program.formulas import Formula, call, row, word_formula
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Expression,
    PrintedNumber,
    Sum,
    arithmetic_line,
    numbers,
)
from core.program.numbers.rounding import fraction_text, operand_texts
from core.program.patterns import Shape

TERMS_ON_A_LINE = 16
"""Longer sums are shown as partial sums of this many terms."""
SIGNED, SHARES = "signed", "shares"
ROW, CORNER = "row", "corner"

Arrays = Sequence[np.ndarray]
CellLines = tuple[list[ArithmeticLine], Expression]
"""The lines before a cell's last one, and the left side of the last: its right side is the cell."""


@dataclass(frozen=True)
class Operand:
    """The live cells of one operand that make an output cell, as values ready to print.

    `fractions`: those that are fractions are printed as such.
    """

    values: Sequence[float]
    decimals: int
    noise: float = 0.0
    fractions: bool = False

    def numbers(self) -> tuple[PrintedNumber, ...]:
        texts = operand_texts(self.values, self.decimals, self.noise)
        if self.fractions:
            pairs = zip(self.values, texts, strict=True)
            texts = [fraction_text(value) or text for value, text in pairs]
        return numbers(texts)


@dataclass(frozen=True)
class RowTable:
    """The numbers between a row that goes in and the row that comes out, as texts.

    `title` follows the name of the row; `entries` are the numbers that go in, with the digits that
    are reckoned with; `middle` says what becomes of each entry, in terms of
    `{}`, the array that goes in, with its numbers; `last` what becomes of those.
    """

    title: str
    entries: tuple[str, ...]
    middle: str
    numbers: tuple[str, ...]
    last: str


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
    own_letters: ClassVar[bool] = False
    """Whether the template's letters are the program's; else those of the operands are kept."""
    boolean: ClassVar[bool] = False
    """Whether the result is True or False."""
    makes_minus_inf: ClassVar[bool] = False
    """Whether −∞ is a number that the result may hold."""
    palette: ClassVar[str] = SIGNED
    """How cells are coloured: around 0 (`SIGNED`) or as shares of 1 (`SHARES`)."""
    layout: ClassVar[str] = ROW
    """How operands and result stand: side by side (`ROW`), or so that a result cell stands where
    its row of the first operand and its column of the second cross (`CORNER`)."""
    turned: ClassVar[tuple[int, ...]] = ()
    """Which operands are shown transposed in a corner."""
    by_hand: ClassVar[str] = ""
    """How a person works out a cell, where the formula does not say it."""
    helper: ClassVar[str] = ""
    """The source of the function that `code` calls, where numpy has none of that name."""
    symbol: ClassVar[str] = ""
    """What its formula calls this function of its operands, or the sign between two of them."""
    numpy: ClassVar[str] = ""
    """Its line of numpy, with {} for each operand and {field} for what the operation itself has."""
    torch: ClassVar[str] = ""
    """Its line of PyTorch, where that is not numpy's with another name of the library."""

    @property
    def task(self) -> str:
        """What its formula leaves open, for somebody who is to write its line; "" for nothing."""
        return ""

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """Which cells of the result the mask took out, given those of each operand.

        For results that no single part takes out: rows that are moved as they are, or what is made
        of a row of which nothing is left. None: `removed_by` says it.
        """
        return None

    @property
    def decided_by(self) -> int | None:
        """The part that alone makes a cell where it says so."""
        return self.removed_by if self.overwrites is None else self.overwrites

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        """The sizes that the pattern's template asks for."""
        return {}

    def forward(self, *operands: Any, **_: Any) -> np.ndarray:  # mypy: an override names them
        raise NotImplementedError

    def letters(self, operands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """The letters of the result's axes, given those of the operands'.

        A letter that stands alone along an axis of an operand is that axis; others are new.
        """
        left, right = self.template.split("->")
        if self.own_letters:
            return tuple(right.split())
        kept: dict[str, str] = {}
        for part, text in enumerate(left.split(",")):
            named = operands[self.slots[part] if self.slots else part]
            for local, letter in zip(text.split(), named, strict=True):
                kept.setdefault(local, letter)
        return tuple(kept.get(local, local) for local in right.split())

    def row_table(self, lines: Sequence[ArithmeticLine]) -> "RowTable | None":
        """How a row of the result comes about, from the arithmetic of one of its cells."""
        return None

    def removes(self, decided: np.ndarray) -> np.ndarray:
        """Of the cells that `decided_by` would make alone, those that it does make alone.

        The others are computed like any cell, of all that they read, removed or not.
        """
        return decided

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Up to what size a cell of the result is float noise about zero."""
        return max(noises, default=0.0)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        """The arithmetic of one cell; by default one line, whose left side is the `cell`.

        An operand of which only the size is read comes as that size.
        """
        return [], self.cell(*(number for operand in operands for number in operand.numbers()))

    def cell(self, *sources: Any, **_: Any) -> Expression:  # as in `forward`
        """What makes a cell of the printed numbers of its live sources, in the order of operands.

        Without an override it is its one live source, unchanged.
        """
        expression: Expression = sources[0]
        return expression

    def formula(self, *operands: Any, **_: Any) -> Formula:
        if self.symbol[:1].isalpha():
            return call(self.symbol, *operands)
        return row(operands[0], word_formula(self.symbol), *operands[1:])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self.numpy.format(*names, **vars(self))

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        if self.torch:
            return self.torch.format(*names, **vars(self))
        return self.code(names, shapes).replace("np.", "torch.")


def sum_of(terms: Sequence[Expression], decimals: int, noise: float) -> CellLines:
    """A sum, by way of partial sums where its terms are many; 0 if there are none."""
    if not terms:
        return [], PrintedNumber("0")
    if len(terms) <= TERMS_ON_A_LINE:
        return [], Sum(tuple(terms))
    parts = [
        arithmetic_line(Sum(tuple(terms[start : start + TERMS_ON_A_LINE])), decimals, noise)
        for start in range(0, len(terms), TERMS_ON_A_LINE)
    ]
    return parts, Sum(tuple(part.right for part in parts))


def total_of(
    values: list[PrintedNumber], decimals: int
) -> tuple[PrintedNumber, list[ArithmeticLine]]:
    """The sum of some numbers, in partial sums where they are many."""
    lines: list[ArithmeticLine] = []
    while len(values) > 1:
        chunks = [
            tuple(values[start : start + TERMS_ON_A_LINE])
            for start in range(0, len(values), TERMS_ON_A_LINE)
        ]
        sums = [arithmetic_line(Sum(chunk), decimals) for chunk in chunks]
        lines += sums
        values = [s.right for s in sums]
    return values[0], lines


def number_text(value: float) -> str:
    """A number as Python reads it: 2, 0.5, 1e-5."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value)).replace("e-0", "e-")
