"""Recordings as files: safetensors with a header of our own, described in docs/captured.md.

A file may be a stranger's. Its sizes are checked before any array is read, and an array is read
when it is asked for.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from core.errors import InputError, input_error
from core.files.tensors import check_header_length
from core.limits import LONGEST_TOKEN
from core.models.hook_cache import is_hook_cache, read_hook_cache
from core.models.recorded_arrays import check_recorded, fit_each_other
from core.models.recording import Names, Recording
from core.program.patterns import Shape
from core.pytorch.recorded_call import (
    MOST_CALLS,
    MOST_NOTES,
    OPTIONAL,
    REQUIRED,
    RecordedCall,
)
from core.texts import core_texts

TEXTS = core_texts("recordings")

FORMAT = "1"
"""The version of the format; a file of another version is refused."""
MOST_HEADER = 4_000_000
MOST_FILE = 4_000_000_000
_FLOATS = ("F64", "F32", "F16")


def save_recording(recording: Recording, path: Path) -> None:
    """Write a recording to a file, whole or not at all."""
    calls = [
        {
            "name": call.name,
            "function": call.function,
            "causal": call.causal,
            "scale": call.scale,
            "dropout": call.dropout,
            "precision": call.precision,
        }
        for call in recording.calls
    ]
    header = {
        "recording": FORMAT,
        "calls": json.dumps(calls),
        "tokens": json.dumps(recording.tokens),
        "key_tokens": json.dumps(recording.key_tokens),
        "notes": json.dumps(list(recording.notes)),
    }
    arrays = {
        f"{n}.{name}": call[name] for n, call in enumerate(recording.calls) for name in call.shapes
    }
    unfinished = path.with_name(f"{path.name}.part")
    try:
        save_file(arrays, unfinished, header)
        os.replace(unfinished, path)
    except OSError as error:
        raise input_error(TEXTS, "not_written", file=path.name[:40]) from error
    finally:
        unfinished.unlink(missing_ok=True)


def open_recording(path: str | Path) -> Recording:
    """Return a recording from its file, or a cache of TransformerLens that is saved as one.

    Only the header is read; each array is read from the file whenever it is asked for. Raises
    `InputError` for a damaged file, one of another format, and sizes past a limit.
    """
    path = Path(path)
    try:
        _check_size(path)
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            shapes = {name: tuple(part.get_shape()) for name, part in parts.items()}
            kinds = {name: part.get_dtype() for name, part in parts.items()}
        if "recording" not in header and is_hook_cache(shapes):
            stored = _StoredArrays(path, {name: name for name in shapes})
            return read_hook_cache(stored, shapes=shapes)
        if header.get("recording") != FORMAT:
            given = str(header.get("recording"))[:40]
            raise input_error(TEXTS, "other_format", file=path.name[:40], given=given, known=FORMAT)
        return _read(path, header, shapes, kinds)
    except InputError:
        raise
    except Exception as error:  # the library does not say all that bad bytes can make it raise
        raise _damaged(path) from error


@dataclass(frozen=True)
class _StoredArrays(Mapping[str, np.ndarray]):
    """Arrays of a file, by names of ours: each is read whenever it is asked for."""

    path: Path
    keys_of: Mapping[str, str]

    def __getitem__(self, name: str) -> np.ndarray:
        key = self.keys_of[name]
        try:
            with safe_open(self.path, framework="numpy") as file:
                array: np.ndarray = file.get_tensor(key)
        except Exception as error:
            raise _damaged(self.path) from error
        check_recorded(name, key, array)
        array.flags.writeable = False
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys_of)

    def __len__(self) -> int:
        return len(self.keys_of)


def _check_size(path: Path) -> None:
    """Raise `InputError` for a file, or a header, that is too long to be read."""
    if not path.is_file():
        raise input_error(TEXTS, "no_file", file=path.name[:40])
    size = path.stat().st_size
    if size > MOST_FILE:
        given, most = f"{size / 1e9:.1f}", f"{MOST_FILE / 1e9:g}"
        raise input_error(TEXTS, "large_file", file=path.name[:40], size=given, most=most)
    with path.open("rb") as file:
        check_header_length(file.read(8), size, MOST_HEADER)


def _read(
    path: Path, header: Mapping[str, str], shapes: Mapping[str, Shape], kinds: Mapping[str, str]
) -> Recording:
    """A recording by its header. Raises `InputError` unless all of it fits together."""
    told: Sequence[Mapping[str, Any]] = json.loads(header["calls"])
    _check(path, 1 <= len(told) <= MOST_CALLS)
    calls = []
    for n, facts in enumerate(told):
        keys = {name: f"{n}.{name}" for name in (*REQUIRED, *OPTIONAL) if f"{n}.{name}" in shapes}
        _check(path, fit_each_other({name: shapes[key] for name, key in keys.items()}))
        _check_kinds(path, {name: kinds[key] for name, key in keys.items()})
        calls.append(_call(path, facts, keys, shapes))
    _check(path, sum(len(call.shapes) for call in calls) == len(shapes))
    tokens, key_tokens = (_names(path, json.loads(header[key])) for key in ("tokens", "key_tokens"))
    notes = json.loads(header["notes"])
    _check(path, len(notes) <= MOST_NOTES, all(isinstance(one, str) for one in notes))
    return Recording(tuple(calls), tokens, key_tokens, tuple(notes))


def _call(
    path: Path, facts: Mapping[str, Any], keys: Mapping[str, str], shapes: Mapping[str, Shape]
) -> RecordedCall:
    texts = {key: facts[key] for key in ("name", "function", "precision")}
    _check(path, all(isinstance(t, str) and len(t) <= LONGEST_TOKEN for t in texts.values()))
    causal, scale, dropout = facts["causal"], float(facts["scale"]), float(facts["dropout"])
    _check(path, isinstance(causal, bool), np.isfinite(scale), 0 <= dropout <= 1)
    return RecordedCall(
        **texts,
        arrays=_StoredArrays(path, keys),
        shapes={name: shapes[key] for name, key in keys.items()},
        causal=causal,
        scale=scale,
        dropout=dropout,
    )


def _check_kinds(path: Path, kinds: Mapping[str, str]) -> None:
    _check(
        path, *(kind in _FLOATS or (n == "mask" and kind == "BOOL") for n, kind in kinds.items())
    )


def _names(path: Path, tokens: Any) -> Names | None:
    if tokens is None:
        return None
    _check(path, isinstance(tokens, list), all(isinstance(token, str) for token in tokens))
    return tuple(tokens)


def _check(path: Path, *facts: bool) -> None:
    if not all(facts):
        raise _damaged(path)


def _damaged(path: Path) -> InputError:
    return input_error(TEXTS, "damaged", file=path.name[:40])
