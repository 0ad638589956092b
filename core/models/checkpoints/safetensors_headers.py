"""Where the tensors of safetensors files are: only headers are read.

How long a header may be is checked here, before it is read.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError, input_error
from core.files.tensors import METADATA, header_said
from core.models.checkpoints.config import printable, read_json_object
from core.models.checkpoints.stored_tensor import StoredTensor
from core.models.opened_files import FileState, file_state, open_regular
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
MOST_HEADER_BYTES = 400_000
"""Of all files of a model together: some 100 bytes for each tensor are usual."""
MOST_INDEX_BYTES = 1_000_000
MOST_SHARDS = 64
_LENGTH_BYTES = 8
_SHARD_NAME = re.compile(r"[\w-][\w.-]*\.safetensors", re.ASCII)


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
            if before + length > MOST_HEADER_BYTES:
                given, most = f"{before + length:,}", f"{MOST_HEADER_BYTES:,}"
                name = printable(path.name)
                raise input_error(TEXTS, "long_header", file=name, bytes=given, most=most)
            start = _LENGTH_BYTES + length
            header = header_said(file.read(length), state.size - start)
        return {
            name: _stored(path, state, start, name, said)
            for name, said in header.items()
            if name != METADATA
        }
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


def _header_bytes(tensors: Mapping[str, StoredTensor]) -> int:
    """How many bytes are before the first tensor of a file; 0 if it has none."""
    return min((tensor.offset for tensor in tensors.values()), default=0)


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
        header_bytes += _header_bytes(shards[file])
    found = {}
    for name, place in places.items():
        if name not in shards[str(place)]:
            raise input_error(TEXTS, "no_tensor", name=printable(name), file=printable(place))
        found[name] = shards[str(place)][name]
    return found
