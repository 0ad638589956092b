"""A step as a picture for a question: its operands with their numbers, and a result that is asked.

Geometry says how a cell is made: a product's first operand is to the left of its result and its
second one above it; of other steps all are side by side. `asked_picture` reads no number of the
result, so that its picture can go where the answer must not be.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from core.program import formulas as f
from core.program.axes import HEAD
from core.program.formulas import Formula
from core.program.labels import axis_label
from core.program.numbers.display import shown_matrix
from core.program.numbers.rounding import typeset
from core.program.operation import CORNER
from core.program.patterns import Cell
from core.program.trace import Trace

UNKNOWN = "?"
MOST_SHOWN = 10
"""A matrix of more rows or columns is shown without those that the cell is not made of."""
Place = tuple[int, int]


@dataclass(frozen=True)
class PictureMatrix:
    """A matrix of a picture: `lit` are the cells that the asked one is made of, `asked` is that
    cell, `removed` are those that the mask took out; all by row and column as they are drawn.

    `name` is its formula in plain text, and `head` its head from 1 if there are several, else 0.
    `axes` names what its rows and its columns run over: matrices of a picture that share an axis
    show the same part of it. "" is an axis that no other matrix has.
    """

    caption: Formula
    name: str
    head: int
    role: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    lit: tuple[Place, ...] = ()
    removed: tuple[Place, ...] = ()
    asked: Place | None = None
    axes: tuple[str, str] = ("", "")

    @property
    def turned(self) -> "PictureMatrix":
        """The same matrix transposed."""
        return replace(
            self,
            caption=f.transpose(self.caption),
            name=f.plain_formula(f.transpose(self.caption)),
            rows=self.columns,
            columns=self.rows,
            cells=tuple(zip(*self.cells, strict=True)),
            lit=tuple((j, i) for i, j in self.lit),
            removed=tuple((j, i) for i, j in self.removed),
            axes=self.axes[::-1],
        )


@dataclass(frozen=True)
class StepPicture:
    """A step: its operands in the order of its formula, and its result.

    `is_corner` says that the first operand is to the left of the result and the second above it.
    `roles` are those of the names in its captions.
    """

    is_corner: bool
    operands: tuple[PictureMatrix, ...]
    result: PictureMatrix
    roles: Mapping[str, str]

    def data(self) -> dict[str, Any]:
        """The picture as the browser takes it."""
        return {
            "corner": self.is_corner,
            "operands": [vars(matrix) for matrix in self.operands],
            "result": vars(self.result),
            "roles": dict(self.roles),
        }


def asked_picture(
    trace: Trace, array: str, cell: Cell, covered: Collection[str] = ()
) -> StepPicture:
    """Return the step that makes a cell, with a question mark for each number of its result.

    Operands among the `covered` arrays have question marks too, and nothing lit.
    """
    return _picture(trace, array, cell, {array, *covered})


def answered_picture(trace: Trace, array: str, cell: Cell) -> StepPicture:
    """Return the same step with all its numbers."""
    return _picture(trace, array, cell, set())


def _picture(trace: Trace, array: str, cell: Cell, covered: Set[str]) -> StepPicture:
    bound = trace.steps[array]
    read = _read(trace, array)
    is_corner = bound.operation.layout == CORNER and len(read) > 1
    sources = trace.sources(array, cell)
    if not covered.isdisjoint(bound.reads):  # what the mask takes away would tell the covered mask
        sources = {name: [_beside(trace, array, name, cell)] for name in bound.reads}
    operands = []
    for name in read:
        cells = sources.get(name, ())
        matrix = _matrix(trace, name, cells or [_beside(trace, array, name, cell)], name in covered)
        axes = _two(_index_letters(trace, array, name))
        operands.append(replace(matrix, axes=axes, lit=matrix.lit if cells else ()))
    if is_corner and 1 in bound.operation.turned:
        operands[1] = operands[1].turned
    result = _matrix(trace, array, [cell], array in covered, is_result=True)
    formula = bound.operation.formula(*map(f.name, bound.step.operands))
    caption = f.row(f.name(array), f.word_formula("="), formula) if operands else f.name(array)
    names = (array, *bound.step.operands)
    return StepPicture(
        is_corner,
        tuple(operands),
        replace(result, caption=caption, axes=_two(bound.pattern.output)),
        {name: trace.program.roles[name] for name in names if name in trace.program.roles},
    )


def _read(trace: Trace, array: str) -> list[str]:
    """The arrays of which a step reads numbers; of others it reads only a size."""
    bound = trace.steps[array]
    parts = zip(bound.reads, bound.pattern.operands, strict=True)
    return list(dict.fromkeys(n for n, axes in parts if not any(axis.unread for axis in axes)))


def _index_letters(trace: Trace, array: str, operand: str) -> list[str]:
    """The letters of a step's pattern that run along an operand's axes by themselves, else ""."""
    bound = trace.steps[array]
    return [index.alone for index in bound.pattern.operands[bound.reads.index(operand)]]


def _two(letters: Sequence[str]) -> tuple[str, str]:
    """The letters of rows and columns."""
    *_, down, across = ("", "", *letters)
    return down, across


def _beside(trace: Trace, array: str, operand: str, cell: Cell) -> Cell:
    """The cell of an operand at the same place as one of the result, as far as it has its axes."""
    at = dict(zip(trace.program.letters[array], cell, strict=True))
    axes = zip(trace.program.letters[operand], trace[operand].shape, strict=True)
    return tuple(min(at.get(letter, 0), size - 1) for letter, size in axes)


def _matrix(
    trace: Trace, array: str, cells: Sequence[Cell], is_covered: bool, is_result: bool = False
) -> PictureMatrix:
    """The matrix of an array that has those cells; of one that is covered no number is read."""
    *_, down, across = ("", *trace.program.letters[array])
    height, width = (1, *trace[array].shape)[-2:]
    first = cells[0]
    places = [(one[-2] if len(one) > 1 else 0, one[-1]) for one in cells]
    rows, columns = (
        needed_places(height, (i for i, _ in places)),
        needed_places(width, (j for _, j in places)),
    )
    prefix = first[: max(trace[array].ndim - 2, 0)]
    drawn = tuple((rows.index(i), columns.index(j)) for i, j in places)
    texts, removed = _numbers(trace, array, prefix, rows, columns) if not is_covered else ([], [])
    unknown = tuple((UNKNOWN,) * len(columns) for _ in rows)
    symbol = f.name(array)
    return PictureMatrix(
        caption=symbol,
        name=f.plain_formula(symbol),
        head=_head(trace, array, first),
        role=trace.program.roles.get(array, ""),
        rows=tuple(axis_label(trace, down, i) if down else "" for i in rows),
        columns=tuple(axis_label(trace, across, j) for j in columns),
        cells=unknown if is_covered else tuple(map(tuple, texts)),
        lit=() if is_result or is_covered else drawn,
        removed=tuple(removed),
        asked=drawn[0] if is_result else None,
    )


def _numbers(
    trace: Trace, array: str, prefix: Cell, rows: Sequence[int], columns: Sequence[int]
) -> tuple[list[list[str]], list[Place]]:
    """The texts of a matrix, and which of them the mask took out."""
    matrix = shown_matrix(trace, array, prefix)
    texts = [[typeset(matrix[i][j]) for j in columns] for i in rows]
    gone = trace.removed[array]
    if gone is None or trace[array].dtype == bool:
        return texts, []
    at = gone[prefix].reshape(len(matrix), -1)
    return texts, [
        (i, j) for i, row in enumerate(rows) for j, column in enumerate(columns) if at[row, column]
    ]


def needed_places(size: int, used: Iterable[int]) -> list[int]:
    """Return the rows or columns of a matrix that are shown: all, or of many the used ones."""
    return list(range(size)) if size <= MOST_SHOWN else sorted(set(used))


def _head(trace: Trace, array: str, cell: Cell) -> int:
    """The head that a cell is of, from 1, if there are several."""
    letters = zip(trace.program.letters[array], cell, trace[array].shape, strict=True)
    for letter, at, size in letters:
        if trace.program.axis(letter).kind == HEAD and size > 1:
            return at + 1
    return 0
