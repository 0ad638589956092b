"""PyTorch's own files, .pt and .pth, from strangers: read in a process of its own.

Such a file is a pickle, which can run code when it is read. Only PyTorch's safe loader reads it, in
`python -m core.pytorch.torch_files`, away from whoever serves pages: .pt on standard input,
safetensors on standard output. Nothing is unpickled that its `weights_only` does not allow. The
process limits its memory and its time itself.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

import core
from core.errors import input_error
from core.files.matrices import StoredArrays
from core.files.tensors import read_safetensors
from core.texts import core_texts

TEXTS = core_texts("files")

MEMORY = 256 * 2**20
"""Bytes that reading may take, in addition to what PyTorch itself takes."""
READING_SECONDS = 5
"""Seconds of a processor that reading may take, in addition to PyTorch's start."""
MOST_TENSOR_BYTES = 8_000_000
"""All tensors together, written out: one can show a single number a million times over."""
NESTED = ("state_dict", "model_state_dict", "model")
"""Where a checkpoint keeps its weights, next to what else it has."""
_FLOATS = ("float64", "float32", "float16", "bfloat16")
_INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")

UNSAFE, DAMAGED, NO_TENSORS, TOO_LARGE, NO_TORCH, NO_MEMORY = 41, 42, 43, 44, 45, 46
"""How the process exits when it refuses a file."""
MOST_SECONDS = 30.0
"""Seconds for a file, PyTorch's start included, which takes two to ten."""
WAITING_SECONDS = 30.0
"""Seconds that a file waits until others have been read."""
MOST_CONVERSIONS = 2
_PLACES = BoundedSemaphore(MOST_CONVERSIONS)
_COMMAND = [sys.executable, "-W", "ignore", "-m", "core.pytorch.torch_files"]
_STOPPED = (-24, -9)
"""A process that the system stopped because its time was over: SIGXCPU, SIGKILL."""
_REFUSALS = {
    UNSAFE: "unsafe",
    NO_TENSORS: "no_tensors",
    TOO_LARGE: "large_tensors",
    NO_MEMORY: "large_tensors",
    NO_TORCH: "no_torch",
    **dict.fromkeys(_STOPPED, "slow_file"),
}
"""The id of what is said when the process exits so; everything else means a damaged file."""
_LIMITS = {
    "large_tensors": {"bytes": f"{MOST_TENSOR_BYTES:,}"},
    "slow_file": {"seconds": f"{MOST_SECONDS:g}"},
}
"""What may be, by what is said."""


def read_torch_file(data: bytes) -> StoredArrays:
    """The tensors of a .pt file by their names. Raises `InputError` for what is not tensors."""
    converted = _converted_apart(data)
    if isinstance(converted, str):
        raise input_error(TEXTS, converted, **_LIMITS.get(converted, {}))
    return read_safetensors(converted)


@lru_cache(maxsize=4)  # a page asks again at every rerun
def _converted_apart(data: bytes) -> bytes | str:
    """The tensors as safetensors, or the id of what is said of the file."""
    if not _PLACES.acquire(timeout=WAITING_SECONDS):
        raise input_error(TEXTS, "busy", at_once=MOST_CONVERSIONS)
    try:
        done = subprocess.run(
            _COMMAND,
            cwd=Path(core.__file__).parents[1],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "slow_file"
    except OSError as error:  # the system can start no process
        raise input_error(TEXTS, "busy", at_once=MOST_CONVERSIONS) from error
    finally:
        _PLACES.release()
    if done.returncode == 0:
        return done.stdout
    return _REFUSALS.get(done.returncode, "damaged_torch")


def convert_input() -> int:
    """Read a file, write its tensors, and return how the process exits."""
    try:
        import torch  # noqa: F401  before there are limits, which are for the file
    except ImportError:
        return NO_TORCH
    _set_limits()
    written = converted(sys.stdin.buffer.read())
    if isinstance(written, int):
        return written
    sys.stdout.buffer.write(written)
    return 0


def converted(data: bytes) -> bytes | int:
    """Return the tensors of a .pt file as safetensors, or how the process exits without them."""
    try:
        return _safetensors(data)
    except pickle.UnpicklingError:
        return UNSAFE
    except MemoryError:
        return NO_MEMORY
    except Exception as error:  # PyTorch does not say all that bad bytes can make it raise
        return NO_MEMORY if "memory" in str(error) else DAMAGED


def _safetensors(data: bytes) -> bytes | int:
    import torch
    from safetensors.torch import save

    loaded = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    tensors = _tensors(torch, loaded)
    if not tensors:
        return NO_TENSORS
    if sum(t.numel() * t.element_size() for t in tensors.values()) > MOST_TENSOR_BYTES:
        return TOO_LARGE
    whole = torch.contiguous_format
    return save({n: t.detach().clone(memory_format=whole) for n, t in tensors.items()})


def _tensors(torch: Any, loaded: Any) -> dict[str, Any]:
    """The tensors of a state dict by their names, or a tensor alone, which has none."""
    if isinstance(loaded, torch.Tensor):
        loaded = {"": loaded}
    if not isinstance(loaded, Mapping):
        return {}
    nested = (loaded.get(name) for name in NESTED)
    state = next((inner for inner in nested if isinstance(inner, Mapping)), loaded)
    known = {
        getattr(torch, name) for name in (*_FLOATS, *_INTEGERS, "bool") if hasattr(torch, name)
    }
    return {
        str(name): tensor
        for name, tensor in state.items()
        if isinstance(tensor, torch.Tensor)
        and tensor.dtype in known
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
    }


def _set_limits() -> None:
    """Limit what reading may take, where the system can: memory, time, and no files to write."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as pages:
            taken = int(pages.read().split()[0]) * resource.getpagesize()
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + READING_SECONDS
        for kind, most in (
            (resource.RLIMIT_AS, taken + MEMORY),
            (resource.RLIMIT_CPU, seconds),
            (resource.RLIMIT_FSIZE, 0),
        ):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    sys.exit(convert_input())
