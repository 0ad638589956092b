"""One tensor of a checkpoint: where its bytes are, and its numbers when they are asked for.

Where the tensors of safetensors files are stands in headers. How long a header may be is checked
before it is read.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import InputError, check_most, input_error
from core.files.tensors import METADATA, header_said, widened_bfloat16
from core.models.checkpoints.config import printable, read_json_object
from core.models.opened_files import FileState, file_state, open_regular
from core.program.numbers.display import shape_text
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

BFLOAT16 = "BF16"
FLOATS: Mapping[str, str] = {"F64": "<f8", "F32": "<f4", "F16": "<f2", BFLOAT16: "<u2"}
"""NumPy's types of what is stored as it is; other kinds are GGUF's, of a few bits a number."""
BLOCK_KINDS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")
"""GGUF's kinds of a few bits a number, in blocks."""
WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
MOST_HEADER_BYTES = 400_000
"""Of all files of a model together: some 100 bytes for each tensor are usual."""
MOST_INDEX_BYTES = 1_000_000
MOST_SHARDS = 64
_LENGTH_BYTES = 8
_SHARD_NAME = re.compile(r"[\w-][\w.-]*\.safetensors", re.ASCII)


@dataclass(frozen=True)
class StoredTensor:
    """A tensor in a file, from a byte on: row by row, of a kind such as F16 or Q4_1."""

    name: str
    path: Path
    state: FileState
    """Of the file when its header was read."""
    offset: int
    kind: str
    shape: tuple[int, ...]
    byte_count: int

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    def numbers(self) -> np.ndarray:
        """Read the tensor: float64 if it is stored so, else float32.

        Raises `InputError` if the file has changed or a number is not finite.
        """
        kind = FLOATS.get(self.kind, "u1")
        count = self.byte_count // np.dtype(kind).itemsize
        name = printable(self.path.name)
        try:
            with open_regular(self.path) as file:
                stored = np.fromfile(file, kind, count, offset=self.offset)
                state = file_state(file.fileno())
        except OSError as error:
            raise input_error(TEXTS, "changed", file=name) from error
        if state != self.state:
            raise input_error(TEXTS, "changed", file=name)
        if len(stored) < count:
            raise input_error(TEXTS, "damaged", file=name)
        found = self._as_floats(stored).reshape(self.shape)
        if not np.isfinite(found).all():
            raise input_error(TEXTS, "not_finite", name=printable(self.name))
        return found

    def _as_floats(self, stored: np.ndarray) -> np.ndarray:
        if self.kind == BFLOAT16:
            return widened_bfloat16(stored)
        if self.kind in FLOATS:
            return stored.astype(np.float64 if self.kind == "F64" else np.float32, copy=False)
        return _dequantised(self, stored)


def check_tensor(tensor: StoredTensor, wanted: Shape) -> None:
    """Raise `InputError` unless a tensor has this shape, and numbers that are no integers."""
    if tensor.kind not in FLOATS and tensor.kind not in BLOCK_KINDS:
        raise input_error(TEXTS, "unknown_kind", kind=printable(tensor.kind))
    if tensor.shape != wanted:
        name, shape = printable(tensor.name), printable(shape_text(tensor.shape))
        raise input_error(TEXTS, "tensor_shape", name=name, shape=shape, wanted=shape_text(wanted))


def stored_bytes(kind: str, shape: Shape) -> int:
    """Return how many bytes the numbers of a tensor take. Raises `ValueError` if a row of a kind of
    few bits does not fill its blocks.

    Raises `InputError` if the package that knows is not installed, or knows no such kind.
    """
    size = math.prod(shape)
    if kind in FLOATS:
        return size * np.dtype(FLOATS[kind]).itemsize
    if find_spec("gguf") is None:
        raise input_error(TEXTS, "no_gguf", kind=kind)
    constants = import_module("gguf.constants")
    known = constants.GGMLQuantizationType.__members__
    if kind not in known:
        raise input_error(TEXTS, "unknown_kind", kind=kind)
    block, bytes_of_block = constants.GGML_QUANT_SIZES[known[kind]]
    if shape[-1] % block:
        raise ValueError(shape)
    return size // int(block) * int(bytes_of_block)


def _dequantised(tensor: StoredTensor, stored: np.ndarray) -> np.ndarray:
    """The numbers of blocks of few bits, as float32, by the package `gguf`."""
    gguf = import_module("gguf")
    rows = stored.reshape(*tensor.shape[:-1], -1)
    try:
        found: np.ndarray = gguf.dequantize(rows, gguf.GGMLQuantizationType[tensor.kind])
    except NotImplementedError as error:
        raise input_error(TEXTS, "unknown_kind", kind=tensor.kind) from error
    return found


def tensors_of_folder(folder: Path) -> dict[str, StoredTensor]:
    """Return the tensors of a folder's safetensors files by their names.

    One file, or those that the index names. Raises `InputError`, also if the folder has only
    pickles, which are never opened.
    """
    if os.path.isfile(folder / INDEX):
        return _sharded(folder)
    if os.path.isfile(folder / WHOLE):
        return stored_tensors(folder / WHOLE)
    if pickles := sorted(p.name for kind in ("bin", "pt", "pth") for p in folder.glob(f"*.{kind}")):
        raise input_error(TEXTS, "pickle", file=printable(pickles[0]))
    raise input_error(TEXTS, "no_weights", folder=printable(folder.name), file=WHOLE)


def stored_tensors(path: Path, before: int = 0) -> dict[str, StoredTensor]:
    """Return the tensors of a safetensors file by their names. Raises `InputError`.

    `before` is how many bytes the headers of other files of the model have.
    """
    try:
        with open_regular(path) as file:
            state = file_state(file.fileno())
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            all_bytes, name = before + length, printable(path.name)
            check_most(TEXTS, "long_header", "bytes", all_bytes, MOST_HEADER_BYTES, file=name)
            start = _LENGTH_BYTES + length
            header = header_said(file.read(length), state.size - start)
        header.pop(METADATA, None)
        return {name: _stored(path, state, start, name, said) for name, said in header.items()}
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise input_error(TEXTS, "damaged", file=printable(path.name)) from error


def _stored(
    path: Path, state: FileState, start: int, name: str, said: dict[str, Any]
) -> StoredTensor:
    first, end = said["data_offsets"]
    shape = tuple(int(size) for size in said["shape"])
    return StoredTensor(name, path, state, start + first, str(said["dtype"]), shape, end - first)


def _sharded(folder: Path) -> dict[str, StoredTensor]:
    """The tensors of several files, each where the index says that it is."""
    places = read_json_object(folder / INDEX, MOST_INDEX_BYTES).get("weight_map")
    if not isinstance(places, dict):
        raise input_error(TEXTS, "no_json", file=INDEX)
    files = sorted({str(place) for place in places.values()})
    if len(files) > MOST_SHARDS:
        raise input_error(TEXTS, "many_shards", files=len(files), most=MOST_SHARDS)
    shards, header_bytes = {}, 0
    for file in files:
        if not _SHARD_NAME.fullmatch(file):  # no path out of the folder
            raise input_error(TEXTS, "shard_name", file=printable(file))
        if not os.path.isfile(folder / file):
            raise input_error(TEXTS, "no_shard", file=printable(file))
        shards[file] = stored_tensors(folder / file, header_bytes)
        header_bytes += min((tensor.offset for tensor in shards[file].values()), default=0)
    found = {}
    for name, place in places.items():
        if name not in shards[str(place)]:
            raise input_error(TEXTS, "no_tensor", name=printable(name), file=printable(place))
        found[name] = shards[str(place)][name]
    return found
