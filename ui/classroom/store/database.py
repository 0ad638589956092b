"""The file that a class is kept in: SQLite, for the threads of a server and for several servers."""

import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from zlib import crc32

from core.errors import input_error
from ui.page_texts import plain_ui_texts
from ui.server.unavailable import UnavailableError

TEXTS = plain_ui_texts("classroom")
PATIENCE = 5.0
"""Seconds that one waits for its turn, and a change then for another process's."""
_LOGS = ("-wal", "-shm")
"""Endings of the files that SQLite keeps next to its file."""
_SCHEMA = Path(__file__).parent / "schema.sql"
_log = logging.getLogger(__name__)
sqlite3.register_converter("BOOLEAN", lambda written: written != b"0")


class Database:
    """A file in WAL mode, made where it is missing. Its threads take turns, to read and to change.

    A file whose tables are those of another schema is emptied. What is deleted is overwritten. A
    file that was removed meanwhile is begun anew. Every method raises `UnavailableError` if the
    file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opening = Lock()
        self._connected: tuple[_Turns, ...] = ()
        self._fault = ""
        with self._said_if_unusable():
            self._connections()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state of the file and changes nothing."""
        with self._said_if_unusable(), self._connections()[0].transaction("BEGIN") as connection:
            yield connection

    def rows(
        self, query: str, values: Sequence[object] | Mapping[str, object]
    ) -> list[sqlite3.Row]:
        """Return what a query finds in the file."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction whose changes are in the file once it has ended without an error."""
        with (
            self._said_if_unusable(),
            self._connections()[1].transaction("BEGIN IMMEDIATE") as connection,
        ):
            yield connection

    def wipe(self) -> None:
        """Take what was deleted out of the log of changes too, as far as nobody else reads it."""
        with self._said_if_unusable(), self._connections()[1].turn() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        for one in self._connected:
            one.connection.close()
        self._connected = ()

    def _connections(self) -> "tuple[_Turns, ...]":
        """The connection for reading and the one for changes, to the file that is there now."""
        with self._opening:
            if not self._connected or _identity(self._path) != self._file:
                self._open()
            return self._connected

    def _open(self) -> None:
        if self._connected:
            _log.warning("%s was removed or replaced. What is there now is used.", self._path)
        self.close()  # before another is made: SQLite keeps the log by the file's name
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone_in(self._path.parent):
            if not self._path.exists():
                for ending in _LOGS:  # of the one that was removed
                    Path(f"{self._path}{ending}").unlink(missing_ok=True)
                self._path.touch(mode=0o600)
            file, writer, reader = _identity(self._path), _Turns(self._path), _Turns(self._path)
            try:
                writer.prepare()
                reader.connection.execute("PRAGMA user_version").fetchall()  # it opens the file now
                if _identity(self._path) != file:
                    raise FileNotFoundError("it was removed while it was opened")
            except BaseException:
                writer.connection.close()
                reader.connection.close()
                raise
        self._file, self._connected = file, (reader, writer)

    @contextmanager
    def _said_if_unusable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            if str(error) != self._fault:  # a class asks every two seconds, sixty times
                self._fault = str(error)
                _log.error("%s cannot be used: %s", self._path, error)
            raise UnavailableError(str(input_error(TEXTS, "not_kept"))) from error
        self._fault = ""


class _Turns:
    """A connection with which threads take turns."""

    def __init__(self, path: Path) -> None:
        self._turn = Lock()
        self.connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",  # one that is gone is not made here
            uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False,
            detect_types=sqlite3.PARSE_DECLTYPES,
        )  # fmt: skip
        self.connection.row_factory = sqlite3.Row

    @contextmanager
    def turn(self) -> Iterator[sqlite3.Connection]:
        """Nobody else's time on the connection. Raises `TimeoutError`, which is an `OSError`."""
        if not self._turn.acquire(timeout=PATIENCE):
            raise TimeoutError("others wait for it too long")
        try:
            yield self.connection
        finally:
            self._turn.release()

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        """All of what is done in it, or nothing."""
        with self.turn() as connection:
            connection.execute(begin)
            with connection:
                yield connection

    def prepare(self) -> None:
        """Make the file ready for changes, its tables too; one with other tables is emptied."""
        for setting in ("journal_mode = WAL", "secure_delete = ON"):
            self.connection.execute(f"PRAGMA {setting}")
        schema = _SCHEMA.read_bytes()
        version = crc32(schema) >> 1
        with self.transaction("BEGIN IMMEDIATE") as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found != version:  # another version of the product made it: its rooms last a day
                tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
                for (name,) in tables.fetchall():
                    connection.execute(f'DROP TABLE "{name}"')
                connection.execute(f"PRAGMA user_version = {version}")
        self.connection.execute("PRAGMA foreign_keys = ON")
        self.connection.executescript(schema.decode())


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let no other process open a file of the folder here meanwhile.

    Else one could take the log of changes away from another that has just begun it.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where a file that is open cannot be removed
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another of its name; None if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
