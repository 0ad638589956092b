"""A running server forgets rooms a day after their last change, whoever comes or does not."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from time import time

import pytest
from streamlit import App

from ui.classroom.store import rooms as module
from ui.classroom.store.rooms import FILE, KEPT, VARIABLE, Rooms, data_folder, rooms
from ui.server import server_startup
from ui.server.server_startup import get_ready


class EndOfTestError(Exception):
    """Ends what would go on for ever."""


@pytest.fixture
def folder(store_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The server's, before it has any rooms."""
    monkeypatch.setenv(VARIABLE, str(store_file.parent))
    rooms.cache_clear()
    yield store_file.parent
    if store_file.exists():
        rooms().close()
    rooms.cache_clear()


def waiting_twice(between: Callable[[], None]) -> Callable[[float], None]:
    """A wait that takes no time, and ends it all the second time."""
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            assert waited == [module.TIDIED] * 2
            raise EndOfTestError
        between()

    return wait


def test_what_is_old_goes_each_hour(folder: Path) -> None:
    old = Rooms(folder / FILE, lambda: time() - KEPT - 1)
    first, _ = old.create()
    new, _ = rooms().create()  # which forgets the first one itself
    assert old.room(first) is None
    second, _ = old.create()

    def between() -> None:
        assert (old.room(second), old.room(new) is None) == (None, False)
        old.create()

    with pytest.raises(EndOfTestError):
        module.keep_tidy(waiting_twice(between))
    assert old.forget_old(time()) == 0
    old.close()


def test_a_server_without_classes_gets_no_file(folder: Path) -> None:
    with pytest.raises(EndOfTestError):
        module.keep_tidy(waiting_twice(lambda: None))
    assert not folder.exists()


def test_a_server_that_starts_begins_it_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()
    monkeypatch.setattr(server_startup, "A_WHILE", 0.01)

    async def started() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(module, "keep_tidy", lambda: loop.call_soon_threadsafe(begun.set))
        async with get_ready(App("app.py")):
            await asyncio.wait_for(begun.wait(), 20)

    asyncio.run(started())


def test_the_folder_is_named_or_of_the_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder() == folder
    monkeypatch.delenv(VARIABLE)
    for system, name, place, expected in (
        ("linux", "XDG_DATA_HOME", "/data", "/data"),
        ("linux", "HOME", "/home/user", "/home/user/.local/share"),
        ("darwin", "HOME", "/home/user", "/home/user/Library/Application Support"),
        ("win32", "LOCALAPPDATA", "/local", "/local"),
    ):
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.setattr("sys.platform", system)
        monkeypatch.setenv(name, place)
        assert data_folder() == Path(expected) / "attention-step-by-step"
