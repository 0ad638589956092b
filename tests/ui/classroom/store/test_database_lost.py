"""The file of classes when something happens to it: full, removed, locked, another's.

What cannot be kept is said, nothing that was acknowledged is lost, and all goes on by itself once
the file can be used again.
"""

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.ui.classroom import support
from ui.classroom.store import database
from ui.classroom.store.rooms import ANSWER, Rooms
from ui.server.unavailable import UnavailableError

CANNOT = "could not use its file of classes; nothing was changed"


@pytest.fixture
def asked(store: Rooms) -> tuple[str, str]:
    return support.asked(store, "practice", *[""] * 6, wants_names=True)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """`full(True)`: SQLite finds no room on the disk, whoever opened the file."""
    connect, made = sqlite3.connect, list[sqlite3.Connection]()

    def connected(*args: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*args, **options))
        return made[-1]

    def fill(is_full: bool) -> None:
        for one in made:
            (pages,) = one.execute("PRAGMA page_count").fetchone()
            one.execute(f"PRAGMA max_page_count = {pages if is_full else 1_000_000}").fetchall()

    monkeypatch.setattr("ui.classroom.store.database.sqlite3.connect", connected)
    return fill


def test_a_full_disk_is_said_all_is_kept(full: Callable[[bool], None], store_file: Path) -> None:
    store = Rooms(store_file)
    code, key = store.create()
    store.ask(code, key, "practice")
    taken = []

    def class_answers() -> None:
        for n in range(500):
            store.join(code, f"s{n}")
            store.answer(code, 1, f"s{n}", str(n) * 60)
            taken.append(n)

    full(True)
    with pytest.raises(UnavailableError, match=CANNOT):
        class_answers()
    with pytest.raises(UnavailableError, match=CANNOT):
        store.put_lesson(code, key, "x" * 100_000)
    assert taken
    for n in taken:
        assert store.answer_of(code, 1, 1, f"s{n}") == str(n) * 60
    full(False)
    store.join(code, "later")
    assert store.is_here(code, "later")
    store.close()


@pytest.mark.parametrize("way", ["the file", "the folder", "another file in its place"])
def test_a_file_that_is_removed_while_it_is_open_is_begun_anew_by_every_process(
    store: Rooms,
    store_file: Path,
    asked: tuple[str, str],
    way: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    code, _ = asked
    other = Rooms(store_file)
    if way == "the folder":
        shutil.rmtree(store_file.parent)
    elif way == "the file":
        store_file.unlink()
    else:
        Rooms(store_file.parent / "put" / store_file.name).close()
        for path in store_file.parent.glob(f"{store_file.name}-*"):
            path.unlink()
        os.replace(store_file.parent / "put" / store_file.name, store_file)
    assert store.room(code) is None, "what was removed is not shown from memory"
    new, new_key = store.create()
    other.ask(new, new_key, "practice")
    other.join(new, "s1")
    store.answer(new, 1, "s1", "7")
    assert other.answers(new, 1, 1) == ["7"]
    store.close()
    other.close()
    with closing(Rooms(store_file)) as again:
        assert again.answers(new, 1, 1) == ["7"]
    assert "removed or replaced" in caplog.text


def spoil(file: Path) -> None:
    """Make it no database."""
    file.parent.mkdir(exist_ok=True)
    for path in file.parent.iterdir():
        path.unlink()
    file.write_bytes(b"no database at all " * 1_000)


def test_a_file_that_is_no_database_any_more_is_said_and_mended_by_removing_it(
    store: Rooms, store_file: Path, asked: tuple[str, str]
) -> None:
    spoil(store_file)
    for _ in range(2):
        with pytest.raises(UnavailableError, match=CANNOT):
            store.room(asked[0])
    store_file.unlink()
    assert store.room(asked[0]) is None
    code, _ = store.create()
    assert store.room(code) is not None


def test_readers_wait_for_no_change(store: Rooms, store_file: Path, asked: tuple[str, str]) -> None:
    code, _ = asked
    with closing(sqlite3.connect(store_file, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        answering = Thread(target=lambda: store.answer(code, 1, "s1", "7"))
        answering.start()
        looks = 0
        while answering.is_alive() and looks < 300:
            assert store.room(code) is not None
            looks += 1
        holder.execute("COMMIT")
        answering.join()
    assert looks == 300
    assert store.answer_of(code, 1, 1, "s1") == "7"


def test_nobody_waits_longer_than_for_one_turn(
    store: Rooms, asked: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sixty answers, the last one would else wait for the patience of fifty-nine."""
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    pool = ThreadPoolExecutor(1)
    with store._database.writing():
        waiting = pool.submit(store.answer, asked[0], 1, "s1", "7")
        with pytest.raises(UnavailableError, match=CANNOT):
            waiting.result(timeout=20)
    pool.shutdown()
    store.answer(asked[0], 1, "s1", "7")


def test_a_file_that_cannot_be_opened_leaves_nothing_open_and_one_line_in_the_log(
    tmp_path: Path, store: Rooms, store_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = f"/proc/{os.getpid()}/fd"
    if not os.path.isdir(folder):
        pytest.skip("this system does not list what a process has open")
    none = tmp_path / "no" / "not.sqlite3"
    spoil(none)
    before, faults = len(os.listdir(folder)), []
    for file in (none, none / "below_a_file.sqlite3") * 10:
        with pytest.raises(UnavailableError, match=CANNOT) as caught:
            Rooms(file)
        assert str(tmp_path) not in str(caught.value)
        faults.append(caught.value)  # as a log does, which keeps what was raised
    assert len(os.listdir(folder)) == before
    caplog.clear()
    spoil(store_file)
    for _ in range(20):
        with pytest.raises(UnavailableError):
            store.room("ABCDEF")
    errors = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert [one.exc_info for one in errors] == [None]


def test_each_change_of_a_read_only_file_is_said(store: Rooms, asked: tuple[str, str]) -> None:
    code, key = asked
    before = store.room(code)
    writer = store._database._connected[1].connection
    writer.execute("PRAGMA query_only = ON")
    for act, *given in (
        (store.create,), (store.join, code, "new", "Ada"), (store.answer, code, 1, "s1", "7"),
        (store.ask, code, key, "practice"), (store.put_lesson, code, key, "a lesson"),
        (store.close_vote, code, key), (store.show, code, key, ANSWER),
        (store.close_room, code, key), (store.delete_room, code, key),
    ):  # fmt: skip
        with pytest.raises(UnavailableError, match=CANNOT):
            act(*given)
    assert store.room(code) == before
    writer.execute("PRAGMA query_only = OFF")
    store.delete_room(code, key)
    assert store.room(code) is None
