"""Matrices from outside: how large they may be, and the check that one fits its place.

A matrix has rows and columns; a stack of matrices (one a head) has an axis before these two.
In words, rows, columns and matrices count from 1. `core.files.text` reads matrices from text,
`core.files.uploads` from uploads.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from jaxtyping import Float

from core.errors import InputError
from core.limits import LARGEST, MAX_D_MODEL, MAX_HEADS, MAX_TOKENS
from core.program.display import shape_text
from core.program.literals import prints

MAX_SIDE = max(MAX_TOKENS, MAX_D_MODEL)
"""No matrix from outside has more rows, or more columns."""
MAX_MATRICES = MAX_HEADS
MAX_ARRAYS = 32
"""No file holds more arrays, each of up to `MAX_MATRICES` matrices."""
PIECE_LENGTH = 20
"""Longer pieces of what a person gave are shortened in messages."""

Arrays = dict[str, np.ndarray]

_AXES = (("matrix", "matrices"), ("row", "rows"), ("column", "columns"))
_RANGE = f"numbers may go from -{LARGEST:,.0f} to {LARGEST:,.0f}"


def check_matrix(
    array: np.ndarray, shape: tuple[int | None, ...], name: str
) -> Float[np.ndarray, "..."]:
    """A float64 copy of an array of this shape, up to three axes; None is any length but 0.

    Raises `InputError` for another shape, for what are not real numbers, and for the first cell
    that is not finite or beyond ±`LARGEST`.
    """
    name = shorten(name)
    check_real(array.dtype, name)
    if not _fits(array.shape, shape):
        raise InputError(
            f"{name} is {shape_text(array.shape)}",
            f"it must be {shape_text(shape)}",
            _resizing(array.shape, shape),
        )
    return finite_floats(array, name)


def check_real(dtype: np.dtype, name: str) -> None:
    """Raise `InputError` unless a dtype holds real numbers, or True and False."""
    if dtype.kind not in "biuf":
        raise InputError(
            f"{name} holds values of type {shorten(str(dtype))}",
            "it must hold real numbers",
            "convert it to floats first",
        )


def finite_floats(array: np.ndarray, name: str) -> Float[np.ndarray, "..."]:
    """A float64 copy of real numbers. Raises `InputError` for the first that cannot be used."""
    with np.errstate(all="ignore"):  # long doubles may overflow: to infinity, which is refused
        values = array.astype(np.float64)
    unusable = np.argwhere(~(np.abs(values) <= LARGEST))  # nan compares False
    if len(unusable):
        cell = tuple(unusable[0].tolist())
        raise refused_number(
            f"{values[cell]:g}", f"{name}, {_place(cell)}", finite=bool(np.isfinite(values[cell]))
        )
    return values


def refused_number(written: str, where: str, *, finite: bool) -> InputError:
    """The error for a number that is too large, or not finite."""
    fault = "is too large" if finite else "is not finite"
    return InputError(f"{shorten(written)} in {where} {fault}", _RANGE, "change it")


def shorten(piece: str) -> str:
    """At most `PIECE_LENGTH` characters of a piece of input, all of them printable."""
    piece = piece if len(piece) <= PIECE_LENGTH else piece[: PIECE_LENGTH - 1] + "…"
    return "".join(c if seen else "�" for c, seen in zip(piece, prints(piece), strict=True))


def count_text(count: int, axis: int) -> str:
    """So many along an axis, which counts back from −1, the columns: "1 row", "3 rows"."""
    return f"{count:,} {_AXES[axis][count != 1]}"


def check_array_count(count: int) -> None:
    """Raise `InputError` where a file holds no matrix or too many."""
    if not 1 <= count <= MAX_ARRAYS:
        raise InputError(
            f"The file holds {count:,} matrices",
            f"it may hold 1 to {MAX_ARRAYS}",
            "choose a file with fewer" if count else "choose a file with at least one",
        )


def same_name() -> InputError:
    """The error for a file that holds two matrices by one name."""
    return InputError("The file has two matrices of one name", "each needs its own", "rename one")


@contextmanager
def in_array(name: str) -> Iterator[None]:
    """Name the array of a file that an error is about."""
    try:
        yield
    except InputError as error:
        if not name:
            raise
        raise InputError(f"'{shorten(name)}': {error.value}", error.limit, error.remedy) from error


def _place(cell: Sequence[int]) -> str:
    """Where a cell is: "row 2, column 3"."""
    axes = _AXES[len(_AXES) - len(cell) :]
    return ", ".join(f"{axis} {index + 1}" for (axis, _), index in zip(axes, cell, strict=True))


def _fits(given: Sequence[int], wanted: Sequence[int | None]) -> bool:
    return len(given) == len(wanted) and all(
        n > 0 if wish is None else n == wish for n, wish in zip(given, wanted, strict=True)
    )


def _resizing(given: Sequence[int], wanted: Sequence[int | None]) -> str:
    """What to do with a matrix to give it the wanted shape: "add 5 rows and remove 1 column"."""
    if len(given) != len(wanted):
        axes = ", ".join(plural for _, plural in _AXES[len(_AXES) - len(wanted) :])
        return f"give it {len(wanted)} {'axis' if len(wanted) == 1 else 'axes'} ({axes})"
    changes = []
    for axis, (n, wish) in enumerate(zip(given, wanted, strict=True), start=-len(given)):
        missing = (1 if wish is None else wish) - n
        if missing > 0:
            changes.append(f"add {count_text(missing, axis)}")
        elif missing < 0 and wish is not None:
            changes.append(f"remove {count_text(-missing, axis)}")
    return " and ".join(changes)
