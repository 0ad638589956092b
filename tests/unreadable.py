"""Files that a test may not read, also if it is root's."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65_534


@contextmanager
def unreadable(path: Path, mode: int = 0) -> Iterator[None]:
    """Within this, the folder or file has this mode, and the process is not above it."""
    if os.name == "nt":
        pytest.skip("this system has no such modes")
    before, is_root = path.stat().st_mode, os.geteuid() == 0
    for above in path.parents if is_root else ():
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    path.chmod(mode)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        path.chmod(before)
