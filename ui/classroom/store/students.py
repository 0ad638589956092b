"""The students of a room: who comes in, what each answers, whose place was left empty, and whom the
teacher removed.
"""

from collections.abc import Collection
from dataclasses import dataclass
from sqlite3 import Connection

from core.errors import input_error
from ui.classroom.store.given_texts import id_given, line_given, same_text
from ui.classroom.store.room import (
    KeptRooms,
    Room,
    code_typed,
    existing_room,
    must_be_open,
    put_scene,
)
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
MOST_STUDENTS = 500
NOTED = 10.0
"""Seconds between two notes that a student is there."""
AWAY = 30.0
"""Seconds after its last note for which a student is still there."""
_EMPTY = (
    "code = :code AND seen < :since"
    " AND student NOT IN (SELECT student FROM answers WHERE code = :code)"
)
"""Places whose students never answered, and are not there."""


@dataclass(frozen=True)
class StudentPlace:
    """A student's place: the id, the number in the order of joining, the name or "", when the
    student joined, how many answers there are, and whether the student is there now.
    """

    student: str
    number: int
    name: str
    joined: float
    answers: int
    is_there: bool

    @property
    def is_empty(self) -> bool:
        """Whether it may be given to another student."""
        return not (self.answers or self.is_there)


class StudentsOfRooms(KeptRooms):
    """The part of `Rooms` that is about students."""

    def join(self, code: str, student: str, name: str = "") -> None:
        """Let a student in, with a name if the room wants one; who is in stays in."""
        student = id_given(student)
        with self._database.writing() as connection:
            room = existing_room(connection, code)
            query = "SELECT name FROM students WHERE code = ? AND student = ?"
            before = connection.execute(query, (room.code, student)).fetchone()
            if before is None:
                self._take_place(connection, room, student, name)
            elif not (name and room.wants_names) or before["name"] == line_given("name", name):
                return
            else:
                name = line_given("name", name)
                must_be_open(room)
                connection.execute(
                    "UPDATE students SET name = ?, is_let_through = 0"
                    " WHERE code = ? AND student = ?",
                    (name, room.code, student),
                )
            self._changed(connection, room)

    def answer(
        self, code: str, number: int, student: str, text: str, vote: int | None = None
    ) -> None:
        """Keep a student's answer to the open vote, in place of the one before.

        It is in the file when this returns. If `vote` is given, the open one must still be it.
        """
        student, text = id_given(student), line_given("answer", text)
        with self._database.writing() as connection:
            room = existing_room(connection, code)
            ask = room.asks[number - 1] if 1 <= number <= len(room.asks) else None
            if not ask or not ask.is_open or vote not in (None, ask.vote):
                raise input_error(TEXTS, "vote_closed")
            where = "SELECT 1 FROM students WHERE code = ? AND student = ?"
            if not connection.execute(where, (room.code, student)).fetchone():
                _must_not_be_removed(connection, room, student)
                raise input_error(TEXTS, "not_joined", code=room.code)
            time = room.version + 1
            changed = connection.execute(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET text = excluded.text, latest = excluded.latest"
                " WHERE text <> excluded.text",
                (room.code, number, ask.vote, student, text, time, time),
            ).rowcount
            if changed:
                self._changed(connection, room)

    def answer_of(self, code: str, number: int, vote: int, student: str) -> str | None:
        """Return what a student answered; None if nothing yet."""
        query = (
            "SELECT text FROM answers WHERE code = ? AND number = ? AND vote = ? AND student = ?"
        )
        found = self._database.rows(query, (code_typed(code), number, vote, id_given(student)))
        return found[0]["text"] if found else None

    def is_here(self, code: str, student: str) -> bool:
        """Whether a student is in the room; if so, it is noted that the student is there."""
        who, now = (code_typed(code), id_given(student)), self._clock()
        found = self._database.rows("SELECT seen FROM students WHERE code = ? AND student = ?", who)
        if found and now - found[0]["seen"] >= NOTED:
            with self._database.writing() as connection:
                query = "UPDATE students SET seen = ? WHERE code = ? AND student = ?"
                connection.execute(query, (now, *who))
        return bool(found)

    def is_removed(self, code: str, student: str) -> bool:
        """Whether the teacher has removed a student from the room."""
        with self._database.reading() as connection:
            return _is_removed(connection, code_typed(code), id_given(student))

    def _take_place(self, connection: Connection, room: Room, student: str, name: str) -> None:
        """Give a student who is not in the room a place; if it is full, one that is empty."""
        _must_not_be_removed(connection, room, student)
        must_be_open(room)
        if not room.lets_in:
            raise input_error(TEXTS, "lets_nobody_in", code=room.code)
        name, now = line_given("name", name) if room.wants_names else "", self._clock()
        if room.joined >= MOST_STUDENTS:
            found = connection.execute(
                "DELETE FROM students WHERE code = :code AND student = ("
                f"SELECT student FROM students WHERE {_EMPTY} ORDER BY seen LIMIT 1)",
                {"code": room.code, "since": now - AWAY},
            )
            if not found.rowcount:
                raise input_error(TEXTS, "full_room", code=room.code, most=MOST_STUDENTS)
        connection.execute(
            "INSERT INTO students (code, student, name, joined, seen, number)"
            " SELECT :code, :student, :name, :now, :now, 1 + COALESCE(MAX(number), 0)"
            " FROM students WHERE code = :code",
            {"code": room.code, "student": student, "name": name, "now": now},
        )

    # For the teacher

    def places(self, code: str, key: str) -> list[StudentPlace]:
        """Return all places of a room, in the order of joining."""
        since = self._clock() - AWAY
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT student, s.number, name, joined, COUNT(a.number) AS answers,"
                " seen >= ? AS is_there"
                " FROM students s LEFT JOIN answers a USING (code, student)"
                " WHERE code = ? GROUP BY student ORDER BY s.number",
                (since, room.code),
            ).fetchall()
        return [StudentPlace(**{**row, "is_there": bool(row["is_there"])}) for row in found]

    def removed(self, code: str, key: str) -> int:
        """Return how many students were removed."""
        with self._teaching(code, key, changes=False) as (connection, room):
            query = "SELECT COUNT(*) FROM removed WHERE code = ?"
            return int(connection.execute(query, (room.code,)).fetchone()[0])

    def let_in(self, code: str, key: str, lets_in: bool) -> None:
        """Let new students in, or nobody else; who has a place keeps it."""
        with self._teaching(code, key) as (connection, room):
            connection.execute("UPDATE rooms SET lets_in = ? WHERE code = ?", (lets_in, room.code))

    def clear_empty(self, code: str, key: str) -> int:
        """Give up the places that are empty, and return how many there were.

        Whoever comes back to one of them joins again.
        """
        with self._teaching(code, key) as (connection, room):
            values = {"code": room.code, "since": self._clock() - AWAY}
            return connection.execute(f"DELETE FROM students WHERE {_EMPTY}", values).rowcount

    def remove(self, code: str, key: str, students: Collection[str]) -> None:
        """Remove students with all that they answered. Their ids do not join this room again.

        The sentence of the scene on the projector goes too, if nobody who stays gave it.
        """
        with self._teaching(code, key) as (connection, room):
            who = [(room.code, id_given(student)) for student in students]
            connection.executemany(
                "INSERT OR IGNORE INTO removed SELECT code, student FROM students"
                " WHERE code = ? AND student = ?",
                who,
            )
            connection.executemany("DELETE FROM students WHERE code = ? AND student = ?", who)
            given = connection.execute("SELECT text FROM answers WHERE code = ?", (room.code,))
            texts = {same_text(row["text"]) for row in given}
            if room.scene_text and same_text(room.scene_text) not in texts:
                put_scene(connection, room, False)

    def let_back(self, code: str, key: str) -> None:
        """Let all whom the teacher removed join again, as new students."""
        with self._teaching(code, key) as (connection, room):
            connection.execute("DELETE FROM removed WHERE code = ?", (room.code,))


def _is_removed(connection: Connection, code: str, student: str) -> bool:
    where = "SELECT 1 FROM removed WHERE code = ? AND student = ?"
    return connection.execute(where, (code, student)).fetchone() is not None


def _must_not_be_removed(connection: Connection, room: Room, student: str) -> None:
    if _is_removed(connection, room.code, student):
        raise input_error(TEXTS, "removed", code=room.code)
