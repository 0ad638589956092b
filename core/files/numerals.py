"""Words to numbers: nested lists of words, as text or JSON spells a matrix, become an array.

Every number that comes from text is made here, so every one is checked here, and a message says
where it stands: "'x' in matrix 2, row 1, column 3 is not a number".
"""

import re
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import InputError
from core.files.matrices import MAX_MATRICES, MAX_SIDE, count_text, refused_number, shorten
from core.limits import LARGEST
from core.program.display import shape_text

MAX_DEPTH = 3

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|∞|nan)", re.IGNORECASE)
_CELL = "each cell must be a number"
_TRUTH = {"true": 1.0, "false": 0.0}


def matrix_of_words(nested: Any, *, limit: int = MAX_SIDE) -> Float[np.ndarray, "..."]:
    """The matrix, or stack of them, that nested lists of words spell."""
    depth = _depth(nested)
    if depth < MAX_DEPTH:
        return _matrix([nested] if depth == 1 else nested, "", limit)
    _check_count(len(nested), -3, MAX_MATRICES, "The input")
    matrices = [_matrix(rows, f"matrix {m}, ", limit) for m, rows in enumerate(nested, start=1)]
    for m, matrix in enumerate(matrices, start=1):
        if matrix.shape != matrices[0].shape:
            raise InputError(
                f"Matrix {m} is {shape_text(matrix.shape)}",
                f"matrix 1 is {shape_text(matrices[0].shape)}",
                "give all of them the same shape",
            )
    return np.stack(matrices)


def too_deep() -> InputError:
    return InputError(
        "The brackets are nested more than three deep",
        "a stack of matrices has three",
        "write [[1, 2], [3, 4]] for a matrix",
    )


def numbers_left_out(where: str) -> InputError:
    return InputError(
        f"{where} has '...' in place of numbers",
        "a matrix needs all of them",
        "print it after np.set_printoptions(threshold=100_000)",
    )


def _depth(nested: Any) -> int:
    """How many lists stand around the first word: 1, 2 or 3."""
    depth = 0
    while isinstance(nested, list) and nested and depth <= MAX_DEPTH:
        nested, depth = nested[0], depth + 1
    if nested == []:
        raise InputError("The input holds no numbers", "a matrix needs at least one", "give a row")
    if depth == 0:
        raise InputError("The input is not a list", "a matrix is a list of rows", "write [[1, 2]]")
    if depth > MAX_DEPTH:
        raise too_deep()
    return depth


def _matrix(rows: Any, where: str, limit: int) -> Float[np.ndarray, "rows columns"]:
    """One matrix; `where` is "", or says which one of a stack: "matrix 2, "."""
    _check_list(rows, where)
    _check_count(len(rows), -2, limit, where or "the matrix")
    values = []
    for i, row in enumerate(rows, start=1):
        here = f"{where}row {i}, "
        _check_list(row, here)
        _check_count(len(row), -1, limit, here)
        if len(row) != len(rows[0]):
            raise InputError(
                f"{_start(here)} has {count_text(len(row), -1)}",
                f"row 1 has {len(rows[0])}",
                "give every row as many",
            )
        values.append([_number(word, f"{here}column {j}") for j, word in enumerate(row, start=1)])
    return np.array(values, dtype=np.float64)


def _check_list(value: Any, where: str) -> None:
    if not isinstance(value, list):
        raise InputError(f"{_start(where)} is not a list", "the first one is", "put it in [ ]")


def _check_count(count: int, axis: int, limit: int, where: str) -> None:
    if not 1 <= count <= limit:
        raise InputError(
            f"{_start(where)} has {count_text(count, axis)}",
            f"it may have 1 to {limit}",
            f"leave out {count - limit:,}" if count else "write at least one number",
        )


def _number(word: Any, where: str) -> float:
    """The only place where a word becomes a number."""
    word = str(word) if isinstance(word, bool) else word
    if not isinstance(word, str):
        raise InputError(f"{_start(where)} is not a number", _CELL, "write one there")
    word = word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word
    if _NUMBER.fullmatch(word):
        value = float(word)
        if abs(value) > LARGEST:
            raise refused_number(word, where, finite=True)
        return value
    if _NOT_FINITE.fullmatch(word):
        raise refused_number(word, where, finite=False)
    if word.lower() in _TRUTH:
        return _TRUTH[word.lower()]
    raise _not_a_number(word, where)


def _not_a_number(word: str, where: str) -> InputError:
    if not word:
        return InputError(f"{_start(where)} is empty", _CELL, "write one there")
    if word in ("...", "…"):
        return numbers_left_out(_start(where))
    if len(word.split()) > 1:
        fault = "is more than one number"
        remedy = "part numbers by commas or by spaces, not by both, and write 0.5 with a point"
    else:
        fault, remedy = "is not a number", "write numbers only, as in -0.5"
    return InputError(f"'{shorten(word)}' in {where} {fault}", _CELL, remedy)


def _start(where: str) -> str:
    """A place as the start of a sentence."""
    return where.removesuffix(", ").capitalize()
