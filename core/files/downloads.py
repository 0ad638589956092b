"""A run's numbers to take away: .npz and .csv."""

import csv as csv_format
import io

import numpy as np

from core.files.spreadsheet_labels import spreadsheet_label
from core.program.axes import POSITION
from core.program.labels import axis_labels
from core.program.trace import Trace

BYTE_ORDER_MARK = "\ufeff"


def npz(trace: Trace) -> bytes:
    """Every array by its name, and `tokens` and further lists of them as text; loads with
    allow_pickle=False.

    What the run started from is there once more, as `pinned.scores` and the like.
    """
    return _archive(trace, dict(trace))


def inputs_npz(trace: Trace) -> bytes:
    """What a run started from, as `npz` has it: it is made anew from this."""
    return _archive(trace, {given.name: trace[given.name] for given in trace.program.inputs})


def _archive(trace: Trace, arrays: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    arrays |= {f"pinned.{name}": trace[name] for name in sorted(trace.pinned)}
    lists = {"tokens": trace.tokens}
    lists |= {f"{name}_tokens": tokens for name, tokens in trace.more_tokens.items()}
    arrays |= {name: np.array(tokens, dtype=np.str_) for name, tokens in lists.items()}
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def csv(trace: Trace, array: str) -> str:
    """Return one array as a table with labels: a line for each row, the heads one below the other.

    Numbers are exact, -inf is a hidden cell. A label that a spreadsheet would run as a formula
    begins with an apostrophe. The text begins with a byte-order mark, without which spreadsheets
    do not read it as UTF-8. Raises `InputError` for a name that is not in the trace.
    """
    values = trace.named(array)
    *outer, columns = _table_labels(trace, array)
    buffer = io.StringIO()
    buffer.write(BYTE_ORDER_MARK)
    table = csv_format.writer(buffer, quoting=csv_format.QUOTE_NONNUMERIC, lineterminator="\n")
    table.writerow(_axis_names(trace, array)[:-1] + columns)
    for place in np.ndindex(values.shape[:-1]):
        names = [labels[at] for labels, at in zip(outer, place, strict=True)]
        numbers = values[place].tolist()
        table.writerow(names + [int(n) if isinstance(n, bool) else n for n in numbers])
    return buffer.getvalue()


def _axis_names(trace: Trace, array: str) -> list[str]:
    """What each axis counts; a position is a query or a key only where the other one is there."""
    axes = [trace.program.axis(letter) for letter in trace.program.letters[array]]
    alone = sum(axis.kind == POSITION for axis in axes) == 1
    return ["token" if alone and axis.kind == POSITION else axis.name for axis in axes]


def _table_labels(trace: Trace, array: str) -> list[list[str]]:
    """Labels for each axis: tokens where there is one for each place, else numbers."""
    return [
        [spreadsheet_label(label) for label in labels]
        if len(labels) == size
        else [str(n + 1) for n in range(size)]
        for labels, size in zip(axis_labels(trace, array), trace[array].shape, strict=True)
    ]
