"""NumPy's own files, .npy and .npz, from strangers.

Nothing is unpickled. The sizes that a zip directory and an array's header declare are checked
before the data are unpacked, and never is more unpacked than they declare.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from core.errors import check_most, input_error
from core.files import matrices
from core.limits import LONGEST_TOKEN
from core.program.numbers.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_HEADER_BYTES = 1_000
"""NumPy writes 118 for a matrix, and evaluates what it reads here as a Python literal."""
_MAGIC_AND_LENGTH = 12
_MAX_MEMBER_BYTES = 16 * math.prod(matrices.MAX_SHAPE) + MAX_HEADER_BYTES + _MAGIC_AND_LENGTH
_UNNAMED = "arr_0"
_ZIP_ENTRY = b"PK\x01\x02"


def read_npy(data: bytes) -> matrices.StoredArrays:
    """The one array of an .npy, which has no name."""
    return {"": lambda: _npy_array("", BytesIO(data))}


def read_npz(data: bytes) -> matrices.StoredArrays:
    """The arrays of an .npz by their names, each unpacked when it is called for.

    NumPy's name for one that was saved without a name is no name, if it is the only one.
    """
    count = data.count(_ZIP_ENTRY)  # before zipfile reads them
    matrices.check_array_count(max(1, count), matrices.MAX_STORED)
    with _undamaged():
        archive = ZipFile(BytesIO(data))
    members: dict[str, ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        with matrices.in_array(name):
            if name in members:
                raise matrices.same_name()
        members[name] = member
    if set(members) == {_UNNAMED}:
        members = {"": members[_UNNAMED]}
    return {name: partial(_member, archive, name, member) for name, member in members.items()}


def _member(archive: ZipFile, name: str, member: ZipInfo) -> np.ndarray:
    """One array of an archive. Raises `InputError` for a size that no array here can need."""
    if not member.filename.endswith(".npy"):
        raise input_error(TEXTS, "no_array")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):  # zipfile unpacks others unbounded
        raise input_error(TEXTS, "compression")
    check_most(TEXTS, "unpacked", "bytes", member.file_size, _MAX_MEMBER_BYTES)
    with _undamaged():
        stream = archive.open(member)
    return _npy_array(name, stream)


def _npy_array(name: str, stream: IO[bytes]) -> np.ndarray:
    """The array of an .npy stream, which is read only as far as its header has been checked."""
    shape, fortran, dtype = _npy_header(stream)
    if not are_tokens(shape, dtype):
        if dtype.hasobject:
            raise input_error(TEXTS, "objects")
        matrices.check_real(dtype, TEXTS("this_array"))
        matrices.check_stored_shape(name, shape)
    size = math.prod(shape) * dtype.itemsize
    with _undamaged():
        data = stream.read(size + 1)
    if len(data) != size:
        more, needed = len(data) > size, f"{size:,}"
        raise input_error(TEXTS, "data_size", more=more, shape=shape_text(shape), bytes=needed)
    if dtype.kind == "U":
        return np.frombuffer(data, dtype)
    return matrices.matrix_of_bytes(data, dtype, shape, fortran)


def _npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether in Fortran's order, and type. Version 3 is for records, which are refused."""
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    with _undamaged():
        version = np.lib.format.read_magic(stream)
        shape, fortran, dtype = readers[version](stream, max_header_size=MAX_HEADER_BYTES)
        return tuple(map(int, shape)), fortran, dtype  # numpy takes (True, 2) as a shape


def are_tokens(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    """Return whether text in a file is a list of tokens, none of them long."""
    longest = dtype.itemsize // np.dtype("U1").itemsize
    is_list = len(shape) == 1 and 1 <= shape[0] <= matrices.MAX_SIDE
    return dtype.kind == "U" and is_list and longest <= LONGEST_TOKEN


@contextmanager
def _undamaged() -> Iterator[None]:
    """For calls of numpy and zipfile, which do not say all that bad bytes can make them raise."""
    try:
        yield
    except Exception as error:
        raise input_error(TEXTS, "damaged") from error
