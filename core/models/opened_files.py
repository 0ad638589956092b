"""Files of strangers are opened here, and whether each is still the one that was opened.

Only what is a file is opened: a pipe would wait for ever. A run is looked at for a long time, and
numbers are read from its file when they are needed. Somebody may write another file of the same
name meanwhile.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without `O_NONBLOCK`, opening a pipe waits until somebody writes to it."""


def open_regular(path: Path) -> BufferedReader:
    """Return a file that is open for reading bytes. Raises `OSError` for a pipe or a device too."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return os.fdopen(descriptor, "rb")


def decoded(name: str) -> str:
    """A file's name or a path as a text: what is not UTF-8 in it is replaced."""
    return os.fsencode(name).decode("utf-8", errors="replace")


class FileState(NamedTuple):
    """What differs between two files of one name: the time is in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int


FileStates = Mapping[Path, FileState | None]
"""The state of each file; None if there was none of this name."""


def file_state(file: Path | int) -> FileState:
    """Return the state of a file, given by its path or as an open one. Raises `OSError`."""
    found = os.stat(file)
    return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def file_states(paths: Iterable[Path]) -> FileStates:
    """Return the states of files, of which some need not be there."""
    return {path: _state_if_there(path) for path in paths}


def are_unchanged(states: FileStates) -> bool:
    """Return whether all these files are as they were."""
    return all(_state_if_there(path) == state for path, state in states.items())


def _state_if_there(path: Path) -> FileState | None:
    try:
        return file_state(path)
    except OSError:
        return None
