"""What a student does in a room: join, and answer."""

from core.errors import input_error
from ui.classroom.store.codes import code_typed
from ui.classroom.store.given_texts import id_given, line_given
from ui.classroom.store.places import Places, must_not_be_removed
from ui.classroom.store.room import existing_room, is_in_room, must_be_open
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")


class StudentActs(Places):
    """The part of `Rooms` that is for students."""

    def join(self, code: str, student: str, name: str = "") -> None:
        """Let a student in, with a name if the room wants one; who is in stays in."""
        student = id_given(student)
        with self._database.writing() as connection:
            room = existing_room(connection, code)
            before = connection.execute(
                "SELECT name FROM students WHERE code = ? AND student = ?", (room.code, student)
            ).fetchone()
            if before is None:
                self.take_place(connection, room, student, name)
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
            if not is_in_room(connection, room, student):
                must_not_be_removed(connection, room, student)
                raise input_error(TEXTS, "not_joined", code=room.code)
            changed = connection.execute(
                "INSERT INTO answers (code, number, vote, student, text) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET text = excluded.text"
                " WHERE text <> excluded.text",
                (room.code, number, ask.vote, student, text),
            ).rowcount
            if changed:
                time = room.version + 1
                connection.execute(
                    "INSERT INTO answer_times VALUES (?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET latest = excluded.latest",
                    (room.code, number, ask.vote, student, time, time),
                )
                self._changed(connection, room)

    def answer_of(self, code: str, number: int, vote: int, student: str) -> str | None:
        """Return what a student answered; None if nothing yet."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT text FROM answers"
                " WHERE code = ? AND number = ? AND vote = ? AND student = ?",
                (code_typed(code), number, vote, id_given(student)),
            ).fetchone()
        return found["text"] if found else None
