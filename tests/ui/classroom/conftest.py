"""Rooms in a file of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.classroom.store import rooms as module
from ui.classroom.store.rooms import FILE, VARIABLE, Rooms


@pytest.fixture
def store_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE


@pytest.fixture
def store(store_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rooms]:
    """The rooms of a server that has none yet, as its pages find them."""
    monkeypatch.setenv(VARIABLE, str(store_file.parent))
    module.rooms.cache_clear()
    yield module.rooms()
    module.rooms().close()
    module.rooms.cache_clear()


@pytest.fixture
def one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is at the same address; without a socket each page has one of its own."""
    address = property(lambda _: "10.0.0.1")
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.ip_address", address)
