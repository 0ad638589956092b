"""What a number of a run says besides itself: it is a copy of others, or says what a mask does."""

from collections.abc import Iterator

from core.program.labels import cell_name
from core.program.numbers.display import shown
from core.program.patterns import Cell
from core.program.trace import Trace

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
