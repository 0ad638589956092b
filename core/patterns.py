"""Index patterns: which operand cells make an output cell.

A pattern is written in einsum letters with spaces between axes, operands before the arrow:

    h i k, h//2 j k -> h i j       scores, two query heads sharing a key head
    h i j, h i * -> h i j          softmax: the numerator, and the whole row below it
    c//4 i c%4 -> i c              heads of width 4 joined
    _ _ _ -> i j                   only the operand's size is read, none of its cells

A letter on the right is the output cell's own index; a letter that is missing there is summed
over, as is `*`. Letters are local to a pattern. In a template, numbers that depend on sizes stand
in braces (`h//{group}`), and `bind` fills them in.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

Cell = tuple[int, ...]
Shape = tuple[int, ...]

_AXIS = re.compile(r"^(?:(?P<letter>[a-z])(?:(?P<how>//|%)(?P<n>\d+))?|(?P<mark>[*_]))$")


@dataclass(frozen=True)
class Axis:
    """One axis of an operand: a letter, `letter//n`, `letter%n`, or a mark (`*` all, `_` none)."""

    letter: str
    how: str = ""
    n: int = 1

    def index(self, value: int) -> int:
        return value // self.n if self.how == "//" else value % self.n if self.how == "%" else value

    def __str__(self) -> str:
        return self.letter[0] + (f"{self.how}{self.n}" if self.how else "")


@dataclass(frozen=True)
class Pattern:
    """A pattern bound to the sizes of its operands and its output."""

    operands: tuple[tuple[Axis, ...], ...]
    output: tuple[str, ...]
    sizes: Mapping[str, int]

    def __str__(self) -> str:
        left = ", ".join(" ".join(map(str, axes)) for axes in self.operands)
        return f"{left} -> {' '.join(self.output)}"

    @property
    def output_shape(self) -> Shape:
        return tuple(self.sizes[letter] for letter in self.output)

    @cached_property
    def summed(self) -> tuple[str, ...]:
        """The letters a term runs over: those that the output does not have."""
        used = dict.fromkeys(axis.letter for axes in self.operands for axis in axes)
        return tuple(a for a in used if a not in self.output and a in self.sizes)

    @property
    def reads_nothing(self) -> bool:
        """Whether only sizes are read, so that no cell is a source of any other."""
        return all(any(axis.letter == "_" for axis in axes) for axes in self.operands)

    def terms(self, cell: Cell) -> Iterator[tuple[Cell | None, ...]]:
        """The operand cells of each term of an output cell; None where only a size is read."""
        fixed = dict(zip(self.output, cell, strict=True))
        for values in itertools.product(*(range(self.sizes[a]) for a in self.summed)):
            index = fixed | dict(zip(self.summed, values, strict=True))
            yield tuple(_cell(axes, index) for axes in self.operands)

    def outputs(self, operand: int, cell: Cell) -> Iterator[Cell]:
        """Every output cell that has `cell` of that operand in one of its terms."""
        axes = self.operands[operand]
        if any(axis.letter == "_" for axis in axes):
            return iter(())
        return itertools.product(*(self._matching(letter, axes, cell) for letter in self.output))

    def gather(self, operand: int, array: np.ndarray) -> np.ndarray:
        """The operand's cell for each output cell (for patterns that sum over none of its axes)."""
        grids = dict(zip(self.output, np.indices(self.output_shape, sparse=True), strict=True))
        index = tuple(
            grids[a.letter] // a.n
            if a.how == "//"
            else grids[a.letter] % a.n
            if a.how == "%"
            else grids[a.letter]
            for a in self.operands[operand]
        )
        return np.broadcast_to(array[index], self.output_shape)

    def _matching(self, letter: str, axes: Sequence[Axis], cell: Cell) -> list[int]:
        mine = [(a, at) for a, at in zip(axes, cell, strict=True) if a.letter == letter]
        return [v for v in range(self.sizes[letter]) if all(a.index(v) == at for a, at in mine)]


class SizeConflictError(ValueError):
    """Two operands disagree about the size of a letter."""

    def __init__(self, letter: str, operand: int, axis: int, found: int, expected: int) -> None:
        self.letter, self.operand, self.axis = letter, operand, axis
        self.found, self.expected = found, expected
        super().__init__(f"axis {axis} of operand {operand} is {found}, expected {expected}")


def bind(
    template: str,
    shapes: Sequence[Shape],
    output_shape: Shape | None = None,
    numbers: Mapping[str, int] | None = None,
) -> Pattern:
    """The pattern of `template` for these shapes.

    Without `output_shape` only the operands are compared (letters alone on an axis). Raises
    `SizeConflictError` where two of them disagree.
    """
    parsed, output = _parsed(template.format(**(numbers or {})))
    operands = [list(axes) for axes in parsed]
    sizes = dict(zip(output, output_shape, strict=True)) if output_shape is not None else {}
    for number, (axes, shape) in enumerate(zip(operands, shapes, strict=True)):
        for place, (axis, size) in enumerate(zip(axes, shape, strict=True)):
            if axis.letter == "*":
                star = f"*{number}{place}"
                axes[place], sizes[star] = Axis(star), size
            elif axis.letter != "_" and not (axis.how and axis.letter not in sizes):
                expected = _extent(axis, sizes.setdefault(axis.letter, size))
                if expected != size:
                    raise SizeConflictError(axis.letter, number, place, size, expected)
    return Pattern(tuple(map(tuple, operands)), output, sizes)


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[tuple[tuple[Axis, ...], ...], tuple[str, ...]]:
    """The operands' axes and the output's letters."""
    left, right = text.split("->")
    operands = (tuple(map(_axis, operand.split())) for operand in left.split(","))
    return tuple(operands), tuple(right.split())


def _extent(axis: Axis, size: int) -> int:
    """How many values the axis expression takes when its letter runs over `size`."""
    return math.ceil(size / axis.n) if axis.how == "//" else axis.n if axis.how == "%" else size


def _axis(text: str) -> Axis:
    match = _AXIS.match(text)
    if not match:
        raise ValueError(f"{text!r} is no axis of a pattern: write a letter, a//2, a%2, * or _")
    how, n = match["how"] or "", int(match["n"] or 1)
    return Axis(match["mark"] or match["letter"], "" if (how, n) == ("//", 1) else how, n)


def _cell(axes: tuple[Axis, ...], index: Mapping[str, int]) -> Cell | None:
    if any(axis.letter == "_" for axis in axes):
        return None
    return tuple(axis.index(index[axis.letter]) for axis in axes)
