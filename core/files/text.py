"""Text to matrices: what people paste from spreadsheets, Python, NumPy, PyTorch and MATLAB.

A text with square brackets is nested lists, or MATLAB where there is one pair. Any other text is
lines of cells. Both become nested lists of words, which `core.files.numerals` turns into numbers.
Nothing is evaluated. Nothing is guessed: where a decimal comma could also part two numbers, the
text is refused.
"""

import re
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import InputError, input_error
from core.files.matrices import MAX_SIDE, shorten
from core.files.numerals import matrix_of_words, numbers_left_out
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_CHARACTERS = 200_000

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_ASSIGNMENT = re.compile(r"\A\s*[A-Za-z_][\w.]*\s*=(?!=)")
_CALL = re.compile(  # array(…, dtype=float), torch.tensor(…, device='cpu'), np.float64(…)
    r"\b(?:(?:np|numpy|jnp|torch)\.)?(?:asarray|array|matrix|tensor|float\d+|u?int\d+|bool_?)"
    r"\(([^()=]*)(=[^()]*)?\)",
    re.IGNORECASE,
)
_CONTINUATION = re.compile(r"(?<=\S)[ \t]*\.\.\.[ \t]*\n")  # MATLAB; NumPy's "left out" differs


def parse_matrix(text: str, *, limit: int = MAX_SIDE) -> Float[np.ndarray, "..."]:
    """The numbers of a text: (rows, columns), or (matrices, rows, columns) for triple brackets.

    A list is one row. Between cells: tabs, semicolons, commas or spaces. `a;b` on a line of its
    own is two columns, `a b; c d` two rows. Decimal commas are read where they can be nothing
    else: between tabs, or semicolons on two lines or more. True and False are 1 and 0. Raises
    `InputError`, also beyond `limit` rows or columns, `MAX_MATRICES` or `MAX_CHARACTERS`.
    """
    if len(text) > MAX_CHARACTERS:
        length, most = f"{len(text):,}", f"{MAX_CHARACTERS:,}"
        raise input_error(TEXTS, "long_text", length=length, most=most)
    text = _plain(text)
    return matrix_of_words(_bracketed(text) if "[" in text else _lines(text), limit=limit)


def _plain(text: str) -> str:
    """One kind of newline and minus; no assignment, and no calls around the numbers."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _ASSIGNMENT.sub("", text.replace("−", "-"), count=1)
    return _CALL.sub(_argument, _CALL.sub(_argument, text)).strip(" \n")  # inner calls first


def _argument(call: re.Match[str]) -> str:
    """What a call is about: "[[1, 2]]" in "array([[1, 2]], dtype=float)"."""
    before_equals, keywords = call.groups()
    inside = before_equals.rpartition(",")[0] if keywords else before_equals
    return f" {inside} "


def _bracketed(text: str) -> Any:
    text = text.rstrip("; \n")
    if text.count("[") == 1 and text.startswith("[") and text.find("]") == len(text) - 1:
        return _matlab(text[1:-1])
    if "..." in text:
        raise numbers_left_out(TEXTS("the_text"))
    nested = _nested(text)
    if len(nested) != 1 or not isinstance(nested[0], list):
        raise input_error(TEXTS, "several_lists")
    return nested[0]


def _matlab(inside: str) -> list[list[str]]:
    """Rows end with a semicolon or a line; Python's 1-D lists go on after a comma."""
    inside = re.sub(r",[ \t]*\n", ", ", _CONTINUATION.sub(" ", inside))
    return [_cells(row) for row in re.split("[;\n]", inside) if row.strip()]


def _nested(text: str) -> list[Any]:
    """Nested lists of words, as the brackets nest. A loop: deep nesting must not recurse."""
    root: list[Any] = []
    lists = [root]
    for piece in re.split(r"([\[\]])", text):
        if piece == "[":
            lists[-1].append([])
            lists.append(lists[-1][-1])
        elif piece == "]":
            lists.pop()
        elif piece.strip() not in ("", ","):
            lists[-1].extend(_cells(piece))
        if not lists:
            break
    if len(lists) != 1:
        raise input_error(TEXTS, "brackets", missing=bool(lists))
    return root


def _lines(text: str) -> list[list[str]]:
    """Rows of words, from a text without brackets."""
    lines = [line for line in text.split("\n") if line.strip()]
    if "\t" in text:
        return _decimal_points([_split(line, "\t") for line in lines])
    if ";" not in text:
        return [_cells(line) for line in lines]
    rows = [_split(line, ";") for line in lines]
    several_numbers = any(len(cell.split()) > 1 for row in rows for cell in row)
    if several_numbers and not re.search(r",\S", text):  # a b; c d or a, b; c, d
        return [_cells(cell) for row in rows for cell in row if cell]
    if "," in text and (len(rows) == 1 or min(map(len, rows)) == 1):
        raise _two_meanings(next(cell for row in rows for cell in row if "," in cell))
    return _decimal_points(rows)


def _cells(row: str) -> list[str]:
    return _split(row, ",") if "," in row else row.split()


def _split(row: str, separator: str) -> list[str]:
    """The cells of a row, which may end with a separator."""
    cells = [cell.strip() for cell in row.split(separator)]
    return cells if cells[-1] or len(cells) == 1 else cells[:-1]


def _decimal_points(rows: list[list[str]]) -> list[list[str]]:
    """Rows with 0,5 as 0.5. Raises `InputError` where the commas may be something else."""
    commas = [cell for row in rows for cell in row if "," in cell]
    if not commas:
        return rows
    points = any("." in cell for row in rows for cell in row)
    if points or all(_THOUSANDS.fullmatch(cell) for cell in commas):
        raise _two_meanings(commas[0])
    for cell in commas:
        if not _DECIMAL_COMMA.fullmatch(cell):
            raise _two_meanings(cell)
    return [[cell.replace(",", ".") for cell in row] for row in rows]


def _two_meanings(cell: str) -> InputError:
    return input_error(TEXTS, "comma", cell=shorten(cell))
