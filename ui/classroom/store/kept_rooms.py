"""The file of a server's rooms, and a change of one of them by its teacher."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from time import time

from core.errors import input_error
from ui.classroom.store.database import Database
from ui.classroom.store.room import Room, existing_room, is_key
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")


class KeptRooms:
    """What each part of `Rooms` has in common."""

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self._database, self._clock = Database(path), clock

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
