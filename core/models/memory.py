"""How much memory a model may take here, and giving memory back once a model is dropped."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.errors import input_error
from core.limits import MOST_MODEL_BYTES
from core.models.checkpoints.config import printable
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

SHARE_OF_FREE_MEMORY = 0.5
"""Of the free memory, what one model may take: a run and the other visitors need the rest."""
_CGROUP = re.compile(r"\d+:(?P<controller>|memory):/(?P<place>.*)")
"""A line about memory: of version 2 of cgroups without a controller, of 1 with it."""
_CGROUP_FILES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Limit, usage, and what of the usage is a cache of files: in version 2 of cgroups, and in 1."""


def check_model_size(name: str, needed: int, most: int = MOST_MODEL_BYTES) -> None:
    """Raise `InputError` if a model needs more bytes than `most`."""
    if needed > most:
        values = {"name": printable(name), "needed": gigabytes(needed)}
        raise input_error(TEXTS, "too_large", **values, most=gigabytes(most))


def check_room(name: str, needed: int) -> None:
    """Raise `InputError` if a model needs more bytes than there is room for."""
    free = free_memory()
    if free is not None and needed > SHARE_OF_FREE_MEMORY * free:
        values = {"name": printable(name), "needed": gigabytes(needed)}
        raise input_error(
            TEXTS, "no_room", **values, free=gigabytes(free), share=f"{SHARE_OF_FREE_MEMORY:.0%}"
        )


def gigabytes(count: int) -> str:
    """Return a number of bytes as messages say it."""
    return f"{count / 1e9:.1f} GB"


def free_memory(system: Path = Path("/")) -> int | None:
    """Return the bytes that this process can still take; None if the system does not say it.

    It is the least of what the machine has and what each cgroup around the process still allows.
    `system` is the folder in which `proc` and `sys` are.
    """
    kilobytes = _number_in(system / "proc/meminfo", "MemAvailable:")
    found = [*([] if kilobytes is None else [1024 * kilobytes]), *_of_cgroups(system)]
    return max(0, min(found)) if found else None


def return_memory() -> None:
    """Give the memory of dropped arrays back to the system, if its C library can: glibc's can."""
    with suppress(OSError, AttributeError, TypeError):  # no library, or one without it
        ctypes.CDLL(None).malloc_trim(0)


def _of_cgroups(system: Path) -> Iterator[int]:
    """What the process's cgroup still allows, and each one around it."""
    lines: list[str] = []
    with suppress(OSError):
        lines = (system / "proc/self/cgroup").read_text().splitlines()
    for line in lines:
        if not (told := _CGROUP.fullmatch(line)):
            continue
        top = system / "sys/fs/cgroup" / told["controller"]
        own = top / told["place"]
        for folder in (own, *own.parents):
            if folder.is_relative_to(top):
                yield from _of_cgroup(folder)


def _of_cgroup(folder: Path) -> Iterator[int]:
    for limit, usage, cached in _CGROUP_FILES:
        with suppress(OSError, ValueError):  # "max" is no number: no limit
            most, used = (int((folder / file).read_text()) for file in (limit, usage))
            yield most - used + (_number_in(folder / "memory.stat", cached) or 0)


def _number_in(file: Path, name: str) -> int | None:
    """A number of a file of names and numbers; None if it is not there."""
    with suppress(OSError, ValueError, KeyError):
        lines = (line.split() for line in file.read_text().splitlines())
        return int({words[0]: words[1] for words in lines if len(words) > 1}[name])
    return None
