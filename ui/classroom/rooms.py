"""Rooms of a class: what was asked in each, who answered what, and who may do what.

A question is kept as its link and an answer as its text. A room's code lets students in; its key,
128 bits of which only the SHA-256 is kept, gives the teacher's rights.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from time import time

from core.errors import input_error
from ui.classroom.codes import code_typed, new_code
from ui.classroom.data_folder import data_folder
from ui.classroom.database import Database
from ui.classroom.given_free_texts import FreeTexts
from ui.classroom.given_texts import id_given, line_given
from ui.classroom.room import (
    ANSWER,
    BARS,
    NOTHING,
    Ask,
    GivenAnswer,
    Room,
    close_votes,
    current_ask,
    existing_room,
    hashed,
    is_in_room,
    is_key,
    leave_votes,
    make_current,
    must_be_open,
    put_scene,
    read_room,
)
from ui.classroom.room_lessons import LessonsOfRooms
from ui.page_texts import plain_ui_texts

__all__ = ["ANSWER", "BARS", "NOTHING", "Ask", "Room", "Rooms", "rooms"]
TEXTS = plain_ui_texts("classroom")
MOST_ROOMS, MOST_STUDENTS, MOST_ASKS = 1_000, 500, 60
FILE = "classes.sqlite3"
KEPT = 24 * 60 * 60.0
"""Seconds after its last change for which a room is kept."""


class Rooms(FreeTexts, LessonsOfRooms):
    """The rooms in a file. Codes are read in any case; what cannot be done raises `InputError`."""

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self._database, self._clock = Database(path), clock

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

    def room(self, code: str) -> Room | None:
        """Return a room as it is now; None if there is none."""
        with self._database.reading() as connection:
            return read_room(connection, code)

    def is_teacher(self, code: str, key: str) -> bool:
        """Whether the key is the room's; the comparison takes the same time for each wrong one."""
        with self._database.reading() as connection:
            return is_key(connection, code, key)

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
            leave_votes(connection, room)
            made = [
                Ask(number, line_given("link", link), 1, True, NOTHING, question, self._clock())
                for number, (link, question) in enumerate(asked, start=len(room.asks) + 1)
            ]
            connection.executemany(
                "INSERT INTO asks (code, number, link, question, asked, shown)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(room.code, a.number, a.link, a.question, a.asked, NOTHING) for a in made],
            )
            make_current(connection, room, made[0].number)
        return made

    def close_vote(self, code: str, key: str) -> None:
        """Take no more answers: to the current question, or to any of an exit quiz."""
        with self._teaching(code, key) as (connection, room):
            current_ask(room)
            close_votes(connection, room)

    def open_second_vote(self, code: str, key: str) -> None:
        """Take answers to the current question once more, next to those of the first vote."""
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            connection.execute(
                "UPDATE asks SET vote = 2, is_open = 1, shown = ? WHERE code = ? AND number = ?",
                (NOTHING, room.code, current_ask(room).number),
            )

    def show(self, code: str, key: str, what: str) -> None:
        """Show NOTHING, BARS or the ANSWER of the current question; the answer closes the vote."""
        if what not in (NOTHING, BARS, ANSWER):
            raise ValueError(what)
        with self._teaching(code, key) as (connection, room):
            if what != NOTHING and not (room.shows_results or room.is_closed):
                raise input_error(TEXTS, "kept_back")
            connection.execute(
                "UPDATE asks SET shown = ? WHERE code = ? AND number = ?",
                (what, room.code, current_ask(room).number),
            )
            if what == ANSWER:
                close_votes(connection, room)
            elif what == BARS:  # they are on the screen of the question
                put_scene(connection, room, False)

    def go_to(self, code: str, key: str, number: int) -> None:
        """Go to a question that was asked, as it was left; an open vote of another is closed, but
        for an exit quiz.
        """
        with self._teaching(code, key) as (connection, room):
            if not 1 <= number <= len(room.asks):
                asks = len(room.asks)
                raise input_error(TEXTS, "nothing_asked", number=number, asks=asks)
            if number != room.current:
                leave_votes(connection, room)
                make_current(connection, room, number)

    def close_room(self, code: str, key: str) -> None:
        """Take no more students, questions or answers."""
        with self._teaching(code, key) as (connection, room):
            close_votes(connection, room)
            connection.execute("UPDATE rooms SET is_closed = 1 WHERE code = ?", (room.code,))

    def delete_room(self, code: str, key: str) -> None:
        """Delete all that is kept of a room, overwriting it in the file."""
        with self._teaching(code, key) as (connection, room):
            connection.execute("DELETE FROM rooms WHERE code = ?", (room.code,))
        self._database.wipe()

    def names(self, code: str, key: str) -> Mapping[str, str]:
        """Return the name of each student who gave one, by the student's id."""
        with self._teaching(code, key, changes=False) as (connection, room):
            return dict(
                connection.execute(
                    "SELECT student, name FROM students WHERE code = ? AND name <> ''"
                    " ORDER BY name, student",
                    (room.code,),
                ).fetchall()
            )

    def all_answers(self, code: str, key: str) -> list[GivenAnswer]:
        """Return every answer of the room: by name, student, question and vote."""
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT a.number, a.vote, a.text, a.student, s.name FROM answers a"
                " JOIN students s ON s.code = a.code AND s.student = a.student"
                " WHERE a.code = ? ORDER BY s.name, a.student, a.number, a.vote",
                (room.code,),
            ).fetchall()
        students = list(dict.fromkeys(row["student"] for row in found))
        at = {student: n for n, student in enumerate(students, start=1)}
        return [
            GivenAnswer(row["name"], at[row["student"]], row["number"], row["vote"], row["text"])
            for row in found
        ]

    def let_through(self, code: str, key: str, student: str, is_shown: bool = True) -> None:
        """Let the class see the name of a student, or no longer."""
        with self._teaching(code, key) as (connection, room):
            connection.execute(
                "UPDATE students SET is_let_through = ? WHERE code = ? AND student = ?",
                (is_shown, room.code, id_given(student)),
            )

    # For students

    def join(self, code: str, student: str, name: str = "") -> None:
        """Let a student in, with a name if the room wants one; who is in stays in."""
        student = id_given(student)
        with self._database.writing() as connection:
            room = existing_room(connection, code)
            before = connection.execute(
                "SELECT name FROM students WHERE code = ? AND student = ?", (room.code, student)
            ).fetchone()
            if before and (not name or not room.wants_names):
                return
            name = line_given("name", name) if room.wants_names else ""
            if before and before["name"] == name:
                return
            must_be_open(room)
            if not before and room.joined >= MOST_STUDENTS:
                raise input_error(TEXTS, "full_room", code=room.code, most=MOST_STUDENTS)
            connection.execute(
                "INSERT INTO students (code, student, name) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET name = excluded.name, is_let_through = 0",
                (room.code, student, name),
            )
            self._changed(connection, room)

    def answer(
        self, code: str, number: int, student: str, text: str, vote: int | None = None
    ) -> None:
        """Keep a student's answer to the open vote, in place of the one before.

        A changed text is hidden from the class until it is let through again.
        It is in the file when this returns. If `vote` is given, the open one must still be it.
        """
        student, text = id_given(student), line_given("answer", text)
        with self._database.writing() as connection:
            room = existing_room(connection, code)
            ask = room.asks[number - 1] if 1 <= number <= len(room.asks) else None
            if not ask or not ask.is_open or vote not in (None, ask.vote):
                raise input_error(TEXTS, "vote_closed")
            if not is_in_room(connection, room, student):
                raise input_error(TEXTS, "not_joined", code=room.code)
            changed = connection.execute(
                "INSERT INTO answers (code, number, vote, student, text) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET text = excluded.text, is_let_through = 0"
                " WHERE text <> excluded.text",
                (room.code, number, ask.vote, student, text),
            ).rowcount
            if changed:
                self._changed(connection, room)

    def has_joined(self, code: str, student: str) -> bool:
        """Whether a student is in the room."""
        with self._database.reading() as connection:
            room = read_room(connection, code)
            return room is not None and is_in_room(connection, room, id_given(student))

    def answer_of(self, code: str, number: int, vote: int, student: str) -> str | None:
        """Return what a student answered; None if nothing yet."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT text FROM answers"
                " WHERE code = ? AND number = ? AND vote = ? AND student = ?",
                (code_typed(code), number, vote, id_given(student)),
            ).fetchone()
        return found["text"] if found else None

    # For everybody who shows a room

    def answers(self, code: str, number: int, vote: int) -> list[str]:
        """Return all answers of a vote, in the order of their texts."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT text FROM answers WHERE code = ? AND number = ? AND vote = ? ORDER BY text",
                (code_typed(code), number, vote),
            )
            return [row["text"] for row in found]

    def answered(self, code: str, number: int, vote: int) -> int:
        """Return how many students answered in a vote."""
        with self._database.reading() as connection:
            (count,) = connection.execute(
                "SELECT COUNT(*) FROM answers WHERE code = ? AND number = ? AND vote = ?",
                (code_typed(code), number, vote),
            ).fetchone()
        return int(count)

    def names_let_through(self, code: str) -> list[str]:
        """Return the names that the teacher lets the class see."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT name FROM students WHERE code = ? AND is_let_through = 1 ORDER BY name",
                (code_typed(code),),
            )
            return [row["name"] for row in found]

    def forget_old(self, now: float) -> int:
        """Delete the rooms that have not changed for a day; return how many there were."""
        with self._database.writing() as connection:
            gone = connection.execute("DELETE FROM rooms WHERE used < ?", (now - KEPT,)).rowcount
        if gone:
            self._database.wipe()
        return gone

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def _teaching(
        self, code: str, key: str, changes: bool = True
    ) -> Iterator[tuple[Connection, Room]]:
        """A change of a room by its teacher."""
        begin = self._database.writing if changes else self._database.reading
        with begin() as connection:
            room = existing_room(connection, code)
            if not is_key(connection, code, key):
                raise input_error(TEXTS, "not_teacher", code=room.code)
            yield connection, room
            if changes:
                self._changed(connection, room)

    def _changed(self, connection: Connection, room: Room) -> None:
        connection.execute(
            "UPDATE rooms SET version = version + 1, used = ? WHERE code = ?",
            (self._clock(), room.code),
        )


@cache
def rooms() -> Rooms:
    """Return the rooms of this server."""
    return Rooms(data_folder() / FILE)
