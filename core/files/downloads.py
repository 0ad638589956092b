"""A run's numbers to take away: .npz, and .csv, which is read again from a paste.

Our CSV has its labels in quotes and numbers without them, the heads one below the other. No label
is one that a spreadsheet runs as a formula.
"""

import csv as csv_format
import io
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from core.files.dialects.rows_of_cells import is_counted
from core.files.dialects.written import Paste, WrittenMatrix
from core.program.axes import POSITION
from core.program.labels import axis_labels
from core.program.numbers.literals import JOINERS, inert
from core.program.trace import Trace

BYTE_ORDER_MARK = "\ufeff"
_FORMULA = re.compile(r"[\s']*[=+\-@−]")
_KEEPS_AS_TEXT = "'"
_Row = list[str | float]
_AXES_OF_LABELS = 2
"""A stack has a column that names the matrix, and one that names the row."""


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


def spreadsheet_label(label: str) -> str:
    """Return a label that is text in any spreadsheet: one like a formula gets an apostrophe."""
    text = inert(label)
    return _KEEPS_AS_TEXT + text if _is_like_a_formula(text) else text


def label_of_spreadsheet(text: str) -> str:
    """Return the label without the apostrophe that `spreadsheet_label` put before it."""
    return text[1:] if text[:1] == _KEEPS_AS_TEXT and _is_like_a_formula(text[1:]) else text


def _is_like_a_formula(text: str) -> bool:
    """Whether a text is a formula, or one after apostrophes: those before it can be told apart."""
    return _FORMULA.match(unicodedata.normalize("NFKC", text.strip(JOINERS))) is not None


def is_our_csv(text: str) -> bool:
    """Return whether a text is a table with all of its labels, and no number, in quotes."""
    return text.startswith('"') and _table(text) is not None


def read_our_csv(text: str) -> Paste:
    """Return the matrix of our CSV, or the stack of them, and its labels."""
    rows = _table(text)
    assert rows is not None
    count = _label_count(rows[1])
    body = [[repr(cell) for cell in row[count:]] for row in rows[1:]]
    length = _block_length(rows[1:], count)
    matrices = [body[at : at + length] for at in range(0, len(body), length)]
    row_labels = _labels([row[count - 1] for row in rows[1 : length + 1]]) if count else ()
    words = matrices if count == _AXES_OF_LABELS else body
    return Paste([WrittenMatrix(words, rows=row_labels, columns=_labels(rows[0][count:]))])


def _table(text: str) -> list[_Row] | None:
    """The header and the rows of our CSV; None for any other text."""
    try:
        lines = (f"{line}\n" for line in text.split("\n") if line)  # an end may be within quotes
        read = csv_format.reader(lines, quoting=csv_format.QUOTE_NONNUMERIC, strict=True)
        rows: list[_Row] = [list(row) for row in read]
    except (csv_format.Error, ValueError):
        return None
    if len(rows) < 2 or _label_count(rows[0]) != len(rows[0]):
        return None
    count, body = _label_count(rows[1]), rows[1:]
    regular = all(len(row) == len(rows[0]) and _label_count(row) == count for row in body)
    if not regular or count > _AXES_OF_LABELS or count == len(rows[0]):
        return None
    return rows if _block_length(body, count) else None


def _block_length(body: Sequence[_Row], count: int) -> int:
    """How many rows each matrix of a stack has; 0 if they are not the same rows in each."""
    if count < _AXES_OF_LABELS:
        return len(body)
    outer, inner = [row[0] for row in body], [row[1] for row in body]
    length = outer.count(outer[0])
    names = outer[::length]
    in_blocks = outer == [name for name in names for _ in range(length)]
    return length if in_blocks and inner == inner[:length] * len(names) else 0


def _label_count(row: Sequence[object]) -> int:
    """How many cells of a row are in quotes."""
    return sum(isinstance(cell, str) for cell in row)


def _labels(cells: Sequence[str | float]) -> tuple[str, ...]:
    """Labels as they were before a spreadsheet; () for numbers from 1 on."""
    names = [label_of_spreadsheet(str(cell)) for cell in cells]
    return () if is_counted(names, 1) else tuple(names)
