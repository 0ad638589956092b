"""Index patterns: which operand cells make an output cell.

A pattern is written in einsum letters with spaces between axes, operands before the arrow:

    h i k, h//2 j k -> h i j       scores, two query heads sharing a key head
    h i j, h i * -> h i j          softmax: the numerator, and the whole row below it
    c//4 i c%4 -> i c              heads of width 4 joined
    i*8+h*4+k -> h i k             heads of width 4 read out of memory, row by row
    h i k, h i k~2 -> h i k        features 0 and 2, 1 and 3, 4 and 6 … paired with each other
    j+0 k, j-5 k -> j k            rows appended after five
    j<=i k -> i k                  a running sum: rows up to this one
    j<=i+5 k -> i k                the same where five rows came before the first of the output
    i y+0, i y-1 -> i              a sum over what stands in one row of both, the first one wide
    _ _ _ -> i j                   only the operand's size is read, none of its cells

An index is a letter, a part of one (`c//4`, `c%4`), its partner (`k~2`: blocks of 2 trade places
with the next block), a sum of multiples (`i*8+h*4+k`), a letter with
a shift (`j-5`, `j+0`), a letter up to a position (`j<=i`), or 0. A shifted index may point outside
its operand, which then has no cell in that term. A letter on the right is the output cell's own
index; a letter that is missing there is summed over, as is `*`; one that is only shifted runs as
far as any operand reaches. Letters are local to a pattern; an axis of a program may be any letter,
large or small. In a template, numbers that depend on sizes stand in braces (`h//{group}`), and
`bind` fills them in.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np

Cell = tuple[int, ...]
Shape = tuple[int, ...]

PARTNER = "~"
_PART = re.compile(r"(?P<letter>[a-zA-Z])(?:(?P<how>//|%|\*|~)(?P<n>\d+))?")
_SHIFTED = re.compile(r"(?P<letter>[a-zA-Z])(?P<shift>[+-]\d+)")


@dataclass(frozen=True)
class IndexPart:
    """A letter's share in an index: the letter, `letter//n`, `letter%n`, `letter*n`, `letter~n`."""

    letter: str
    how: str = ""
    n: int = 1

    def index(self, value: Any) -> Any:
        """The share of one value of the letter, or of an array of them."""
        if self.how == "//":
            return value // self.n
        if self.how == PARTNER:
            return (value // self.n ^ 1) * self.n + value % self.n
        return value % self.n if self.how == "%" else value * self.n

    def largest(self, size: int) -> int:
        """The largest share when the letter runs over so many values (`%` apart)."""
        return size - 1 if self.how == PARTNER else int(self.index(size - 1))

    def __str__(self) -> str:
        return self.letter[0] + (f"{self.how}{self.n}" if self.how else "")


@dataclass(frozen=True)
class Index:
    """Where a term reads along one axis of an operand.

    A sum of letters' shares (none: 0), or a mark (`*` all, `_` none). `shift` is added to it, None
    where there is no shift; up to which position the letter runs is `upto`.
    """

    parts: tuple[IndexPart, ...]
    shift: int | None = None
    upto: "Index | None" = None

    @property
    def unread(self) -> bool:
        """Whether only the size is read."""
        return self.letters == ("_",)

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(part.letter for part in self.parts)

    @property
    def alone(self) -> str:
        """The letter that runs along this axis by itself; "" where it is more than that."""
        single = len(self.parts) == 1 and not self.parts[0].how and self.shift is None
        return self.parts[0].letter if single else ""

    def at(self, values: Mapping[str, Any]) -> Any:
        return sum(part.index(values[part.letter]) for part in self.parts) + (self.shift or 0)

    def extent(self, sizes: Mapping[str, int]) -> int:
        """How many values the index takes when its letters run over their sizes."""
        return 1 + sum(
            part.n - 1 if part.how == "%" else part.largest(sizes[part.letter])
            for part in self.parts
        )

    def __str__(self) -> str:
        text = "+".join(map(str, self.parts)) or "0"
        text += "" if self.shift is None else f"{self.shift:+d}"
        return f"{text}<={self.upto}" if self.upto else text


@dataclass(frozen=True)
class Pattern:
    """A pattern bound to the sizes of its operands and its output."""

    operands: tuple[tuple[Index, ...], ...]
    output: tuple[str, ...]
    sizes: Mapping[str, int]
    shapes: tuple[Shape, ...]

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        left = ", ".join(" ".join(map(str, axes)) for axes in self.operands)
        return f"{left} -> {' '.join(self.output)}"

    @property
    def output_shape(self) -> Shape:
        return tuple(self.sizes[letter] for letter in self.output)

    @cached_property
    def summed(self) -> tuple[str, ...]:
        """The letters a term runs over: those that the output does not have."""
        used = dict.fromkeys(a for axes in self.operands for axis in axes for a in axis.letters)
        return tuple(a for a in used if a not in self.output and a in self.sizes)

    @cached_property
    def bounds(self) -> Mapping[str, Index]:
        """Up to which position of the output a summed letter runs."""
        indices = (index for axes in self.operands for index in axes)
        return {index.alone: index.upto for index in indices if index.upto is not None}

    @property
    def reads_nothing(self) -> bool:
        """Whether only sizes are read, so that no cell is a source of any other."""
        return all(any(axis.unread for axis in axes) for axes in self.operands)

    def terms(
        self, cell: Cell, known: Mapping[str, int] = MappingProxyType({})
    ) -> Iterator[tuple[Cell | None, ...]]:
        """The operand cells of each term of an output cell; of `known` summed letters those terms.

        None where only a size is read, or where a shifted index points outside.
        """
        fixed = dict(zip(self.output, cell, strict=True))
        ends = {letter: upto.at(fixed) + 1 for letter, upto in self.bounds.items()}
        ranges = [range(min(self.sizes[a], ends.get(a, self.sizes[a]))) for a in self.summed]
        for at, letter in enumerate(self.summed):
            if letter in known:
                ranges[at] = ranges[at][known[letter] : known[letter] + 1]
        for values in itertools.product(*ranges):
            index = fixed | dict(zip(self.summed, values, strict=True))
            yield tuple([read(index) for read in self._readers])

    @cached_property
    def _readers(self) -> tuple[Callable[[Mapping[str, int]], Cell | None], ...]:
        """For each operand, how its cell follows from the letters' values."""
        return tuple(map(_reader, self.operands, self.shapes))

    def summed_at(self, operand: int, cell: Cell) -> dict[str, int]:
        """The summed letters that a cell of an operand gives a value to, and the values."""
        axes = zip(self.operands[operand], cell, strict=True)
        return {axis.alone: at for axis, at in axes if axis.alone in self.summed}

    def outputs(self, operand: int, cell: Cell) -> Iterator[Cell]:
        """Every output cell that has `cell` of that operand in one of its terms."""
        axes = self.operands[operand]
        if any(axis.unread for axis in axes):
            return
        own = {a.alone: at for a, at in zip(axes, cell, strict=True) if a.alone in self.bounds}
        mixed = [(a, at) for a, at in zip(axes, cell, strict=True) if self._narrows(a)]
        places = (self._matching(letter, axes, cell) for letter in self.output)
        for found in itertools.product(*places):
            index = dict(zip(self.output, found, strict=True))
            within = all(own.get(a, 0) <= upto.at(index) for a, upto in self.bounds.items())
            if within and self._meets(mixed, index):
                yield found

    def _narrows(self, index: Index) -> bool:
        """Whether an index rules out more than each letter of the output does by itself."""
        summed = any(letter in self.summed for letter in index.letters)
        return len(index.parts) != 1 or (summed and not index.alone)

    def _meets(self, mixed: Sequence[tuple[Index, int]], index: Mapping[str, int]) -> bool:
        """Whether indices are what they should be, in one of the terms."""
        free = [a for a in self.summed if any(a in axis.letters for axis, _ in mixed)]
        terms = itertools.product(*(range(self.sizes[a]) for a in free))
        return any(
            all(
                axis.at({**index, **dict(zip(free, values, strict=True))}) == at
                for axis, at in mixed
            )
            for values in terms
        )

    def gather(self, operand: int, array: np.ndarray) -> np.ndarray:
        """The operand's cell for each output cell (for patterns that sum over none of its axes)."""
        if operand not in self._places:
            grids = dict(zip(self.output, np.indices(self.output_shape, sparse=True), strict=True))
            self._places[operand] = tuple(axis.at(grids) for axis in self.operands[operand])
        return np.broadcast_to(array[self._places[operand]], self.output_shape)

    @cached_property
    def _places(self) -> dict[int, tuple[Any, ...]]:
        """For an operand, the index of its cell for each output cell."""
        return {}

    def _matching(self, letter: str, axes: Sequence[Index], cell: Cell) -> list[int]:
        mine = [
            (axis, at)
            for axis, at in zip(axes, cell, strict=True)
            if len(axis.parts) == 1 and axis.letters == (letter,)
        ]
        return [
            v for v in range(self.sizes[letter]) if all(a.at({letter: v}) == at for a, at in mine)
        ]


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
    return _bound(template.format(**(numbers or {})), tuple(shapes), output_shape)


@lru_cache(maxsize=1024)
def _bound(text: str, shapes: tuple[Shape, ...], output_shape: Shape | None) -> Pattern:
    parsed, output = _parsed(text)
    operands = [list(axes) for axes in parsed]
    sizes = dict(zip(output, output_shape, strict=True)) if output_shape is not None else {}
    for number, (axes, shape) in enumerate(zip(operands, shapes, strict=True)):
        for place, (axis, size) in enumerate(zip(axes, shape, strict=True)):
            if axis.alone == "*":
                star = f"*{number}{place}"
                axes[place], sizes[star] = Index((IndexPart(star),)), size
                continue
            if axis.unread or axis.shift is not None:
                continue
            if axis.alone:
                sizes.setdefault(axis.alone, size)
            if all(letter in sizes for letter in axis.letters):
                expected = axis.extent(sizes)
                if expected != size:
                    raise SizeConflictError(axis.letters[0], number, place, size, expected)
    for letter, size in _reached(operands, shapes).items():
        sizes.setdefault(letter, size)
    return Pattern(tuple(map(tuple, operands)), output, sizes, tuple(map(tuple, shapes)))


def _reached(operands: Sequence[Sequence[Index]], shapes: Sequence[Shape]) -> dict[str, int]:
    """How far each shifted letter runs until it has left every operand."""
    found: dict[str, int] = {}
    for axes, shape in zip(operands, shapes, strict=True):
        for axis, size in zip(axes, shape, strict=True):
            if axis.shift is not None:
                (letter,) = axis.letters
                found[letter] = max(found.get(letter, 0), size - axis.shift)
    return found


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[tuple[tuple[Index, ...], ...], tuple[str, ...]]:
    """The operands' indices and the output's letters."""
    left, right = text.split("->")
    operands = (tuple(map(_index, operand.split())) for operand in left.split(","))
    return tuple(operands), tuple(right.split())


def _index(text: str) -> Index:
    if text in ("*", "_"):
        return Index((IndexPart(text),))
    if text == "0":
        return Index(())
    letter, bounded, upto = text.partition("<=")
    if bounded:
        return Index((_part(letter),), upto=_index(upto))
    if shifted := _SHIFTED.fullmatch(text):
        return Index((IndexPart(shifted["letter"]),), int(shifted["shift"]))
    return Index(tuple(map(_part, text.split("+"))))


def _part(text: str) -> IndexPart:
    match = _PART.fullmatch(text)
    if not match:
        raise ValueError(
            f"{text!r} is no index: write a, a//2, a%2, a*2, a~2, a-2 or a<=b, or * or _ alone"
        )
    how, n = match["how"] or "", int(match["n"] or 1)
    return IndexPart(match["letter"], "" if n == 1 and how in ("*", "//") else how, n)


def _reader(axes: tuple[Index, ...], shape: Shape) -> Callable[[Mapping[str, int]], Cell | None]:
    if any(axis.unread for axis in axes):
        return lambda index: None
    letters = [axis.alone for axis in axes]
    return itemgetter(*letters) if len(axes) > 1 and all(letters) else partial(_cell, axes, shape)


def _cell(axes: tuple[Index, ...], shape: Shape, index: Mapping[str, int]) -> Cell | None:
    cell = tuple(axis.at(index) for axis in axes)
    inside = all(
        axis.shift is None or 0 <= at < size
        for axis, at, size in zip(axes, cell, shape, strict=True)
    )
    return cell if inside else None
