"""Matrices from outside: how large they may be, and which numbers they may hold.

A matrix has rows and columns; a stack of matrices (one a head) has an axis before these two.
In words, rows, columns and matrices count from 1. `core.files.text` reads matrices from text,
`core.files.uploads` from uploads.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from core.attention.given.model_names import shape_of_one
from core.errors import InputError, input_error
from core.limits import LARGEST, MAX_D_MODEL, MAX_HEADS, MAX_TOKENS
from core.program.numbers.display import shape_text
from core.program.numbers.literals import prints
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_SIDE = max(MAX_TOKENS, MAX_D_MODEL)
"""No matrix from outside has more rows, or more columns."""
MAX_MATRICES = MAX_HEADS
MAX_SHAPE = (MAX_MATRICES, MAX_SIDE, MAX_SIDE)
MAX_ARRAYS = 256
"""So many arrays are read from a file, each of up to `MAX_MATRICES` matrices."""
MAX_STORED = 1_000
"""No file holds more arrays, read or not: more than the checkpoints of large models have."""
MAX_READ_BYTES = 16_000_000
"""Of all arrays that are read from a file together."""
PIECE_LENGTH = 20
"""Longer pieces of what a person gave are shortened in messages."""

GivenArrays = dict[str, np.ndarray]
StoredArrays = Mapping[str, Callable[[], np.ndarray]]
"""The arrays of a file by their names, each read when it is called for; "" if it has no name."""

_COUNTS = ("matrices", "rows", "columns")


class NumberRange(Enum):
    """Which numbers may stand in a matrix; nan in none."""

    FINITE = LARGEST, False
    """From −`LARGEST` to `LARGEST`."""
    OR_HIDDEN = LARGEST, True
    """Also −∞: a hidden cell of masked scores, or of an additive mask."""
    ANY = math.inf, True

    def holds(self, values: Any) -> Any:
        """Return whether a number, or each number of an array, may stand in a matrix."""
        largest, or_hidden = self.value
        return (abs(values) <= largest) | (or_hidden & (values == -math.inf))  # nan: False


class InputPlace(NamedTuple):
    """Where something is in an input, each counted from 1; 0: not said."""

    matrix: int = 0
    row: int = 0
    column: int = 0

    @property
    def text(self) -> str:
        """The place in words: "matrix 2, row 1, column 3"."""
        named = zip(("nth_matrix", "nth_row", "nth_column"), self, strict=True)
        return ", ".join(TEXTS(id, n=n) for id, n in named if n)


def check_real(dtype: np.dtype, name: str) -> None:
    """Raise `InputError` unless a dtype holds real numbers, or True and False."""
    if dtype.kind not in "biuf":
        raise input_error(TEXTS, "not_real", name=name, type=shorten(str(dtype)))


def checked_floats(
    array: np.ndarray, name: str, numbers: NumberRange = NumberRange.FINITE
) -> Float[np.ndarray, "..."]:
    """Return a float64 copy of real numbers. Raises `InputError` for the first one out of range."""
    with np.errstate(all="ignore"):  # long doubles may overflow: to infinity, which is refused
        values = array.astype(np.float64)
    unusable = np.argwhere(~numbers.holds(values))
    if len(unusable):
        cell = tuple(unusable[0].tolist())
        place = InputPlace(*[0] * (3 - len(cell)), *(index + 1 for index in cell)).text
        number, where = values[cell], TEXTS("cell_of", name=name, place=place)
        raise refused_number(f"{number:g}", where, finite=bool(np.isfinite(number)))
    return values


def matrix_of_bytes(
    data: bytes | bytearray, dtype: np.dtype, shape: tuple[int, ...], fortran: bool = False
) -> np.ndarray:
    """Return the array that bytes of a file hold: float64, or bool; a list is one row.

    Raises `InputError` for the first number beyond ±`LARGEST` that is not −∞.
    """
    is_mask = dtype.kind == "b"  # whose bytes, if damaged, may be neither 0 nor 1
    cells = np.frombuffer(data, np.uint8) != 0 if is_mask else np.frombuffer(data, dtype)
    array = np.atleast_2d(cells.reshape(shape[::-1]).T if fortran else cells.reshape(shape))
    return array if is_mask else checked_floats(array, TEXTS("the_array"), NumberRange.OR_HIDDEN)


def refused_number(written: str, place: str, *, finite: bool) -> InputError:
    """Return the error for a number that is too large, or not finite."""
    id = "too_large" if finite else "not_finite"
    return input_error(TEXTS, id, number=shorten(written), place=place, largest=f"{LARGEST:,.0f}")


def shorten(piece: str, most: int = PIECE_LENGTH) -> str:
    """At most so many characters of a piece of input, all of them printable."""
    piece = piece if len(piece) <= most else f"{piece[: most - 1]}…"
    return "".join(c if seen else "�" for c, seen in zip(piece, prints(piece), strict=True))


def count_text(count: int, axis: int) -> str:
    """Return a number of places along an axis (−1: columns): "1 row", "3 rows"."""
    return TEXTS(_COUNTS[axis], n=f"{count:,}", one=count == 1)


def wrong_count(count: int, axis: int, most: int, place: str) -> InputError:
    """Return the error for no place, or too many, along an axis of what is named `place`."""
    counts = {"count": count_text(count, axis), "most": most, "surplus": f"{count - most:,}"}
    return input_error(TEXTS, "wrong_count", place=place, empty=not count, **counts)


def check_array_count(count: int, most: int = MAX_ARRAYS) -> None:
    """Raise `InputError` if a file holds no matrix or too many."""
    if not 1 <= count <= most:
        matrices, most_text = count_text(count, -3), f"{most:,}"
        raise input_error(TEXTS, "file_count", matrices=matrices, most=most_text, empty=not count)


def check_stored_shape(name: str, shape: tuple[int, ...]) -> None:
    """Raise `InputError` unless an array of a file has at most three axes, none of them too long.

    Where W_Q, W_K and W_V are kept as one under this name, the limit is for each of them.
    """
    shape = shape_of_one(name, shape)
    most = MAX_SHAPE[-len(shape) :]
    if len(most) != len(shape) or not all(0 < n <= m for n, m in zip(shape, most, strict=True)):
        raise input_error(
            TEXTS, "array_shape", shape=shorten(shape_text(shape)), most=shape_text(MAX_SHAPE)
        )


def same_name() -> InputError:
    """Return the error for a file that holds two matrices of one name."""
    return input_error(TEXTS, "same_name")


@contextmanager
def in_array(name: str) -> Iterator[None]:
    """Name the array of a file that an error is about."""
    try:
        yield
    except InputError as error:
        if not name:
            raise
        value = TEXTS("in_array", array=shorten(name), fault=error.value)
        raise InputError(value, error.limit, error.remedy) from error
