"""The header of a GGUF file: its settings, and where its tensors are.

Read here and not by the package `gguf`, whose reader takes seconds, and loops where a stranger's
file declares an endless list. The format: github.com/ggml-org/ggml, docs/gguf.md, versions 2 and 3.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import InputError, input_error
from core.models.checkpoints.config import printable
from core.models.checkpoints.stored_tensor import BLOCK_KINDS, StoredTensor, stored_bytes
from core.models.opened_files import FileState, file_state, open_regular
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_MAGIC, _VERSIONS = b"GGUF", (2, 3)
_SCALARS: Mapping[int, str] = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
"""Types of settings by their numbers, as `struct` writes them."""
_TEXT, _LIST = 8, 9
_NUMBERS_OF_BLOCKS = (2, 3, 6, 7, 8, 10, 11, 12, 13, 14)
_KINDS: Mapping[int, str] = {0: "F32", 1: "F16", 28: "F64", 30: "BF16"} | dict(
    zip(_NUMBERS_OF_BLOCKS, BLOCK_KINDS, strict=True)
)
"""Kinds of tensors by their numbers."""
_MOST_ENTRIES = 2_000
"""Settings of a file, and tensors: the largest model that is read has 128 layers of 12."""
_MOST_LISTED = 600_000
"""Entries of all lists together: a vocabulary of 128,000 has 540,000, with its types and merges."""
_MOST_TEXT = 200_000
_MOST_HEADER = 16_000_000
"""Bytes before the first tensor: 8 million for a vocabulary of 128,000. They are read and not
mapped into memory: a server ends if another program shortens a file that is mapped.
"""
_LENGTH = struct.Struct("<Q")
_ALIGNMENT, _MOST_ALIGNMENT = 32, 65_536


class GGUFHeader(NamedTuple):
    """The settings of a file by their names, and its tensors by theirs."""

    settings: Mapping[str, Any]
    tensors: dict[str, StoredTensor]


@dataclass
class _Cursor:
    """Bytes, and how far they have been read. Raises `struct.error` beyond the last of them."""

    data: bytes
    at: int = 0
    listed: int = 0

    def numbers(self, kinds: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{kinds}", self.data, self.at)
        self.at += struct.calcsize(f"<{kinds}")
        return found

    def number(self, kind: str) -> Any:
        return self.numbers(kind)[0]

    def text(self) -> str:
        length = self.number("Q")
        if length > min(_MOST_TEXT, len(self.data) - self.at):
            raise ValueError(length)
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8", errors="replace")

    def value(self) -> Any:
        """A setting: a number, a text, or a list of one of these."""
        kind = self.number("I")
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            return self.number(_SCALARS[kind])
        of, count = self.numbers("IQ")
        self.listed += count
        if self.listed > _MOST_LISTED:
            raise ValueError(count)
        if of == _TEXT:
            return self._texts(count)
        return list(self.numbers(f"{count}{_SCALARS[of]}"))

    def _texts(self, count: int) -> list[str]:
        """A list of texts: there are hundreds of thousands, so no call of `text` for each."""
        data, at, end, length_at = self.data, self.at, len(self.data), _LENGTH.unpack_from
        found = []
        for _ in range(count):
            start = at + _LENGTH.size
            at = start + length_at(data, at)[0]
            if at > end:
                raise ValueError(at)
            found.append(data[start:at])
        self.at = at
        return [text.decode("utf-8", errors="replace") for text in found]


def read_gguf_header(path: Path) -> GGUFHeader:
    """Return what a GGUF file says of itself. Raises `InputError` for one that is damaged."""
    try:
        with open_regular(path) as file:
            state = file_state(file.fileno())
            return _header(path, state, _Cursor(file.read(_MOST_HEADER)))
    except (OSError, ValueError, KeyError, OverflowError, struct.error, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise input_error(TEXTS, "damaged", file=printable(path.name)) from error


def _header(path: Path, state: FileState, cursor: _Cursor) -> GGUFHeader:
    magic, version, tensor_count, setting_count = cursor.numbers("4sIQQ")
    if magic != _MAGIC:
        raise ValueError(magic)
    if version not in _VERSIONS:
        raise input_error(
            TEXTS, "gguf_version", file=printable(path.name), given=version,
            versions=" and ".join(map(str, _VERSIONS)), newest=_VERSIONS[-1],
        )  # fmt: skip
    if max(tensor_count, setting_count) > _MOST_ENTRIES:
        raise ValueError(tensor_count, setting_count)
    settings = {}
    for _ in range(setting_count):
        name = cursor.text()
        settings[name] = cursor.value()
    declared = [_declared(cursor) for _ in range(tensor_count)]
    alignment = settings.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int) or not 1 <= alignment <= _MOST_ALIGNMENT:
        raise ValueError(alignment)
    start = -(-cursor.at // alignment) * alignment
    tensors = {}
    for name, shape, kind, offset in declared:
        size = stored_bytes(kind, shape)
        tensor = StoredTensor(name, path, state, start + offset, kind, shape, size)
        if name in tensors:
            raise ValueError(name)
        tensors[name] = tensor
    end = start
    for tensor in sorted(tensors.values(), key=lambda tensor: tensor.offset):
        ends_at = tensor.offset + tensor.byte_count
        if tensor.offset < end or ends_at > state.size:  # numbers of two tensors, or of none
            raise ValueError(tensor.name)
        end = ends_at
    return GGUFHeader(settings, tensors)


def _declared(cursor: _Cursor) -> tuple[str, tuple[int, ...], str, int]:
    """A tensor's name, its shape (the last axis runs fastest), its kind and its offset."""
    name, axes = cursor.text(), cursor.number("I")
    if not 1 <= axes <= 4:
        raise ValueError(axes)
    shape = cursor.numbers(f"{axes}Q")[::-1]
    kind, offset = cursor.numbers("IQ")
    if kind not in _KINDS:
        raise input_error(TEXTS, "unknown_kind", kind=str(kind))
    return name, shape, _KINDS[kind], offset
