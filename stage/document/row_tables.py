"""Tables that show a whole row at work: softmax as exponentials over their sum, a weighted sum as
the stack of weighted rows that it adds up, and what a row was before all steps. Every number comes
from the explanation of a cell or from the trace."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.program.explanations import arithmetic
from core.program.formulas import symbol_text
from core.program.labels import (
    axis_label,
    axis_labels,
    cell_id,
    is_random,
    place_names,
    sentence_parts,
    told_label,
)
from core.program.numbers.display import shown
from core.program.numbers.rounding import cell_text
from core.program.operation import CORNER, SHARES, RowTable
from core.program.patterns import Cell
from core.program.reading import percentages
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("stage_pages")
WIDEST = 16
"""No table has more columns, or more rows, than this."""
MOST_TOLD = 3
"""Of more rows than that the heaviest are told by themselves, and all others together."""


@dataclass(frozen=True)
class TableLine:
    label: str
    cells: list[str]
    total: bool = False
    share: str = ""
    """How wide the row is drawn as colours, in percent; "" for a row that is not drawn."""
    of: str = ""
    """The first cell of the row that is drawn, or told."""


@dataclass(frozen=True)
class PrintedTable:
    """A titled table of numbers as printed."""

    title: list[str]
    """What is said and a token by turns."""
    columns: list[str]
    rows: list[TableLine]

    def data(self) -> dict[str, Any]:
        """The table as the stage takes it."""
        return vars(self) | {"rows": [vars(line) for line in self.rows]}


def row_table(trace: Trace, array: str, cell: Cell) -> PrintedTable | None:
    """Return the row of `cell` at work, if its step has such a table and it is not too large."""
    if array not in trace.steps or len(cell) < 2 or trace[array].shape[-1] > WIDEST:
        return None
    if before := _before(trace, array):
        return _before_and_after(trace, before, array, cell)
    bound = trace.steps[array]
    first = trace.steps.get(bound.reads[0])
    shares = first is not None and first.operation.palette == SHARES
    if shares and bound.operation.layout == CORNER:
        return _weighted_rows(trace, array, cell)
    *row, at = cell
    live = [n for n in range(trace[array].shape[-1]) if not trace.is_removed(array, (*row, n))]
    if not live:
        return None
    made = bound.operation.row_table(
        arithmetic(trace, array, (*row, at if at in live else live[0]))
    )
    return _row_at_work(trace, array, cell, live, made) if made else None


def _row_at_work(
    trace: Trace, array: str, cell: Cell, live: list[int], made: RowTable
) -> PrintedTable:
    *row, _ = cell
    before = trace.steps[array].reads[0]
    entries = dict(zip(live, made.entries, strict=True))
    numbers = dict(zip(live, made.numbers, strict=True))
    columns = axis_labels(trace, array)[-1]
    places = range(len(columns))
    return PrintedTable(
        sentence_parts(TEXTS("row_at_work", row=_row_label(trace, array, cell), made=made.title)),
        columns,
        [
            TableLine(before, [entries.get(n) or shown(trace, before, (*row, n)) for n in places]),
            TableLine(made.middle.format(before), [numbers.get(n, "0") for n in places]),
            TableLine(made.last, [shown(trace, array, (*row, n)) for n in places], total=True),
        ],
    )


def _before(trace: Trace, array: str) -> str:
    """The array that a phase's result is compared with, of rows as named; "" for none."""
    phases = trace.program.innermost()
    before = next((phase.before for phase in phases if phase.main == array), "")
    alike = before in trace and trace.program.letters[before] == trace.program.letters[array]
    return before if alike and place_names(trace, trace.program.letters[array][-1]) else ""


def _before_and_after(trace: Trace, before: str, array: str, cell: Cell) -> PrintedTable:
    *row, _ = cell
    columns = axis_labels(trace, array)[-1]
    chance = "row_random" if is_random(trace, before, cell) else "row_before"
    first, last = (
        TableLine(
            TEXTS(id), [shown(trace, name, (*row, n)) for n in range(len(columns))],
            total=name == array, of=cell_id(name, (*row, 0)),
        )
        for id, name in ((chance, before), ("row_after", array))
    )  # fmt: skip
    title = TEXTS(
        "before_and_after", row=_row_label(trace, array, cell),
        before=symbol_text(before), after=symbol_text(array),
    )  # fmt: skip
    return PrintedTable(sentence_parts(title), columns, [first, last])


def _weighted_rows(trace: Trace, array: str, cell: Cell) -> PrintedTable | None:
    *row, _ = cell
    shares, values = trace.steps[array].reads
    letter = trace.program.letters[values][-2]
    columns = range(trace[array].shape[-1])
    terms = [
        (share, first, float(trace[shares][share]))
        for share, first in trace.live_terms(array, (*row, 0))
        if share is not None and first is not None
    ]
    if not np.isfinite([weight for *_, weight in terms]).all():
        return None  # nothing is as wide as what is no number
    told = terms
    if len(terms) > WIDEST:
        told = sorted(sorted(terms, key=lambda term: -abs(term[2]))[:MOST_TOLD])
    rows = []
    for share, first, weight in told:
        *place, _ = first
        products = [cell_text(float(weight * trace[values][(*place, n)])) for n in columns]
        label = axis_label(trace, letter, place[-1])
        rows.append(
            TableLine(
                f"{shown(trace, shares, share)} × {values}[{label}]", products, share=_wide(weight),
                of=cell_id(values, (*place, 0)),
            )
        )  # fmt: skip
    if others := [term for term in terms if term not in told]:
        weight = sum(weight for *_, weight in others)
        mixed = sum(weight * trace[values][first[:-1]] for _, first, weight in others)
        label = TEXTS("other_rows", weight=cell_text(weight), count=len(others))
        products = [cell_text(float(number)) for number in mixed]
        rows.append(TableLine(label, products, share=_wide(weight)))
    total = TableLine(
        f"{TEXTS('sum')} = {array}", [shown(trace, array, (*row, n)) for n in columns],
        total=True, share="100", of=cell_id(array, (*row, 0)),
    )  # fmt: skip
    title = TEXTS(
        "weighted_rows", reader=_row_label(trace, array, cell),
        values=_word(trace, values), weights=_word(trace, shares),
    )  # fmt: skip
    return PrintedTable(sentence_parts(title), axis_labels(trace, array)[-1], [*rows, total])


def _wide(weight: float) -> str:
    return percentages(np.array([weight]), None)[0]


def _row_label(trace: Trace, array: str, cell: Cell) -> str:
    return told_label(trace, trace.program.letters[array][-2], cell[-2])


def _word(trace: Trace, array: str) -> str:
    return trace.program.roles.get(array) or array
