"""Only files are opened: not what waits, and not what never ends."""

import os
from pathlib import Path

import pytest

from core.models.opened_files import open_regular


def test_a_file_is_read_and_nothing_else_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"ab")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "link"):
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"ab"
    for other in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "nowhere"):
        with pytest.raises(OSError, match=r"Invalid|No such"):
            open_regular(other)
