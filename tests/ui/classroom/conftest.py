"""Rooms in a file of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.classroom.rooms import Rooms


@pytest.fixture
def store_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "classes.sqlite3"


@pytest.fixture
def store(store_file: Path) -> Iterator[Rooms]:
    rooms = Rooms(store_file)
    yield rooms
    rooms.close()
