"""Files of safetensors from strangers: names, shapes and numbers, and nothing that could run.

The library checks that the sizes a header declares are those of the data, byte for byte; how long
the header may be, and how large the arrays that are read, is checked here.
"""

import json
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from safetensors import SafetensorError, deserialize

from core.errors import check_most, input_error
from core.files import matrices
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_TENSORS_HEADER = 200_000
"""Bytes: some 200 for each array are usual."""
_LENGTH_BYTES = 8
METADATA = "__metadata__"
_BFLOAT16 = "BF16"
_DTYPES: Mapping[str, str] = {
    **{f"F{bits}": f"<f{bits // 8}" for bits in (64, 32, 16)},
    **{f"I{bits}": f"<i{bits // 8}" for bits in (64, 32, 16, 8)},
    **{f"U{bits}": f"<u{bits // 8}" for bits in (64, 32, 16, 8)},
    _BFLOAT16: "<u2",
    "BOOL": "?",
}
"""NumPy's types of what can be read. NumPy has no bfloat16, the upper half of a float32."""


def read_safetensors(data: bytes) -> matrices.StoredArrays:
    """The arrays of a safetensors file by their names. Raises `InputError` for a damaged one."""
    check_header_length(data[:_LENGTH_BYTES], len(data), MAX_TENSORS_HEADER)
    try:
        stored = deserialize(data)
    except SafetensorError as error:
        raise input_error(TEXTS, "damaged_tensors") from error
    matrices.check_array_count(len(stored), matrices.MAX_STORED)
    return {name: partial(_tensor, name, tensor) for name, tensor in stored}


def check_header_length(beginning: bytes, size: int, most: int) -> None:
    """Raise `InputError` unless a file of this size can have the header that it begins with.

    `beginning` is its first eight bytes, `most` how many bytes a header may have.
    """
    if not holds_header(beginning, size):
        raise input_error(TEXTS, "damaged_tensors")
    check_most(TEXTS, "long_header", "bytes", int.from_bytes(beginning, "little"), most)


def holds_header(beginning: bytes, size: int) -> bool:
    """Return whether a file of this size has room for the header that its beginning declares."""
    return _LENGTH_BYTES + int.from_bytes(beginning, "little") <= size


def header_said(header: bytes, size: int) -> dict[str, Any]:
    """Return what a header says if its arrays fill a file's other `size` bytes, as the library
    asks. Raises `ValueError` or `RecursionError`.

    The library maps a file into memory, and a server ends if another program then shortens it.
    """
    text = header.decode()
    said = json.loads(text)
    if not (text.startswith("{") and isinstance(said, dict)):
        raise ValueError("no object")
    told = said.get(METADATA) or {}
    if not (isinstance(told, dict) and all(isinstance(one, str) for one in told.values())):
        raise ValueError("no texts")
    end = 0
    try:
        arrays = [one for name, one in said.items() if name != METADATA and name.encode()]
        for one in sorted(arrays, key=lambda one: (*one["data_offsets"],)):
            end = _end_of(one["dtype"], one["shape"], one["data_offsets"], end)
    except (KeyError, TypeError) as error:
        raise ValueError("no array") from error
    if end != size:
        raise ValueError("another size")
    return said


def _end_of(dtype: str, shape: list[int], place: list[int], begins: int) -> int:
    """Where an array ends that begins there. Raises `ValueError`, also if its shape fills less."""
    first, last = place
    if not all(type(number) is int and number >= 0 for number in (*shape, *place)):
        raise ValueError("no size")
    known = np.dtype(_DTYPES[dtype]).itemsize if dtype in _DTYPES else None
    if first != begins or (known and last - first != math.prod(shape) * known):
        raise ValueError("another size")
    return last


def _tensor(name: str, tensor: Mapping[str, Any]) -> np.ndarray:
    """One array. Raises `InputError` for its shape, its type and its numbers."""
    dtype, shape, data = tensor["dtype"], tuple(tensor["shape"]), tensor["data"]
    if dtype not in _DTYPES:
        name, kind = TEXTS("this_array"), matrices.shorten(dtype)
        raise input_error(TEXTS, "not_real", name=name, type=kind)
    matrices.check_stored_shape(name, shape)
    if dtype == _BFLOAT16:
        data = widened_bfloat16(np.frombuffer(data, _DTYPES[dtype])).tobytes()
        return matrices.matrix_of_bytes(data, np.dtype("<f4"), shape)
    return matrices.matrix_of_bytes(data, np.dtype(_DTYPES[dtype]), shape)


def widened_bfloat16(upper: np.ndarray) -> np.ndarray:
    """Return bfloat16 numbers, given as their 16 bits, as float32: the same numbers exactly."""
    return (upper.astype("<u4") << 16).view("<f4")
