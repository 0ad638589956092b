"""A room as it is read from the file, its code and key, and who may change it.

A code is short enough to type from a projector, too many to guess. A key has 128 bits, of which
only the SHA-256 is kept.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import Connection
from time import time

from core.errors import InputError, input_error
from ui.classroom.store.database import Database
from ui.page_texts import plain_ui_texts

LETTERS = "34679CDFGHJKMNPQRTVWXY"
"""No two of them look alike (0 O, 1 I L, 2 Z, 5 S, 8 B are left out), and no vowel makes a word."""
LENGTH = 6
_BETWEEN = re.compile(r"[\s-]")
_CODE = re.compile(f"[{LETTERS}]{{{LENGTH}}}")
LONGEST_TYPED = 20
"""Characters of what is read as a code, its spaces and hyphens included."""
_MARK = "~"
TEXTS = plain_ui_texts("classroom")
HOURS_KEPT = 24
"""How long after its last change a room is kept."""
NOTHING, BARS, ANSWER = "nothing", "bars", "answer"
"""What of its results a question shows to the class."""


def new_code() -> str:
    """Return a random code: one of 22⁶, about 113 million."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def code_typed(text: str) -> str:
    """Return what a person typed as a code, in any case, without spaces and hyphens; "" if none."""
    code = _BETWEEN.sub("", text).upper() if len(text) <= LONGEST_TYPED else ""
    return code if _CODE.fullmatch(code) else ""


def name_in_links(code: str) -> str:
    """Return how links name the lesson of a room: no file of the lessons' folder can have the mark
    before its code.
    """
    return f"{_MARK}{code}"


def room_in_name(name: str) -> str:
    """Return the code of the room whose lesson has this name; "" of any other name."""
    return code_typed(name.removeprefix(_MARK)) if name.startswith(_MARK) else ""


def hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def screen_key(key: str) -> str:
    """Return the key of a room's projector: 128 bits that follow from the room's key.

    They do not lead back to it: SHA-256 of the word "screen" and of the SHA-256 that is kept.
    """
    return _screen_of(hashed(key))


def _screen_of(key_hash: bytes) -> str:
    return hashlib.sha256(b"screen" + key_hash).hexdigest()[:32]


@dataclass(frozen=True)
class Ask:
    """A question that was asked: its number in the room, counted from 1, its link, the vote (1 or
    2), whether answers are taken, and what is shown of the results: NOTHING, BARS or ANSWER.

    `question` is the question as JSON if its link alone does not make it, and `asked` the time.
    `answer_was_shown` says that the class saw the answer in this vote, even if it is hidden now.
    """

    number: int
    link: str
    vote: int
    is_open: bool
    shown: str
    question: str = ""
    asked: float = field(default=0.0, compare=False)
    answer_was_shown: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Room:
    """A room as it is at one moment. `version` grows with every change, an answer's too.

    `shows_results` is False for an exit quiz, whose results are kept back until it is closed.
    `shows_scene` says that the projector has the scene of the question in place of the question,
    and `scene_text` is the sentence that it has there; "" for the scene's own. `lets_in` says that
    new students get a place; who has one comes and goes in any case.
    """

    code: str
    created: float
    is_closed: bool
    wants_names: bool
    shows_results: bool
    shows_scene: bool
    asks: tuple[Ask, ...]
    current: int
    joined: int
    version: int
    scene_text: str = ""
    lets_in: bool = True

    @property
    def is_quiz(self) -> bool:
        """Whether students go through its questions on their own: an exit quiz that is open."""
        return not (self.shows_results or self.is_closed)

    @property
    def now(self) -> Ask | None:
        """The question that the class sees: the last one, or the one that was gone back to."""
        return self.asks[self.current - 1] if self.current else None

    @property
    def seen_by_students(self) -> object:
        """What students see of the room: answers of others change nothing on it."""
        return self.now, self.is_closed, self.asks if self.is_closed else ()

    @property
    def digest(self) -> str:
        """Another one once students see the room otherwise. Nobody who does not can guess it."""
        seen = f"{self.code} {self.created!r} {self.seen_by_students!r}"
        return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class GivenAnswer:
    """One answer of a student: the name, if the room asked for names, and the student's number
    in the order of joining, from 1.
    """

    name: str
    student: int
    number: int
    vote: int
    text: str


def read_room(connection: Connection, code: str) -> Room | None:
    code = code_typed(code)
    found = connection.execute(
        "SELECT code, created, is_closed, wants_names, shows_results, shows_scene, current,"
        " (SELECT COUNT(*) FROM students WHERE students.code = rooms.code) AS joined,"
        " version, scene_text, lets_in FROM rooms WHERE code = ?",
        (code,),
    ).fetchone()
    if not found:
        return None
    asks = connection.execute(
        "SELECT number, link, vote, is_open, shown, question, asked, answer_was_shown"
        " FROM asks WHERE code = ? ORDER BY number",
        (code,),
    )
    return Room(**found, asks=tuple(Ask(**row) for row in asks))


def no_room(code: str) -> InputError:
    """What is said where no room has this code."""
    return input_error(TEXTS, "no_room", code=code, hours=HOURS_KEPT)


def existing_room(connection: Connection, code: str) -> Room:
    room = read_room(connection, code)
    if room is None:
        raise no_room(code_typed(code) or code[:LONGEST_TYPED])
    return room


def _is_key(connection: Connection, code: str, key: str) -> bool:
    return hmac.compare_digest(hashed(key), _key_hash(connection, code))


def _key_hash(connection: Connection, code: str) -> bytes:
    """The hash of a room's key; no bytes if there is no such room."""
    query = "SELECT key_hash FROM rooms WHERE code = ?"
    found = connection.execute(query, (code_typed(code),)).fetchone()
    return bytes(found["key_hash"]) if found else b""


def must_be_open(room: Room) -> None:
    if room.is_closed:
        raise input_error(TEXTS, "room_closed", code=room.code)


def put_scene(connection: Connection, room: Room, shows: bool, text: str = "") -> None:
    """Put the scene on the projector, with a text as its sentence if given, or the question."""
    connection.execute(
        "UPDATE rooms SET shows_scene = ?, scene_text = ? WHERE code = ?", (shows, text, room.code)
    )


class KeptRooms:
    """The file of a server's rooms, and who may read and change them: the base of `Rooms`."""

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self._database, self._clock = Database(path), clock

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def room(self, code: str) -> Room | None:
        """Return a room as it is now; None if there is none."""
        with self._database.reading() as connection:
            return read_room(connection, code)

    def is_teacher(self, code: str, key: str) -> bool:
        """Whether the key is the room's; the comparison takes the same time for each wrong one."""
        with self._database.reading() as connection:
            return _is_key(connection, code, key)

    def is_projector(self, code: str, screen: str) -> bool:
        """Whether this is the key of the room's projector, `screen_key` of the room's."""
        with self._database.reading() as connection:
            kept = _key_hash(connection, code)
        return bool(kept) and hmac.compare_digest(hashed(screen), hashed(_screen_of(kept)))

    @contextmanager
    def _teaching(
        self, code: str, key: str, changes: bool = True
    ) -> Iterator[tuple[Connection, Room]]:
        """A change of a room by its teacher."""
        begin = self._database.writing if changes else self._database.reading
        with begin() as connection:
            room = existing_room(connection, code)
            if not _is_key(connection, code, key):
                raise input_error(TEXTS, "not_teacher", code=room.code)
            yield connection, room
            if changes:
                self._changed(connection, room)

    def _changed(self, connection: Connection, room: Room) -> None:
        query = "UPDATE rooms SET version = version + 1, used = ? WHERE code = ?"
        connection.execute(query, (self._clock(), room.code))
