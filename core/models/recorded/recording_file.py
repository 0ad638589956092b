"""Recordings as files: safetensors with a header of our own, described in docs/captured.md.

A file may be a stranger's. Its sizes are checked before any array is read, and an array is read
when it is asked for.
"""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from core.errors import InputError, input_error, must_hold
from core.limits import LONGEST_TOKEN
from core.models.checkpoints.config import printable
from core.models.recorded import stored_arrays
from core.models.recorded.hook_cache import is_hook_cache, read_hook_cache
from core.models.recorded.recording import (
    ArraysWhenAsked,
    Names,
    Recording,
    check_recorded,
    fit_each_other,
)
from core.pytorch.recorded_call import MOST_CALLS, MOST_NOTES, OPTIONAL, REQUIRED, RecordedCall
from core.texts import core_texts

TEXTS = core_texts("recordings")

FORMAT = "1"
"""The version of the format; a file of another version is refused."""
MOST_NOTE = 1_000
"""Characters of a note."""
MOST_FILE = 4_000_000_000
_FLOATS = ("F64", "F32", "F16")
_MARKS = (b'"recording"', b'.hook_pattern"')
_FACTS = ("name", "function", "causal", "scale", "dropout", "precision")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def save_recording(recording: Recording, path: str | Path) -> None:
    """Write a recording to a file, whole or not at all. Raises `InputError` if it cannot."""
    path = Path(path)
    calls = [
        {fact: getattr(call, fact) for fact in _FACTS} | {"causal": call.is_causal}
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
    name = printable(Path(path).name)
    return _recording(name, lambda: _arrays_of(Path(path), name))


def recording_of_bytes(data: bytes, name: str) -> Recording:
    """Return a recording from a file's bytes, as `open_recording` does: `name` is for messages."""
    return _recording(printable(name), lambda: stored_arrays.arrays_in_bytes(data, name))


def may_be_recording(path: Path) -> bool:
    """Return whether a file is a recording by what its header says, or is too damaged to tell."""
    try:
        return any(mark in stored_arrays.header_of_file(path) for mark in _MARKS)
    except (OSError, InputError):
        return True


def _arrays_of(path: Path, name: str) -> stored_arrays.ArrayFile:
    """The arrays of a file that is there and not too large."""
    if not os.path.isfile(path):
        raise input_error(TEXTS, "no_file", file=name)
    if (size := path.stat().st_size) > MOST_FILE:
        given, most = f"{size / 1e9:.1f}", f"{MOST_FILE / 1e9:g}"
        raise input_error(TEXTS, "large_file", file=name, size=given, most=most)
    return stored_arrays.arrays_in_file(path)


def _recording(name: str, arrays: Callable[[], stored_arrays.ArrayFile]) -> Recording:
    """A recording from arrays. Raises `InputError` whatever is wrong with them."""
    try:
        file = arrays()
        if "recording" not in file.header and is_hook_cache(file.arrays):
            names = sorted(file.arrays, key=_in_order)
            cache = read_hook_cache({name: file.arrays[name] for name in names})
            return replace(cache, is_current=file.is_current)
        if "recording" not in file.header:
            raise stored_arrays.no_recording(name)
        if file.header["recording"] != FORMAT:
            given = printable(file.header["recording"])
            raise input_error(TEXTS, "other_format", file=name, given=given, known=FORMAT)
        return _read(file)
    except InputError:
        raise
    except Exception as error:  # the library does not say all that bad bytes can make it raise
        raise stored_arrays.damaged(name) from error


def _read_array(stored: stored_arrays.StoredArray, name: str, key: str) -> np.ndarray:
    array = np.asarray(stored)
    check_recorded(name, key, array)
    array.flags.writeable = False
    return array


def _read(file: stored_arrays.ArrayFile) -> Recording:
    """A recording by its header. Raises `ValueError` unless all of it fits together."""
    header, stored = file.header, file.arrays
    told: Sequence[Mapping[str, Any]] = json.loads(header["calls"])
    must_hold(1 <= len(told) <= MOST_CALLS)
    calls = [_call(f"{n}.", facts, stored) for n, facts in enumerate(told)]
    must_hold(sum(len(call.shapes) for call in calls) == len(stored))
    tokens, key_tokens = (_names(json.loads(header[key])) for key in ("tokens", "key_tokens"))
    notes = json.loads(header["notes"])
    must_hold(len(notes) <= MOST_NOTES, all(_is_text(one, MOST_NOTE) for one in notes))
    return Recording(tuple(calls), tokens, key_tokens, tuple(notes), file.is_current)


def _call(
    start: str, facts: Mapping[str, Any], stored: Mapping[str, stored_arrays.StoredArray]
) -> RecordedCall:
    """A call by its facts and its arrays, whose names in the file begin so."""
    names = [name for name in (*REQUIRED, *OPTIONAL) if f"{start}{name}" in stored]
    arrays = {name: stored[f"{start}{name}"] for name in names}
    shapes = {name: array.shape for name, array in arrays.items()}
    must_hold(fit_each_other(shapes))
    must_hold(*(a.kind in _FLOATS or (n, a.kind) == ("mask", "BOOL") for n, a in arrays.items()))
    texts = {key: facts[key] for key in ("name", "function", "precision")}
    must_hold(all(_is_text(text) for text in texts.values()))
    causal, scale, dropout = facts["causal"], float(facts["scale"]), float(facts["dropout"])
    must_hold(isinstance(causal, bool), isfinite(scale), 0 <= dropout <= 1)
    read = ArraysWhenAsked({n: partial(_read_array, a, n, start + n) for n, a in arrays.items()})
    numbers = {"causal": causal, "scale": scale, "dropout": dropout}
    return RecordedCall(**texts, **numbers, arrays=read, shapes=shapes)


def _names(tokens: Any) -> Names | None:
    if tokens is None:
        return None
    must_hold(isinstance(tokens, list), all(map(_is_text, tokens)))
    return tuple(tokens)


def _is_text(value: Any, most: int = LONGEST_TOKEN) -> bool:
    """Whether a value is a text that can be shown: not half of a character, as JSON can have."""
    return isinstance(value, str) and len(value) <= most and not _HALF_CHARACTER.search(value)


def _in_order(name: str) -> list[tuple[int, str]]:
    """A key that puts layer 2 before layer 10: a file does not keep the order of its arrays."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in name.split(".")]
