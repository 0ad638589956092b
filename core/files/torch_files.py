"""PyTorch's own files, .pt and .pth, from strangers: read in a process of its own.

Such a file is a pickle, which can run code when it is read. Only PyTorch's safe loader reads it
(`core.pytorch.state_dict`), away from whoever serves pages, and gives back safetensors.
"""

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from threading import BoundedSemaphore

import core
from core.errors import input_error
from core.files.matrices import StoredArrays
from core.files.tensors import read_safetensors
from core.pytorch import state_dict
from core.texts import core_texts

TEXTS = core_texts("files")

MOST_SECONDS = 30.0
"""Seconds for a file, PyTorch's start included, which takes two to ten."""
WAITING_SECONDS = 30.0
"""Seconds that a file waits until others have been read."""
MOST_CONVERSIONS = 2
_PLACES = BoundedSemaphore(MOST_CONVERSIONS)
_COMMAND = [sys.executable, "-W", "ignore", "-m", "core.pytorch.state_dict"]
_STOPPED = (-24, -9)
"""A process that the system stopped because its time was over: SIGXCPU, SIGKILL."""
_REFUSALS = {
    state_dict.UNSAFE: "unsafe",
    state_dict.NO_TENSORS: "no_tensors",
    state_dict.TOO_LARGE: "large_tensors",
    state_dict.NO_MEMORY: "large_tensors",
    state_dict.NO_TORCH: "no_torch",
    **dict.fromkeys(_STOPPED, "slow_file"),
}
"""The id of what is said when the process exits so; everything else means a damaged file."""
_LIMITS = {
    "large_tensors": {"bytes": f"{state_dict.MOST_TENSOR_BYTES:,}"},
    "slow_file": {"seconds": f"{MOST_SECONDS:g}"},
}
"""What may be, by what is said."""


def read_torch_file(data: bytes) -> StoredArrays:
    """The tensors of a .pt file by their names. Raises `InputError` for what is not tensors."""
    converted = _converted(data)
    if isinstance(converted, str):
        raise input_error(TEXTS, converted, **_LIMITS.get(converted, {}))
    return read_safetensors(converted)


@lru_cache(maxsize=4)  # a page asks again at every rerun
def _converted(data: bytes) -> bytes | str:
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
