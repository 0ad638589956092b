"""The arrays of a safetensors file, in a file or in memory, each read when it is asked for.

The library checks that what the header declares is what the data are, byte for byte.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import deserialize, safe_open

from core.files.tensors import check_header_length
from core.models.regular_file import open_regular
from core.program.patterns import Shape

MOST_HEADER = 4_000_000
_LENGTH_BYTES = 8
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "?"}


@dataclass(frozen=True, eq=False)
class ArrayFile:
    """What a file's header says, the shapes and kinds (F32, BOOL) of its arrays, and how to read
    one. Reading raises whatever the library raises for a file that has changed.
    """

    header: Mapping[str, str]
    shapes: Mapping[str, Shape]
    kinds: Mapping[str, str]
    read: Callable[[str], np.ndarray]


def arrays_in_file(path: Path) -> ArrayFile:
    """Return the arrays of a file. Raises `InputError` for its header's length, and whatever the
    library raises for bad bytes.
    """
    header_of_file(path)
    with safe_open(path, framework="numpy") as file:
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        header = file.metadata() or {}
        shapes = {name: tuple(part.get_shape()) for name, part in parts.items()}
        kinds = {name: part.get_dtype() for name, part in parts.items()}

    def read(name: str) -> np.ndarray:
        with safe_open(path, framework="numpy") as file:
            array: np.ndarray = file.get_tensor(name)
        return array

    return ArrayFile(header, shapes, kinds, read)


def header_of_file(path: Path) -> bytes:
    """Return the header of a file as it is. Raises `InputError` for its length, and `OSError`."""
    with open_regular(path) as file:
        beginning = file.read(_LENGTH_BYTES)
        check_header_length(beginning, os.fstat(file.fileno()).st_size, MOST_HEADER)
        return file.read(int.from_bytes(beginning, "little"))


def arrays_in_bytes(data: bytes) -> ArrayFile:
    """Return the arrays of a file's bytes. Raises as `arrays_in_file` does."""
    check_header_length(data[:_LENGTH_BYTES], len(data), MOST_HEADER)
    said = dict(deserialize(data))
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    header = json.loads(data[_LENGTH_BYTES : _LENGTH_BYTES + length]).get("__metadata__") or {}
    shapes = {name: tuple(tensor["shape"]) for name, tensor in said.items()}
    kinds = {name: str(tensor["dtype"]) for name, tensor in said.items()}

    def read(name: str) -> np.ndarray:
        return np.frombuffer(said[name]["data"], _DTYPES[kinds[name]]).reshape(shapes[name])

    return ArrayFile(header, shapes, kinds, read)
