"""Tables that show a whole row at work: softmax as exponentials over their sum, and a weighted sum
as the stack of weighted rows that it adds up. Every number comes from the explanation of a cell or
from the trace."""

from dataclasses import dataclass

from core.operations.products import matmul
from core.operations.softmax import softmax
from core.program.arithmetic import Call
from core.program.display import shown
from core.program.explanations import arithmetic
from core.program.labels import axis_label
from core.program.patterns import Cell
from core.program.rounding import cell_text, typeset
from core.program.trace import Trace

WIDEST = 16
"""No table has more columns, or more rows, than this."""


@dataclass(frozen=True)
class Row:
    label: str
    cells: list[str]
    total: bool = False


@dataclass(frozen=True)
class Workings:
    """A titled table of numbers as printed."""

    title: str
    columns: list[str]
    rows: list[Row]


def workings(trace: Trace, array: str, cell: Cell) -> Workings | None:
    """The row of `cell` at work, where its step has such a table and it is not too large."""
    if array not in trace.steps or max(trace[array].shape[1:]) > WIDEST:
        return None
    bound = trace.steps[array]
    operation = bound.operation
    if isinstance(operation, softmax) and operation.template == softmax.template:
        return _softmax_row(trace, array, bound.reads[0], cell)
    first = trace.steps.get(bound.reads[0])
    if isinstance(operation, matmul) and first and isinstance(first.operation, softmax):
        return _weighted_rows(trace, array, cell)
    return None


def _softmax_row(trace: Trace, array: str, scores: str, cell: Cell) -> Workings | None:
    *row, j = cell
    keys = range(trace[array].shape[-1])
    live = [k for k in keys if not trace.is_removed(array, (*row, k))]
    if not live:
        return None
    lines = arithmetic(trace, array, (*row, j if j in live else live[0]))
    largest = lines[0].right.text
    exponentials = [
        line.right.text
        for line in lines[:-1]
        if isinstance(line.left, Call) and line.left.function == "exp"
    ]
    made = dict(zip(live, exponentials, strict=True))
    total = lines[-2].right.text
    return Workings(
        f"The row of {axis_label(trace, 'i', row[-1])}: largest score {typeset(largest)}, "
        f"exponentials add up to {total}",
        [axis_label(trace, "j", k) for k in keys],
        [
            Row(scores, [shown(trace, scores, (*row, k)) for k in keys]),
            Row(f"exp({scores} − ({typeset(largest)}))", [made.get(k, "0") for k in keys]),
            Row(f"… / {total}", [shown(trace, array, (*row, k)) for k in keys], total=True),
        ],
    )


def _weighted_rows(trace: Trace, array: str, cell: Cell) -> Workings | None:
    *row, _ = cell
    weights, values = trace.steps[array].reads
    features = range(trace[array].shape[-1])
    rows = []
    for (h, i, j), (g, *_) in trace.live_terms(array, (*row, 0)):  # type: ignore[misc]
        weight = trace[weights][h, i, j]
        parts = [cell_text(float(weight * trace[values][g, j, v])) for v in features]
        token = axis_label(trace, "j", j)
        rows.append(Row(f"{shown(trace, weights, (h, i, j))} × {values}[{token}]", parts))
    total = Row(f"sum = {array}", [shown(trace, array, (*row, v)) for v in features], total=True)
    title = f"What {axis_label(trace, 'i', row[-1])} reads: value rows times their weights"
    return Workings(title, [str(v + 1) for v in features], [*rows, total])
