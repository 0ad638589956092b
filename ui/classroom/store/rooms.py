"""Rooms of a class: what was asked in each, who answered what, and who may do what.

A question is kept as its link and an answer as its text. A room's code lets students in; its key
gives the teacher's rights.
"""

import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from time import sleep, time
from urllib.parse import unquote

from core.errors import input_error
from core.files.lesson import MAX_LESSON_BYTES
from ui.classroom.store.given_texts import FreeTexts, id_given, line_given
from ui.classroom.store.room import (
    ANSWER,
    BARS,
    HOURS_KEPT,
    NOTHING,
    Ask,
    GivenAnswer,
    Room,
    code_typed,
    hashed,
    must_be_open,
    name_in_links,
    new_code,
    put_scene,
)
from ui.classroom.store.students import StudentsOfRooms
from ui.page_texts import plain_ui_texts
from ui.server.unavailable import UnavailableError

__all__ = ["ANSWER", "BARS", "NOTHING", "Ask", "Room", "Rooms", "rooms"]
TEXTS = plain_ui_texts("classroom")
MOST_ROOMS, MOST_ASKS = 1_000, 60
FILE = "classes.sqlite3"
DATA_FOLDER = "attention-step-by-step"
VARIABLE = "ATTENTION_DATA"
"""The variable of the environment that names another folder."""
KEPT = 60.0 * 60 * HOURS_KEPT
"""Seconds after its last change for which a room is kept."""
TIDIED = 3_600.0
"""Seconds between two times that old rooms are forgotten."""


class Rooms(StudentsOfRooms, FreeTexts):
    """The rooms in a file. Codes are read in any case; what cannot be done raises `InputError`,
    and a file that cannot be used `UnavailableError`."""

    def create(self, *, wants_names: bool = False, shows_results: bool = True) -> tuple[str, str]:
        """Make a room, and return its code and its key."""
        self.forget_old(self._clock())
        key = secrets.token_urlsafe(16)
        with self._database.writing() as connection:
            (count,) = connection.execute("SELECT COUNT(*) FROM rooms").fetchone()
            if count >= MOST_ROOMS:
                raise input_error(TEXTS, "full_server", most=MOST_ROOMS)
            code, now = new_code(), self._clock()
            while connection.execute("SELECT 1 FROM rooms WHERE code = ?", (code,)).fetchone():
                code = new_code()
            connection.execute(
                "INSERT INTO rooms (code, key_hash, created, used, wants_names, shows_results)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (code, hashed(key), now, now, wants_names, shows_results),
            )
        return code, key

    # For the teacher

    def ask(self, code: str, key: str, link: str, question: str = "") -> Ask:
        """Ask a question: close the one before, and open the first vote of this one.

        `question` is the question as JSON, where its link alone does not make it. An exit quiz has
        all its votes open until the room is closed, so that students go through them on their own.
        """
        (asked,) = self.ask_all(code, key, [(link, question)])
        return asked

    def ask_all(self, code: str, key: str, asked: Sequence[tuple[str, str]]) -> list[Ask]:
        """Ask several questions, each a link and its JSON or ""; the class sees the first."""
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            if len(room.asks) + len(asked) > MOST_ASKS:
                raise input_error(TEXTS, "full_asks", most=MOST_ASKS)
            first = len(room.asks) + 1
            made = [
                Ask(number, line_given("link", link), 1, True, NOTHING, question, self._clock())
                for number, (link, question) in enumerate(asked, start=first)
            ]
            _go_on_to(connection, room, first)
            connection.executemany(
                "INSERT INTO asks (code, number, link, question, asked, shown)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(room.code, a.number, a.link, a.question, a.asked, NOTHING) for a in made],
            )
        return made

    def close_vote(self, code: str, key: str) -> None:
        """Take no more answers: to the current question, or to any of an exit quiz."""
        with self._teaching(code, key) as (connection, room):
            _current_ask(room)
            _close_votes(connection, room)

    def reopen_vote(self, code: str, key: str) -> None:
        """Go on with the current question's vote: answers stay, and its results are hidden again.

        A vote whose answer was shown stays closed, and so does one of an exit quiz.
        """
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            ask = _current_ask(room)
            if room.is_quiz or ask.answer_was_shown:
                raise input_error(TEXTS, "stays_closed", number=ask.number)
            _change_ask(connection, room, ask, "is_open = 1, shown = ?", NOTHING)

    def open_second_vote(self, code: str, key: str) -> None:
        """Take answers to the current question once more, next to those of the first vote."""
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            fields = "vote = 2, is_open = 1, shown = ?, answer_was_shown = 0"
            _change_ask(connection, room, _current_ask(room), fields, NOTHING)

    def show(self, code: str, key: str, what: str) -> None:
        """Show NOTHING, BARS or the ANSWER of the current question; the answer closes the vote."""
        if what not in (NOTHING, BARS, ANSWER):
            raise ValueError(what)
        with self._teaching(code, key) as (connection, room):
            if what != NOTHING and not (room.shows_results or room.is_closed):
                raise input_error(TEXTS, "kept_back")
            fields = "shown = ?, answer_was_shown = answer_was_shown OR ?"
            _change_ask(connection, room, _current_ask(room), fields, what, what == ANSWER)
            if what == ANSWER:
                _close_votes(connection, room)
            elif what == BARS:  # they are on the screen of the question
                put_scene(connection, room, False)

    def show_scene(self, code: str, key: str, shows: bool) -> None:
        """Put the scene of the current question on the projector, or the question again."""
        with self._teaching(code, key) as (connection, room):
            put_scene(connection, room, shows)

    def go_to(self, code: str, key: str, number: int) -> None:
        """Go to a question that was asked, as it was left; an open vote of another is closed, but
        for an exit quiz.
        """
        with self._teaching(code, key) as (connection, room):
            if not 1 <= number <= len(room.asks):
                asks = len(room.asks)
                raise input_error(TEXTS, "nothing_asked", number=number, asks=asks)
            if number != room.current:
                _go_on_to(connection, room, number)

    def close_room(self, code: str, key: str) -> None:
        """Take no more students, questions or answers."""
        with self._teaching(code, key) as (connection, room):
            _close_votes(connection, room)
            connection.execute("UPDATE rooms SET is_closed = 1 WHERE code = ?", (room.code,))

    def delete_room(self, code: str, key: str) -> None:
        """Delete all that is kept of a room, overwriting it in the file."""
        with self._teaching(code, key) as (connection, room):
            connection.execute("DELETE FROM rooms WHERE code = ?", (room.code,))
        self._database.wipe()

    def names(self, code: str, key: str) -> Mapping[str, str]:
        """Return the name of each student who gave one, by the student's id."""
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT student, name FROM students WHERE code = ? AND name <> ''"
                " ORDER BY name, student",
                (room.code,),
            )
            return dict(found.fetchall())

    def all_answers(self, code: str, key: str) -> list[GivenAnswer]:
        """Return every answer of the room: by name, student, question and vote."""
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT s.name, s.number AS student, a.number, a.vote, a.text FROM answers a"
                " JOIN students s ON s.code = a.code AND s.student = a.student"
                " WHERE a.code = ? ORDER BY s.name, s.number, a.number, a.vote",
                (room.code,),
            ).fetchall()
        return [GivenAnswer(**row) for row in found]

    def let_through(self, code: str, key: str, student: str, is_shown: bool = True) -> None:
        """Let the class see the name of a student, or no longer."""
        with self._teaching(code, key) as (connection, room):
            query = "UPDATE students SET is_let_through = ? WHERE code = ? AND student = ?"
            connection.execute(query, (is_shown, room.code, id_given(student)))

    def put_lesson(self, code: str, key: str, text: str) -> None:
        """Put a lesson into a room that is open. Another one takes its place while no scene of it
        was asked.
        """
        if (size := len(text.encode())) > MAX_LESSON_BYTES:
            limit = f"{MAX_LESSON_BYTES:,}"
            raise input_error(TEXTS, "lesson_long", size=f"{size:,}", limit=limit)
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            scene = f"{name_in_links(room.code)}."
            is_asked = any(scene in unquote(ask.link) for ask in room.asks)
            if is_asked and _lesson(connection, room.code) not in (None, text.encode()):
                raise input_error(TEXTS, "has_lesson", code=room.code)
            connection.execute(
                "INSERT INTO room_lessons (code, lesson) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET lesson = excluded.lesson",
                (room.code, text),
            )

    def lesson(self, code: str) -> bytes | None:
        """Return the lesson of a room as a file has it, answers and notes included; None if there
        is none.
        """
        with self._database.reading() as connection:
            return _lesson(connection, code_typed(code))

    # For everybody who shows a room

    def answers(self, code: str, number: int, vote: int) -> list[str]:
        """Return all answers of a vote, in the order of their texts."""
        query = "SELECT text FROM answers WHERE code = ? AND number = ? AND vote = ? ORDER BY text"
        found = self._database.rows(query, (code_typed(code), number, vote))
        return [row["text"] for row in found]

    def answered(self, code: str, number: int, vote: int) -> int:
        """Return how many students answered in a vote."""
        return len(self.answers(code, number, vote))

    def finished(self, code: str) -> int:
        """Return how many students answered every question, each in its last vote."""
        found = self._database.rows(
            "SELECT student FROM answers JOIN asks USING (code, number, vote)"
            " WHERE code = :code GROUP BY student"
            " HAVING COUNT(*) = (SELECT COUNT(*) FROM asks WHERE code = :code)",
            {"code": code_typed(code)},
        )
        return len(found)

    def names_let_through(self, code: str) -> list[str]:
        """Return the names that the teacher lets the class see."""
        query = "SELECT name FROM students WHERE code = ? AND is_let_through = 1 ORDER BY name"
        found = self._database.rows(query, (code_typed(code),))
        return [row["name"] for row in found]

    def forget_old(self, now: float) -> int:
        """Delete the rooms that have not changed for so long; return how many there were."""
        with self._database.writing() as connection:
            gone = connection.execute("DELETE FROM rooms WHERE used < ?", (now - KEPT,)).rowcount
        if gone:
            self._database.wipe()
        return gone


def _change_ask(connection: Connection, room: Room, ask: Ask, fields: str, *values: object) -> None:
    query = f"UPDATE asks SET {fields} WHERE code = ? AND number = ?"
    connection.execute(query, (*values, room.code, ask.number))


def _current_ask(room: Room) -> Ask:
    if room.now is None:
        raise input_error(TEXTS, "nothing_asked", number=1, asks=0)
    return room.now


def _close_votes(connection: Connection, room: Room) -> None:
    connection.execute("UPDATE asks SET is_open = 0 WHERE code = ?", (room.code,))


def _go_on_to(connection: Connection, room: Room, number: int) -> None:
    """Give a question the screen: votes of others are closed, but for those of an exit quiz."""
    if room.shows_results:
        _close_votes(connection, room)
    connection.execute("UPDATE rooms SET current = ? WHERE code = ?", (number, room.code))
    put_scene(connection, room, False)


def _lesson(connection: Connection, code: str) -> bytes | None:
    query = "SELECT CAST(lesson AS BLOB) AS file FROM room_lessons WHERE code = ?"
    found = connection.execute(query, (code,)).fetchone()
    return found["file"] if found else None


@cache
def rooms() -> Rooms:
    """Return the rooms of this server."""
    return Rooms(data_folder() / FILE)


def data_folder() -> Path:
    """Return the folder that ATTENTION_DATA names, or one next to the user's other data."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / DATA_FOLDER
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / DATA_FOLDER
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / DATA_FOLDER


def keep_tidy(wait: Callable[[float], None] = sleep) -> None:
    """Forget old rooms again and again; a server that has no file of rooms gets none."""
    while True:
        if os.path.exists(data_folder() / FILE):
            with suppress(UnavailableError):  # which is in the log
                rooms().forget_old(time())
        wait(TIDIED)
