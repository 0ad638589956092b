"""Our own CSV: labels in quotes, numbers without them, the heads one below the other."""

import csv
from collections.abc import Iterator, Sequence

from core.files.dialects.grids import is_counted
from core.files.dialects.written import Paste, WrittenMatrix
from core.files.spreadsheet_labels import label_of_spreadsheet

_Row = list[str | float]
_AXES_OF_LABELS = 2
"""A stack has a column that names the matrix, and one that names the row."""


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
    return Paste(
        [
            WrittenMatrix(
                matrices if count == _AXES_OF_LABELS else body,
                rows=_labels([row[count - 1] for row in rows[1 : length + 1]]) if count else (),
                columns=_labels(rows[0][count:]),
            )
        ]
    )


def _table(text: str) -> list[_Row] | None:
    """The header and the rows of our CSV; None for any other text."""
    try:
        reader = csv.reader(_kept_lines(text), quoting=csv.QUOTE_NONNUMERIC, strict=True)
        rows: list[_Row] = [list(row) for row in reader]
    except (csv.Error, ValueError):
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


def _kept_lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends, which may stand within quotes."""
    for line in text.split("\n"):
        if line:
            yield line + "\n"
