"""Files of strangers are opened here: only what is a file. A pipe would wait for ever."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without `O_NONBLOCK`, opening a pipe waits until somebody writes to it."""


def open_regular(path: Path) -> BufferedReader:
    """Return a file that is open for reading bytes. Raises `OSError` for a pipe or a device too."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return os.fdopen(descriptor, "rb")
