"""What was acknowledged is in the file; what was deleted is not; several processes share it."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import InputError
from tests.quotes import proves
from tests.sampling import ROOT
from tests.ui.classroom import support
from tests.ui.classroom.support import bytes_kept, room_of
from ui.classroom.store.rooms import KEPT, Rooms
from ui.server.unavailable import UnavailableError

STUDENTS = 40
ANSWERING = """
import sys
from pathlib import Path
from ui.classroom.store.rooms import Rooms

store = Rooms(Path(sys.argv[1]))
for n in range(10**9):
    student = f"s{n % 40}"
    store.answer(sys.argv[2], 1, student, str(n))
    print(n, flush=True)
"""


@pytest.fixture
def asked(store: Rooms) -> tuple[str, str]:
    return support.asked(store, "practice", *[""] * STUDENTS)


@pytest.fixture
def answering(store_file: Path, asked: tuple[str, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERING, str(store_file), asked[0]],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield process
        process.kill()


def test_a_killed_process_loses_no_answer_that_it_acknowledged(
    store: Rooms, store_file: Path, asked: tuple[str, str], answering: subprocess.Popen[str]
) -> None:
    assert answering.stdout is not None
    store.close()
    acknowledged = [int(answering.stdout.readline()) for _ in range(3 * STUDENTS)]
    os.kill(answering.pid, signal.SIGKILL)
    acknowledged += map(int, answering.stdout.read().splitlines())
    answering.wait()
    last = {f"s{n % STUDENTS}": n for n in acknowledged}
    again = Rooms(store_file)
    for student, n in last.items():
        text = again.answer_of(asked[0], 1, 1, student)
        assert text is not None
        assert int(text) in (n, n + STUDENTS)  # the one after was kept, and not yet said
    again.close()


def answer_for(store_file: Path, code: str, process: int) -> int:
    """Join and answer as many students, in eight threads; how many answers were taken."""
    store = Rooms(store_file)

    def student(n: int) -> bool:
        name = f"p{process}-{n}"
        try:
            store.join(code, name)
            store.answer(code, 1, name, "first")
            store.answer(code, 1, name, f"{process}.{n}")
        except (InputError, UnavailableError):  # it has no way through the pool
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(student, range(STUDENTS)))
    store.close()
    return taken


def test_every_answer_counts_once(store: Rooms, store_file: Path, asked: tuple[str, str]) -> None:
    code, _ = asked
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        taken = pool.starmap(answer_for, [(store_file, code, 1), (store_file, code, 2)])
    assert taken == [STUDENTS, STUDENTS]
    assert store.answered(code, 1, 1) == 2 * STUDENTS
    expected = [f"{process}.{n}" for process in (1, 2) for n in range(STUDENTS)]
    assert store.answers(code, 1, 1) == sorted(expected)
    assert room_of(store, code).joined == 3 * STUDENTS


@pytest.mark.parametrize("way", ["deleted", "a day later"])
def test_what_is_deleted_is_in_no_file(store: Rooms, store_file: Path, way: str) -> None:
    code, key = store.create(wants_names=True)
    other, other_key = store.create()
    store.ask(code, key, "softmax?seed=4711")
    store.join(code, "student-17", "Ada Lovelace")
    for n in range(200):
        store.answer(code, 1, "student-17", f"an answer of mine {n}")
    secrets = (code, "seed=4711", "student-17", "Ada Lovelace", "answer of mine")
    assert all(secret.encode() in bytes_kept(store_file) for secret in secrets)
    if way == "deleted":
        store.delete_room(code, key)
    else:
        with sqlite3.connect(store_file) as connection:
            connection.execute("UPDATE rooms SET used = used - ? WHERE code = ?", (KEPT + 1, code))
        connection.close()
        store.create()
    assert not [secret for secret in secrets if secret.encode() in bytes_kept(store_file)]
    assert store.room(code) is None
    assert store.is_teacher(other, other_key)


@proves("""
    classes are removed {hours} after their last change | a lesson goes with its class, {hours}
    after the last change | The answers are deleted {hours} after the last change of the class
""")
def test_rooms_go_a_day_after_their_last_change(store_file: Path) -> None:
    now = 1e9
    store = Rooms(store_file, lambda: now)
    (closed, key), (used, used_key) = store.create(), store.create()
    store.close_room(closed, key)
    now += KEPT / 2
    store.ask(used, used_key, "practice")
    now += KEPT / 2
    assert store.forget_old(now) == 0
    now += 1
    assert store.forget_old(now) == 1
    assert (store.room(closed), store.room(used) is None) == (None, False)
    now += KEPT / 2 + 1
    store.create()  # whoever opens a room clears up
    with pytest.raises(InputError, match=f" {KEPT / 3600:g} hours after their last change"):
        store.ask(used, used_key, "practice")
    store.close()


def test_a_failure_changes_nothing(store: Rooms, store_file: Path, asked: tuple[str, str]) -> None:
    code, key = asked
    store.answer(code, 1, "s0", "1")
    before = store.room(code)
    with sqlite3.connect(store_file) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON rooms BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    connection.close()
    for action in (
        lambda: store.answer(code, 1, "s0", "2"),
        lambda: store.answer(code, 1, "s1", "2"),
        lambda: store.ask(code, key, "practice"),
    ):
        with pytest.raises(UnavailableError, match="nothing was changed"):
            action()
    assert (store.answers(code, 1, 1), store.room(code)) == (["1"], before)


def test_a_file_with_the_tables_of_another_version_is_begun_anew(store_file: Path) -> None:
    store_file.parent.mkdir()
    with closing(sqlite3.connect(store_file)) as other:
        other.executescript(
            "CREATE TABLE rooms (code TEXT PRIMARY KEY, forgotten TEXT);"
            "CREATE TABLE asks (code TEXT REFERENCES rooms); CREATE INDEX of_asks ON asks (code);"
            "INSERT INTO rooms VALUES ('ABCDEF', 'a text of long ago')"
        )
    store = Rooms(store_file)
    code, key = store.create()
    store.ask(code, key, "practice")
    store.close()
    again = Rooms(store_file)
    assert again.is_teacher(code, key), "the same tables keep their rooms"
    again.close()
    assert b"of long ago" not in bytes_kept(store_file)
