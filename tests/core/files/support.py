"""What the tests of files share: some arrays, and how reading ends."""

from collections.abc import Callable
from io import BytesIO
from time import process_time
from typing import Any

import numpy as np

from core.errors import InputError
from core.files import matrices, uploads
from core.limits import LARGEST
from tests.core.support import refuses

MATRIX = np.array([[0.1, -2.5, 3e-7, 4, 5], [6, 7, 8, 9, 10], [1 / 3, -0.0, 1e6, -1e6, 0.7]])
STACK = np.arange(30.0).reshape(2, 3, 5)
MASK = np.tri(5, 7, dtype=bool)
WANTED = ("X", "W_Q", "W_K", "W_V", "W_O", "pinned.Q", "mask")


def saved(save: Callable[..., object], *arrays: Any, **named: Any) -> bytes:
    """What a function writes that takes a file and arrays."""
    stream = BytesIO()
    save(stream, *arrays, **named)
    return stream.getvalue()


def assert_reads_as(name: str, data: bytes, wanted: dict[str, np.ndarray]) -> None:
    read = uploads.read_matrix_file(name, data)
    assert read.keys() == wanted.keys()
    for key, array in wanted.items():
        np.testing.assert_array_equal(read[key], array, strict=True)


def refusal_of(read: Callable[..., object], *given: Any, **how: Any) -> str:
    return str(refuses("", read, *given, **how))


def file_refusal(name: str, data: bytes, **how: Any) -> str:
    return refusal_of(uploads.read_matrix_file, name, data, **how)


def read_or_refused(read: Callable[..., Any], *given: Any) -> dict[str, np.ndarray] | None:
    """What is read, within a second and within the limits; None for a refusal.

    Where arrays are read by their names, −∞ is a hidden cell.
    """
    started = process_time()
    try:
        found = read(*given)
    except InputError:
        return None
    finally:
        assert process_time() - started < 1
    named = {"": found} if isinstance(found, np.ndarray) else found
    arrays = {name: getattr(one, "array", one) for name, one in named.items()}
    assert 1 <= len(arrays) <= matrices.MAX_ARRAYS
    for array in arrays.values():
        assert array.dtype in (np.float64, np.bool_)
        assert array.ndim in (2, 3)
        assert array.size > 0
        numbers = array.astype(float)
        assert np.all(np.isneginf(numbers) & (named is found) | (np.abs(numbers) <= LARGEST))
    return arrays
