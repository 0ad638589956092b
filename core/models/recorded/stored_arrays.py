"""The arrays of a safetensors file, on disk or in memory, each read when it is asked for.

What the header declares must be what the data are, byte for byte.
"""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.errors import InputError, input_error
from core.files import tensors
from core.models.checkpoints.config import printable
from core.models.opened_files import are_unchanged, file_states, open_regular
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("recordings")

MOST_HEADER = 4_000_000
_LENGTH_BYTES = 8
_BFLOAT16 = "BF16"
_STORED = {"F64": "<f8", "F32": "<f4", "F16": "<f2", _BFLOAT16: "<u2", "BOOL": "?"}
"""NumPy's types of what is stored; it has no bfloat16, which is read as float32."""
_Opener = Callable[[], BufferedIOBase]
"""Opens the file that the arrays are in, or its bytes."""


@dataclass(frozen=True, eq=False)
class StoredArray:
    """An array that is in a file: its shape, its kind (F32, BOOL), and its numbers when asked."""

    file: str
    shape: Shape
    kind: str
    _offset: int
    _opens: _Opener
    _is_current: Callable[[], bool]

    @property
    def dtype(self) -> np.dtype:
        """What it is in numpy. Raises `InputError` if that has no such type."""
        return np.dtype("<f4") if self.kind == _BFLOAT16 else self._stored_type

    @property
    def precision(self) -> str:
        """The type of its numbers, as PyTorch calls it. Raises `InputError` as `dtype` does."""
        return "bfloat16" if self.kind == _BFLOAT16 else str(self.dtype)

    def __getitem__(self, item: int) -> np.ndarray:
        """Read one item of the first axis. Raises `InputError` if the file has changed."""
        return self._numbers(item)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Read it whole. Raises `InputError` if the file has changed."""
        return self._numbers(None).astype(dtype or self.dtype, copy=False)

    @property
    def _stored_type(self) -> np.dtype:
        if self.kind not in _STORED:
            given, known = printable(self.kind), ", ".join(_STORED)
            raise input_error(TEXTS, "other_kind", file=self.file, kind=given, known=known)
        return np.dtype(_STORED[self.kind])

    def _numbers(self, item: int | None) -> np.ndarray:
        kind, shape, offset = self._stored_type, self.shape, self._offset
        try:
            if item is not None:
                shape = shape[1:]
                offset += range(self.shape[0])[item] * math.prod(shape) * kind.itemsize
            with self._opens() as file:
                file.seek(offset)
                data = file.read(math.prod(shape) * kind.itemsize)
            stored = np.frombuffer(data, kind).reshape(shape)
        except Exception as error:  # a file that is cut off or gone, an item that is not there
            raise (damaged if self._is_current() else _changed)(self.file) from error
        if not self._is_current():
            raise _changed(self.file)
        return tensors.widened_bfloat16(stored) if self.kind == _BFLOAT16 else stored


class ArrayFile(NamedTuple):
    """What a file's header says beside its arrays, and the arrays by their names."""

    header: Mapping[str, str]
    arrays: Mapping[str, StoredArray]
    is_current: Callable[[], bool]
    """Whether the file is still the one that was opened."""


def arrays_in_file(path: Path) -> ArrayFile:
    """Return the arrays of a file. Raises `InputError` for its header's length, and `ValueError`,
    `RecursionError` or `OSError` for bad bytes.
    """
    states = file_states([path])
    name, opened = printable(path.name), partial(open_regular, path)
    return _array_file(name, opened, lambda: are_unchanged(states))


def arrays_in_bytes(data: bytes, name: str) -> ArrayFile:
    """Return the arrays of a file's bytes. Raises as `arrays_in_file` does."""
    return _array_file(printable(name), lambda: BytesIO(data), lambda: True)


def _array_file(name: str, opens: _Opener, is_current: Callable[[], bool]) -> ArrayFile:
    with opens() as file:
        header = _header_of(file, name)
        start = file.tell()
        said = tensors.header_said(header, file.seek(0, os.SEEK_END) - start)
    texts = said.pop(tensors.METADATA, None) or {}

    def array(shape: list[int], dtype: str, data_offsets: list[int]) -> StoredArray:
        return StoredArray(name, tuple(shape), dtype, start + data_offsets[0], opens, is_current)

    arrays = {key: array(**facts) for key, facts in said.items()}
    return ArrayFile(texts, arrays, is_current)


def header_of_file(path: Path) -> bytes:
    """Return the header of a file as it is. Raises `InputError` for its length, and `OSError`."""
    with open_regular(path) as file:
        return _header_of(file, printable(path.name))


def _header_of(file: BufferedIOBase, name: str) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    beginning = file.read(_LENGTH_BYTES)
    if not tensors.holds_header(beginning, size):
        raise no_recording(name)
    tensors.check_header_length(beginning, size, MOST_HEADER)
    return file.read(int.from_bytes(beginning, "little"))


def no_recording(file: str) -> InputError:
    """Return what is said of a file that is of another kind."""
    return input_error(TEXTS, "no_recording", file=file)


def damaged(file: str) -> InputError:
    """Return what is said of a file that cannot be read as a recording."""
    return input_error(TEXTS, "damaged", file=file)


def _changed(file: str) -> InputError:
    return input_error(TEXTS, "changed", file=file)
