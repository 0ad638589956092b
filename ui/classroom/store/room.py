"""A room as it is read from the file, and what its changes have in common."""

import hashlib
import hmac
from dataclasses import dataclass, field
from sqlite3 import Connection, Row

from core.errors import InputError, input_error
from ui.classroom.store.codes import LONGEST_TYPED, code_typed
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
HOURS_KEPT = 24
"""How long after its last change a room is kept."""
NOTHING, BARS, ANSWER = "nothing", "bars", "answer"
"""What of its results a question shows to the class."""


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
    found = connection.execute("SELECT * FROM rooms WHERE code = ?", (code,)).fetchone()
    if not found:
        return None
    asks = connection.execute("SELECT * FROM asks WHERE code = ? ORDER BY number", (code,))
    (joined,) = connection.execute(
        "SELECT COUNT(*) FROM students WHERE code = ?", (code,)
    ).fetchone()
    sentence = connection.execute("SELECT text FROM scene_texts WHERE code = ?", (code,)).fetchone()
    return Room(
        code=code,
        created=found["created"],
        is_closed=bool(found["is_closed"]),
        wants_names=bool(found["wants_names"]),
        shows_results=bool(found["shows_results"]),
        shows_scene=bool(found["shows_scene"]),
        asks=tuple(map(_ask, asks.fetchall())),
        current=found["current"],
        joined=joined,
        version=found["version"],
        scene_text=sentence["text"] if sentence else "",
        lets_in=bool(found["lets_in"]),
    )


def _ask(row: Row) -> Ask:
    return Ask(
        row["number"], row["link"], row["vote"], bool(row["is_open"]), row["shown"],
        row["question"], row["asked"], bool(row["answer_was_shown"]),
    )  # fmt: skip


def no_room(code: str) -> InputError:
    """What is said where no room has this code."""
    return input_error(TEXTS, "no_room", code=code, hours=HOURS_KEPT)


def existing_room(connection: Connection, code: str) -> Room:
    room = read_room(connection, code)
    if room is None:
        raise no_room(code_typed(code) or code[:LONGEST_TYPED])
    return room


def is_key(connection: Connection, code: str, key: str) -> bool:
    return hmac.compare_digest(hashed(key), _kept_hash(connection, code))


def is_screen(connection: Connection, code: str, screen: str) -> bool:
    kept = _kept_hash(connection, code)
    return bool(kept) and hmac.compare_digest(hashed(screen), hashed(_screen_of(kept)))


def _kept_hash(connection: Connection, code: str) -> bytes:
    """Return the hash of a room's key; no bytes if there is no such room."""
    found = connection.execute(
        "SELECT key_hash FROM rooms WHERE code = ?", (code_typed(code),)
    ).fetchone()
    return bytes(found["key_hash"]) if found else b""


def screen_key(key: str) -> str:
    """Return the key of a room's projector: 128 bits that follow from the room's key.

    They do not lead back to it: SHA-256 of the word "screen" and of the SHA-256 that is kept.
    """
    return _screen_of(hashed(key))


def _screen_of(key_hash: bytes) -> str:
    return hashlib.sha256(b"screen" + key_hash).hexdigest()[:32]


def hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def must_be_open(room: Room) -> None:
    if room.is_closed:
        raise input_error(TEXTS, "room_closed", code=room.code)


def must_let_in(room: Room) -> None:
    must_be_open(room)
    if not room.lets_in:
        raise input_error(TEXTS, "lets_nobody_in", code=room.code)


def current_ask(room: Room) -> Ask:
    if room.now is None:
        raise input_error(TEXTS, "nothing_asked", number=1, asks=0)
    return room.now


def is_in_room(connection: Connection, room: Room, student: str) -> bool:
    where = "SELECT 1 FROM students WHERE code = ? AND student = ?"
    return connection.execute(where, (room.code, student)).fetchone() is not None


def close_votes(connection: Connection, room: Room) -> None:
    connection.execute("UPDATE asks SET is_open = 0 WHERE code = ?", (room.code,))


def leave_votes(connection: Connection, room: Room) -> None:
    """Close the votes as another question takes the screen; those of an exit quiz stay open."""
    if room.shows_results:
        close_votes(connection, room)


def make_current(connection: Connection, room: Room, number: int) -> None:
    connection.execute("UPDATE rooms SET current = ? WHERE code = ?", (number, room.code))
    put_scene(connection, room, False)


def put_scene(connection: Connection, room: Room, shows: bool, text: str = "") -> None:
    """Put the scene on the projector, with a text as its sentence if given, or the question."""
    connection.execute("UPDATE rooms SET shows_scene = ? WHERE code = ?", (shows, room.code))
    connection.execute("DELETE FROM scene_texts WHERE code = ?", (room.code,))
    if text:
        connection.execute("INSERT INTO scene_texts VALUES (?, ?)", (room.code, text))
