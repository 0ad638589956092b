"""The arrays of a safetensors file, on disk or in memory, each read when it is asked for.

The library checks that what the header declares is what the data are, byte for byte.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import deserialize, safe_open

from core.errors import InputError, input_error
from core.files.tensors import check_header_length
from core.models.checkpoints.config import printable
from core.models.file_states import are_unchanged, file_states
from core.models.regular_file import open_regular
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("recordings")

MOST_HEADER = 4_000_000
_LENGTH_BYTES = 8
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "?"}


@dataclass(frozen=True, eq=False)
class StoredArray:
    """An array that is in a file: its shape, its kind (F32, BOOL), and its numbers when asked."""

    file: str
    shape: Shape
    kind: str
    _read: Callable[[int | None], np.ndarray]
    _is_current: Callable[[], bool]

    @property
    def dtype(self) -> np.dtype:
        """What it is in numpy. Raises `InputError` if that has no such type."""
        if self.kind not in _DTYPES:
            raise damaged(self.file)
        return np.dtype(_DTYPES[self.kind])

    def __getitem__(self, item: int) -> np.ndarray:
        """Read one item of the first axis. Raises `InputError` if the file has changed."""
        return self._numbers(item)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Read it whole. Raises `InputError` if the file has changed."""
        return self._numbers(None).astype(dtype or self.dtype, copy=False)

    def _numbers(self, item: int | None) -> np.ndarray:
        try:
            found = self._read(item)
        except Exception as error:  # the library does not say all that it can raise
            raise (damaged if self._is_current() else _changed)(self.file) from error
        if not self._is_current():
            raise _changed(self.file)
        return found


class ArrayFile(NamedTuple):
    """What a file's header says beside its arrays, and the arrays by their names."""

    header: Mapping[str, str]
    arrays: Mapping[str, StoredArray]
    is_current: Callable[[], bool]
    """Whether the file is still the one that was opened."""


def arrays_in_file(path: Path) -> ArrayFile:
    """Return the arrays of a file. Raises `InputError` for its header's length, and whatever the
    library raises for bad bytes.
    """
    states = file_states([path])
    header_of_file(path)
    with safe_open(path, framework="numpy") as file:
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        header = file.metadata() or {}
        kinds = {name: (tuple(part.get_shape()), part.get_dtype()) for name, part in parts.items()}

    file_name = printable(path.name)

    def is_current() -> bool:
        return are_unchanged(states)

    def reader(name: str) -> Callable[[int | None], np.ndarray]:
        def read(item: int | None) -> np.ndarray:
            with safe_open(path, framework="numpy") as file:
                array: np.ndarray = file.get_slice(name)[... if item is None else item]
            return array

        return read

    arrays = {
        name: StoredArray(file_name, *kind, reader(name), is_current)
        for name, kind in kinds.items()
    }
    return ArrayFile(header, arrays, is_current)


def arrays_in_bytes(data: bytes, name: str) -> ArrayFile:
    """Return the arrays of a file's bytes. Raises as `arrays_in_file` does."""
    check_header_length(data[:_LENGTH_BYTES], len(data), MOST_HEADER)
    checked = {key: (tuple(one["shape"]), str(one["dtype"])) for key, one in deserialize(data)}
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    said = json.loads(data[_LENGTH_BYTES:start])

    def reader(key: str) -> Callable[[int | None], np.ndarray]:
        def read(item: int | None) -> np.ndarray:
            shape, kind = checked[key]
            begin, end = said[key]["data_offsets"]  # in the bytes themselves: copies add up
            part = memoryview(data)[start + begin : start + end]
            whole = np.frombuffer(part, _DTYPES[kind]).reshape(shape)
            return whole if item is None else whole[item]

        return read

    arrays = {
        key: StoredArray(printable(name), *shape_and_kind, reader(key), _always)
        for key, shape_and_kind in checked.items()
    }
    return ArrayFile(said.get("__metadata__") or {}, arrays, _always)


def header_of_file(path: Path) -> bytes:
    """Return the header of a file as it is. Raises `InputError` for its length, and `OSError`."""
    with open_regular(path) as file:
        beginning = file.read(_LENGTH_BYTES)
        check_header_length(beginning, os.fstat(file.fileno()).st_size, MOST_HEADER)
        return file.read(int.from_bytes(beginning, "little"))


def damaged(file: str) -> InputError:
    """Return what is said of a file that cannot be read as a recording."""
    return input_error(TEXTS, "damaged", file=file)


def _changed(file: str) -> InputError:
    return input_error(TEXTS, "changed", file=file)


def _always() -> bool:
    """Bytes in memory do not change."""
    return True
