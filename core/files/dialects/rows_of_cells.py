"""A table of cells to a matrix: which row is a header, which column has labels, and what is asked.

A first row or column of 0, 1, 2, … may be the numbering of a table or belong to the matrix. Where
nothing tells, the text is refused and the person is asked.
"""

import re
from collections.abc import Sequence

from core.errors import InputError, input_error
from core.files.dialects.written import WrittenMatrix
from core.files.matrices import count_text, shorten
from core.files.numerals import is_number, numbers_left_out
from core.texts import core_texts

TEXTS = core_texts("files")

Rows = list[list[str]]

MAX_CELLS = 500
"""Of a row, its labels included."""
CORNERS = frozenset({"", "token", "tokens", "word", "words", "label", "index", "name"})
"""What stands above a column of labels."""
_POSITION = re.compile(r"\[(?:\d+,|,\d+|\d+)\]")
_LEFT_OUT = frozenset({"...", "…", "⋯", "⋮", "⋱"})


def matrix_of_rows(
    rows: Rows, *, name: str = "", has_header: bool = False, may_be_numbered: bool = True
) -> WrittenMatrix:
    """Return the matrix of a table, and its labels.

    `has_header`: the first row is one, as in Markdown. `may_be_numbered`: the first row or
    column may number the others, as in a CSV. Raises `InputError` where one can be read in two
    ways.
    """
    if max(map(len, rows), default=0) > MAX_CELLS:
        raise input_error(TEXTS, "many_cells", most=MAX_CELLS)
    has_header = has_header and any(rows[0]) if rows else False
    rows = [row for row in rows if any(row)]
    if not rows:
        raise input_error(TEXTS, "no_numbers")
    if any(cell in _LEFT_OUT for row in rows for cell in row):
        raise numbers_left_out(TEXTS("the_text"))
    header, labelled = _layout(rows, has_header, may_be_numbered)
    columns = rows[0][labelled:] if header else []
    body = rows[1:] if header else rows
    if header and len(columns) != len(body[0]) - labelled:
        count = count_text(len(columns), -1)
        raise input_error(TEXTS, "header_width", columns=count, row=len(body[0]) - labelled)
    names = _labels([row[labelled - 1] for row in body]) if labelled else ()
    cells = [row[labelled:] for row in body]
    return WrittenMatrix(cells, name, rows=names, columns=_labels(columns))


def _labels(names: Sequence[str]) -> tuple[str, ...]:
    """Names, or () for what only counts: 0, 1, 2 or [1,], [2,]."""
    return () if counts(names) or all(map(_POSITION.fullmatch, names)) else tuple(names)


def is_counted(cells: Sequence[str], first: int) -> bool:
    """Return whether cells are the numbers from `first` on, in order."""
    return list(cells) == [str(first + n) for n in range(len(cells))]


def counts(cells: Sequence[str]) -> bool:
    """Return whether cells are the numbers from 0 or from 1 on, in order."""
    return is_counted(cells, 0) or is_counted(cells, 1)


def _layout(rows: Rows, has_header: bool, may_be_numbered: bool) -> tuple[bool, int]:
    """Whether the first row is a header, and how many columns are labels."""
    first, body = rows[0], rows[1:]
    if has_header and not body:
        raise input_error(TEXTS, "no_numbers")
    if body and _has_corner(first, body):
        return True, 1
    if _label_columns(rows):
        if has_header:
            return True, _label_columns(body)
        return _with_labels(rows)
    if body and not all(map(is_number, first)):
        labelled = _label_columns(body)
        named = [not is_number(cell) for cell in first[labelled:]]
        if all(named):
            return True, labelled
        if any(named) and not labelled and all(is_number(c) for row in body for c in row):
            raise _header_asked(first)
        return False, 0
    if has_header:
        raise _header_asked(first)
    if may_be_numbered:
        _ask_about_numbering(rows, 0)
    return False, 0


def _has_corner(first: list[str], body: Rows) -> bool:
    """Whether the first row is a header that begins above a column of labels."""
    column = [row[0] for row in body]
    is_text = not any(map(is_number, column)) and all(column)
    if first[0].lower() in CORNERS - {""}:
        return is_text
    if first[0] or len(first) < 2:
        return False
    named = not any(map(is_number, first[1:]))
    return (is_text or counts(column)) and (named or counts(first[1:]))


def _with_labels(rows: Rows) -> tuple[bool, int]:
    """The layout of a table whose first column is text in every row."""
    labelled = _label_columns(rows)
    first, body = rows[0][labelled:], rows[1:]
    if body and first and not any(map(is_number, first)):
        return True, labelled
    if body and not all(map(is_number, first)):
        raise _header_asked(first)
    if body and counts(first) and _decimals(body, labelled):
        raise _header_asked(first)
    if len(rows) > 1 and len({row[labelled - 1] for row in rows}) == 1:
        raise _column_asked([row[labelled - 1] for row in rows])
    _ask_about_numbering(rows, labelled)
    return False, labelled


def _label_columns(rows: Rows) -> int:
    """How many of the first columns have no number, if the last one has some."""
    count = 0
    for column in zip(*rows, strict=False):
        if any(map(is_number, column)) or not all(column):
            break
        count += 1
    return count if count < min(map(len, rows)) else 0


def _decimals(rows: Rows, labelled: int) -> bool:
    """Whether every number is written with a point, as tables of floats are."""
    cells = [cell for row in rows for cell in row[labelled:]]
    return bool(cells) and all("." in cell or "e" in cell.lower() for cell in cells)


def _ask_about_numbering(rows: Rows, labelled: int) -> None:
    """Raise `InputError` if the first row or column counts, and may be no part of the matrix.

    Rows of 0 and 1 only are a matrix; so is a column of 0 and 1 before whole numbers.
    """
    first, body = rows[0][labelled:], rows[1:]
    is_of_flags = all(cell in ("0", "1") for row in rows for cell in row[labelled:])
    if body and len(first) > 1 and is_counted(first, 0) and not is_of_flags:
        raise _header_asked(first)
    column = [row[labelled] for row in rows if len(row) > labelled + 1]
    if len(column) < len(rows) or len(rows) < 2:
        return
    is_index = len(rows) > 2 and is_counted(column, 0)
    if is_index or (counts(column) and _decimals(rows, labelled + 1)):
        raise _column_asked(column)


def _header_asked(cells: Sequence[str]) -> InputError:
    """The error for a first row that may be a header."""
    return input_error(TEXTS, "header", row=shorten(", ".join(cells[:10])))


def _column_asked(cells: Sequence[str]) -> InputError:
    """The error for a first column that may be labels."""
    return input_error(TEXTS, "index", column=shorten(", ".join(cells[:10])))
