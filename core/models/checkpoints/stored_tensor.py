"""One tensor of a checkpoint: where its bytes are, and its numbers when they are asked for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np

from core.errors import input_error
from core.files.tensors import widened_bfloat16
from core.models.checkpoints.config import printable
from core.models.opened_files import FileState, file_state, open_regular
from core.program.numbers.display import shape_text
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

BFLOAT16 = "BF16"
FLOATS: Mapping[str, str] = MappingProxyType(
    {"F64": "<f8", "F32": "<f4", "F16": "<f2", BFLOAT16: "<u2"}
)
"""NumPy's types of what is stored as it is; other kinds are GGUF's, of a few bits a number."""


BLOCK_KINDS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")
"""GGUF's kinds of a few bits a number, in blocks."""


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
        raise input_error(
            TEXTS,
            "tensor_shape",
            name=printable(tensor.name),
            shape=printable(shape_text(tensor.shape)),
            wanted=shape_text(wanted),
        )


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
