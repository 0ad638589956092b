"""The file that a class is kept in: SQLite, for the threads of a server and for several servers."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from zlib import crc32

from core.errors import input_error
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
PATIENCE = 5.0
"""Seconds that a change waits for another process's."""
_SCHEMA = Path(__file__).parent / "schema.sql"
_log = logging.getLogger(__name__)


class Database:
    """A file in WAL mode, made where it is missing. Its threads take turns.

    A file whose tables are those of another schema is emptied. What is deleted is overwritten.
    Every method raises `InputError` if the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._turn = RLock()
        self._path = path
        with self._said_if_unusable():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            for setting in ("journal_mode = WAL", "secure_delete = ON"):
                self._connection.execute(f"PRAGMA {setting}")
            schema = _SCHEMA.read_bytes()
            self._forget_other_schema(crc32(schema) >> 1)
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(schema.decode())

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state of the file and changes nothing."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction whose changes are in the file once it has ended without an error."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def wipe(self) -> None:
        """Take what was deleted out of the log of changes too, as far as nobody else reads it."""
        with self._said_if_unusable(), self._turn:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        with self._turn:
            self._connection.close()

    def _forget_other_schema(self, version: int) -> None:
        """Empty a file that another version of the product made: its rooms would last a day."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found == version:
                return
            tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for (name,) in tables.fetchall():
                connection.execute(f'DROP TABLE "{name}"')
            connection.execute(f"PRAGMA user_version = {version}")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._said_if_unusable(), self._turn:
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _said_if_unusable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            _log.exception("%s", self._path)
            raise input_error(TEXTS, "not_kept") from error
