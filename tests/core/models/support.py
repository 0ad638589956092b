"""Files of models with a change in them, and models that are open."""

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from core.models.checkpoints.model_settings import CONFIG
from core.models.checkpoints.opening import open_checkpoint
from core.models.checkpoints.stored_tensor import INDEX, WHOLE
from core.models.transformer.model import TransformerModel
from tests.core.models.tiny_models import IDS, made_checkpoint

TOKENS = [f"t{n}" for n in range(len(IDS))]


def opened_model(name: str, folder: Path, dtype: str = "float64") -> tuple[TransformerModel, Any]:
    """A tiny model of ours, and the library's with the same numbers."""
    theirs = made_checkpoint(name, folder)
    return TransformerModel(open_checkpoint(folder), dtype), theirs  # type: ignore[arg-type]


def configured(folder: Path, **changed: Any) -> None:
    """Change settings of a folder."""
    path = folder / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def stored(folder: Path, change: Callable[[dict[str, np.ndarray]], object]) -> None:
    """Change weights of a folder."""
    tensors = load_file(folder / WHOLE)
    change(tensors)
    save_file(tensors, folder / WHOLE)


def sharded(folder: Path, places: Mapping[str, str] | None = None) -> None:
    """The weights of a folder in two files, with an index."""
    tensors = load_file(folder / WHOLE)
    (folder / WHOLE).unlink()
    files = {n: f"model-0000{1 + at % 2}-of-00002.safetensors" for at, n in enumerate(tensors)}
    for file in set(files.values()):
        save_file({n: a for n, a in tensors.items() if files[n] == file}, folder / file)
    (folder / INDEX).write_text(json.dumps({"weight_map": {**files, **(places or {})}}))


def said_in(path: Path) -> dict[str, str]:
    """What the header of a safetensors file says, read without the library."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    said: dict[str, str] = json.loads(data[8 : 8 + length])["__metadata__"]
    return said


def rewritten(
    sound: Path, folder: Path, arrays: Mapping[str, Any] | None = None, /, **said: str | None
) -> Path:
    """A copy with some arrays and some of what its header says changed; None: left out."""
    path = folder / "changed.safetensors"
    kept = {name: text for name, text in (said_in(sound) | said).items() if text is not None}
    stored = {**load_file(sound), **(arrays or {})}
    save_file({n: np.ascontiguousarray(a) for n, a in stored.items() if a is not None}, path, kept)
    return path
