"""A run as a sheet prints it: another text is in the place of what a task of the sheet asks for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.program.numbers.display import paper_matrix
from core.program.paper.copies import Said, mask_told, said_number, said_numbers
from core.program.paper.settled import printed_on_paper, with_mask_turned
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")


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
