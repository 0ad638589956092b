"""A teacher's own lesson in a room: its students read it without answers and notes.

Its name in links is its room's code behind a mark that no file of the lessons' folder can have.
"""

from sqlite3 import Connection
from urllib.parse import unquote

from core.errors import input_error
from core.files.lesson import MAX_LESSON_BYTES
from ui.classroom.store.codes import code_typed
from ui.classroom.store.kept_rooms import KeptRooms
from ui.classroom.store.room import Room, must_be_open
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
MARK = "~"


def name_in_links(code: str) -> str:
    """Return how links name the lesson of a room."""
    return f"{MARK}{code}"


def room_in_name(name: str) -> str:
    """Return the code of the room whose lesson has this name; "" of any other name."""
    return code_typed(name.removeprefix(MARK)) if name.startswith(MARK) else ""


class LessonsOfRooms(KeptRooms):
    """What `Rooms` does with lessons. A room has one, as a text, for as long as it is kept."""

    def put_lesson(self, code: str, key: str, text: str) -> None:
        """Put a lesson into a room that is open. Another one takes its place while no scene of it
        was asked.
        """
        if (size := len(text.encode())) > MAX_LESSON_BYTES:
            limit = f"{MAX_LESSON_BYTES:,}"
            raise input_error(TEXTS, "lesson_long", size=f"{size:,}", limit=limit)
        with self._teaching(code, key) as (connection, room):
            must_be_open(room)
            if _lesson(connection, room.code) not in (None, text.encode()) and _is_asked(room):
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


def _is_asked(room: Room) -> bool:
    """Whether the class was asked a scene of the room's lesson."""
    return any(f"{name_in_links(room.code)}." in unquote(ask.link) for ask in room.asks)


def _lesson(connection: Connection, code: str) -> bytes | None:
    found = connection.execute(
        "SELECT CAST(lesson AS BLOB) AS file FROM room_lessons WHERE code = ?", (code,)
    ).fetchone()
    return found["file"] if found else None
