"""A run as it is worked out on paper, and as a sheet prints it.

On paper each number is rounded before the next step uses it. On a sheet another text is in the
place of what a task asks for. A number may say more than itself: it is a copy of others, or says
what a mask does.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

import numpy as np

from core.program.inputs import Inputs
from core.program.labels import cell_name
from core.program.numbers.display import paper_matrix, shown
from core.program.numbers.rounding import (
    CELL_DECIMALS,
    are_fractions,
    fraction_text,
    full_text,
    rounded,
)
from core.program.patterns import Cell
from core.program.running import Settle, run_program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

GIVEN_DECIMALS = 6
"""A given number is printed in full; with more decimals than this it is rounded to them."""
LINE_DECIMALS = 4
"""What is in between within a cell, such as an exponential, keeps this many decimals or more."""
_rounded = np.vectorize(rounded, otypes=[float])


def worked_on_paper(trace: Trace, worked: Collection[str]) -> Trace:
    """The same run on paper: the arrays of `worked` are computed from rounded numbers, and rounded.

    A cell has two decimals. What the run was given has all of its own, six at most. Every other
    array is as the run shows it.
    """
    places = {name: CELL_DECIMALS if name in trace.steps else GIVEN_DECIMALS for name in trace}
    return _on_paper(trace, worked, places)


def printed_on_paper(
    trace: Trace, array: str, cell: Cell, known: Mapping[tuple[str, Cell], float]
) -> Trace:
    """The same run as one cell is worked out from what a sheet prints.

    A matrix of simple fractions has these. Other numbers have two decimals, or as many as lead to
    the cell that the run shows, six at most. The `known` cells are numbers that a person has
    worked out before. If the cell comes out otherwise then, it is what two decimals lead to.
    """
    steps = [name for name in trace if trace[name].dtype != bool and name != array]
    fractions = frozenset(name for name in steps if are_fractions(trace[name].ravel().tolist()))
    printed = [name for name in trace if name not in fractions]
    runs = (
        _on_paper(trace, (array,), dict.fromkeys(printed, decimals) | {array: CELL_DECIMALS}, known)
        for decimals in range(CELL_DECIMALS, GIVEN_DECIMALS + 1)
    )
    first = next(runs)
    wanted = rounded(float(trace[array][cell]), CELL_DECIMALS)
    found = next((run for run in chain([first], runs) if run[array][cell] == wanted), first)
    return replace(found, fractions=fractions)


def with_mask_turned(
    exact: Trace, paper: Trace, mask: tuple[str, Cell], cell: tuple[str, Cell]
) -> Trace:
    """Return a printed run with one cell as it were if a cell of a mask said the opposite.

    It has as many decimals as its array. `exact` is the run before it was rounded.
    """
    (name, at), (array, place) = mask, cell
    turned = exact[name].copy()
    turned[at] = not turned[at]
    number = float(_again(exact, {name: turned})[array][place])
    numbers = paper[array].copy()
    is_fraction = array in paper.fractions
    if not (is_fraction and fraction_text(number)):
        number = rounded(number, CELL_DECIMALS if is_fraction else _places(numbers))
    numbers[place] = number
    return replace(paper, arrays={**paper.arrays, name: turned, array: numbers})


def _on_paper(
    trace: Trace,
    worked: Collection[str],
    places: Mapping[str, int],
    known: Mapping[tuple[str, Cell], float] = MappingProxyType({}),
) -> Trace:
    """A run of which each array has so many decimals; of one without `places` all."""

    def settle(name: str, numbers: np.ndarray) -> np.ndarray:
        exact = numbers if name in worked else trace[name]
        if exact.dtype == bool:
            return exact
        settled = _rounded(exact, places[name]) if name in places else exact.copy()
        for (_, at), number in ((of, x) for of, x in known.items() if of[0] == name):
            settled[at] = number
        return settled

    made = _again(trace, settle=settle)
    written = (_places(made[name]) for name in places)
    return replace(made, on_paper=max(LINE_DECIMALS, *written))


def _again(
    trace: Trace,
    instead: Mapping[str, np.ndarray] = MappingProxyType({}),
    settle: Settle = lambda name, numbers: numbers,
) -> Trace:
    """The same run once more, with other numbers in some arrays."""
    given = {made.name for made in trace.program.inputs}
    arrays = {name: trace[name] for name in {*given, *trace.pinned}} | dict(instead)
    pinned = {name: numbers for name, numbers in arrays.items() if name not in given}
    inputs = Inputs(
        {name: arrays[name] for name in given}, trace.tokens, trace.more_tokens, trace.noise
    )
    return run_program(trace.program, inputs, pinned, settle)


def _places(numbers: np.ndarray) -> int:
    """The most decimals of a number of an array."""
    if numbers.dtype == bool:
        return 0
    return max(len(full_text(number).partition(".")[2]) for number in numbers.ravel().tolist())


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
