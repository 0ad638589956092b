"""A run as a sheet prints it: another text is in the place of what a task of the sheet asks for.

A number may say more than itself: it is a copy of others, or says what a mask does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.program.labels import cell_name
from core.program.numbers.display import paper_matrix, shown
from core.program.paper.settled import printed_on_paper, with_mask_turned
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

Said = tuple[str, str]
"""The name of a cell as people say it, and its number as it is shown."""


def copied_from(trace: Trace, array: str, cell: Cell) -> tuple[str, Cell] | None:
    """Return the cell of which a cell is a copy; None if its step does more than move it."""
    sources = trace.sources(array, cell)
    numbers = [(n, at) for n, cells in sources.items() for at in cells if trace[n].dtype != bool]
    if len(numbers) != 1 or trace[numbers[0][0]][numbers[0][1]] != trace[array][cell]:
        return None
    return numbers[0]


def said_number(trace: Trace, array: str, cell: Cell) -> Said:
    return cell_name(trace, array, cell), shown(trace, array, cell)


def said_numbers(trace: Trace, array: str, cell: Cell) -> Iterator[Said]:
    """Yield what a printed number says: its own cell's, and that of each cell it is a copy of."""
    at: tuple[str, Cell] | None = array, cell
    while at is not None:
        yield said_number(trace, *at)
        at = copied_from(trace, *at)


def mask_told(trace: Trace, array: str, cell: Cell) -> tuple[str, Cell] | None:
    """Return the cell of a mask that a number tells: −∞ or 0 is printed if the mask hides it.

    None for a number that no mask can take out.
    """
    while bound := trace.steps.get(array):
        part = bound.operation.removed_by
        at = None if part is None else next(bound.pattern.terms(cell))[part]
        if part is None or at is None:
            return None
        array, cell = bound.reads[part], at
        if trace[array].dtype == bool:
            return array, cell
    return None


@dataclass(frozen=True)
class AskedNumber:
    """A number that a task asks for: what is printed in its place, and its answer in the key."""

    text: str
    answer: float


Asked = Mapping[Said, AskedNumber]


@dataclass(frozen=True)
class PrintedRun:
    """A run, the same with the numbers that are printed, and what is asked for by any task."""

    exact: Trace
    on_paper: Trace
    asked: Asked

    def matrix(self, array: str, prefix: Cell = ()) -> list[list[str]]:
        """Return the texts of the matrix that remains when an array's first indices are given."""
        texts, size = paper_matrix(self.on_paper, array, prefix), self.exact[array].ndim
        for i, row in enumerate(texts):
            for j in range(len(row)):
                row[j] = self.instead_of(array, (*prefix, i, j)[-size:]) or row[j]
        return texts

    def instead_of(self, array: str, cell: Cell) -> str:
        """Return what is printed in the place of a number that is asked for; "" for any other.

        If a task asks whether a mask hides the number, this is the number and what else it would
        be: the answer to the task says which.
        """
        if asked := _asked(self.exact, array, cell, self.asked):
            return asked.text
        mask = mask_told(self.exact, array, cell)
        if mask is None or (whether := self.asked.get(said_number(self.exact, *mask))) is None:
            return ""
        turned = with_mask_turned(self.exact, self.on_paper, mask, (array, cell))
        asked = _asked(turned, array, cell, self.asked)
        texts = (
            _text_at(self.on_paper, array, cell),
            asked.text if asked else _text_at(turned, array, cell),
        )
        visible, hidden = texts if self.exact[mask[0]][mask[1]] else reversed(texts)
        return TEXTS("either", visible=visible, hidden=hidden, task=whether.text)

    def text(self, array: str, cell: Cell) -> str:
        """Return the text of one cell, as its matrix has it."""
        return self.instead_of(array, cell) or _text_at(self.on_paper, array, cell)


def printed_run(trace: Trace, array: str, cell: Cell, asked: Asked) -> PrintedRun:
    """Return the run as one cell is worked out from it, with answers of other tasks."""
    sources = trace.sources(array, cell)
    read = ((name, at) for name, cells in sources.items() for at in cells)
    known = {
        (name, at): found.answer
        for name, at in read
        if trace[name].dtype != bool and (found := _asked(trace, name, at, asked))
    }
    return PrintedRun(trace, printed_on_paper(trace, array, cell, known), asked)


def _asked(trace: Trace, array: str, cell: Cell, asked: Asked) -> AskedNumber | None:
    """What asks for the number of a cell, by itself or as a copy."""
    said: Iterator[Said] = said_numbers(trace, array, cell)
    return next((asked[one] for one in said if one in asked), None)


def _text_at(run: Trace, array: str, cell: Cell) -> str:
    *prefix, row, column = (0, *cell)
    return paper_matrix(run, array, tuple(prefix[1:]))[row][column]
