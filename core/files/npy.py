"""NumPy's own files, .npy and .npz, from strangers.

Nothing is unpickled. The sizes that a zip directory and an array's header declare are checked
before the data are unpacked, and never is more unpacked than they declare.
"""

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import NamedTuple, Protocol, runtime_checkable
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from core.errors import input_error
from core.files.matrices import (
    MAX_MATRICES,
    MAX_SIDE,
    GivenArrays,
    NumberRange,
    check_array_count,
    check_real,
    checked_floats,
    in_array,
    same_name,
)
from core.program.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_HEADER_BYTES = 1_000
"""NumPy writes 118 for a matrix, and evaluates what it reads here as a Python literal."""
_MAX_SHAPE = (MAX_MATRICES, MAX_SIDE, MAX_SIDE)
_MAX_MEMBER_BYTES = 16 * math.prod(_MAX_SHAPE) + MAX_HEADER_BYTES + 12  # 12: magic and length
_MAX_UNPACKED_BYTES = 32 * _MAX_MEMBER_BYTES
"""Of all arrays of a file together."""
_ZIP_ENTRY = b"PK\x01\x02"


@runtime_checkable
class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


def read_npy(data: bytes) -> GivenArrays:
    """The one array of an .npy, which has no name."""
    stream = BytesIO(data)
    return {"": _npy_array(stream, _npy_header(stream))}


def read_npz(data: bytes, wanted: Collection[str] | None = None) -> GivenArrays:
    """The arrays of an .npz by their names, without text; if some are wanted, only those."""
    check_array_count(max(1, data.count(_ZIP_ENTRY)))  # before zipfile makes an object of each
    with _undamaged():
        archive = ZipFile(BytesIO(data))
    check_array_count(len(archive.infolist()))
    arrays: GivenArrays = {}
    unpacked = 0
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if wanted is not None and name not in wanted:
            continue
        with in_array(name):
            unpacked += member.file_size
            _check_member(member, arrays, unpacked)
            with _undamaged():
                stream = archive.open(member)
            header = _npy_header(stream)
            if header.dtype.kind != "U":  # our own files have their tokens as text
                arrays[name] = _npy_array(stream, header)
    check_array_count(len(arrays) if wanted is None else 1)
    return arrays


class _Header(NamedTuple):
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype


def _npy_array(stream: _Readable, header: _Header) -> np.ndarray:
    """The array after a header, which is read only as far as the header has been checked."""
    shape, fortran, dtype = header
    _check_dtype(dtype)
    _check_shape(shape)
    size = math.prod(shape) * dtype.itemsize
    with _undamaged():
        data = stream.read(size + 1)
    if len(data) != size:
        more, needed = len(data) > size, f"{size:,}"
        raise input_error(TEXTS, "data_size", more=more, shape=shape_text(shape), bytes=needed)
    is_mask = dtype.kind == "b"  # whose bytes, if damaged, may be neither 0 nor 1
    cells = np.frombuffer(data, np.uint8) != 0 if is_mask else np.frombuffer(data, dtype)
    array = np.atleast_2d(cells.reshape(shape[::-1]).T if fortran else cells.reshape(shape))
    return array if is_mask else checked_floats(array, TEXTS("the_array"), NumberRange.OR_HIDDEN)


def _npy_header(stream: _Readable) -> _Header:
    """Shape, whether in Fortran's order, and type. Version 3 is for records, which are refused."""
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    with _undamaged():
        version = np.lib.format.read_magic(stream)
        shape, fortran, dtype = readers[version](stream, max_header_size=MAX_HEADER_BYTES)
        return _Header(tuple(map(int, shape)), fortran, dtype)  # numpy takes (True, 2) as a shape


def _check_dtype(dtype: np.dtype) -> None:
    if dtype.hasobject:
        raise input_error(TEXTS, "objects")
    check_real(dtype, TEXTS("this_array"))


def _check_shape(shape: tuple[int, ...]) -> None:
    most = _MAX_SHAPE[-len(shape) :]
    if len(most) != len(shape) or not all(0 < n <= m for n, m in zip(shape, most, strict=True)):
        raise input_error(
            TEXTS, "array_shape", shape=shape_text(shape), most=shape_text(_MAX_SHAPE)
        )


def _check_member(member: ZipInfo, arrays: GivenArrays, unpacked: int) -> None:
    """Raise `InputError` for what is not an array, and for sizes that no array here can need."""
    if not member.filename.endswith(".npy"):
        raise input_error(TEXTS, "no_array")
    if member.filename.removesuffix(".npy") in arrays:
        raise same_name()
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):  # zipfile unpacks others unbounded
        raise input_error(TEXTS, "compression")
    if unpacked > _MAX_UNPACKED_BYTES:
        most = f"{_MAX_UNPACKED_BYTES:,}"
        raise input_error(TEXTS, "all_unpacked", bytes=f"{unpacked:,}", most=most)
    if member.file_size > _MAX_MEMBER_BYTES:
        size, most = f"{member.file_size:,}", f"{_MAX_MEMBER_BYTES:,}"
        raise input_error(TEXTS, "unpacked", bytes=size, most=most)


@contextmanager
def _undamaged() -> Iterator[None]:
    """For calls of numpy and zipfile, which do not say all that bad bytes can make them raise."""
    try:
        yield
    except Exception as error:
        raise input_error(TEXTS, "damaged") from error
