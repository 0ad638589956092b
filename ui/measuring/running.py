"""The process that measures, as the server sees it: one at a time, kept alive by heartbeats.

The process ends itself when heartbeats end (`core.pytorch.speed`); nothing here has to be called
for that, and a server that dies leaves none behind.
"""

import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path
from threading import Event, Lock, Thread, Timer
from time import monotonic

import core
from core.errors import InputError
from core.pytorch.measured import Measured, read
from core.pytorch.speed import LIMIT, OVERDUE, UNHEARD

COMMAND = [sys.executable, "-m", "core.pytorch.speed"]
GRACE = 2.0
"""Seconds after its own limit until a process that did not end itself is ended from here."""

COMPLETE, BUDGET, STOPPED, LEFT, LIMITED, FAILED = (
    "complete", "budget", "stopped", "left", "limited", "failed",
)  # fmt: skip
"""How a measurement ended."""


class Running:
    """One measurement, under way or ended. Its lines stay when its process is gone."""

    def __init__(self) -> None:
        self.began = monotonic()
        self._lines: list[bytes] = []
        self._over = Event()
        self._stopped = False
        self._process = subprocess.Popen(
            COMMAND, cwd=Path(core.__file__).parents[1], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        Thread(target=self._listen, daemon=True).start()

    @property
    def running(self) -> bool:
        return not self._over.is_set()

    def beat(self) -> None:
        """The page that asked for it is still there."""
        with suppress(OSError, ValueError):  # it may just have ended
            assert self._process.stdin is not None
            self._process.stdin.write(b".")

    def stop(self) -> None:
        """End it now; does nothing where it has ended."""
        if self.running:
            self._stopped = True
            self._process.kill()
            self._over.wait(GRACE)

    def found(self) -> Measured:
        """What it has found so far."""
        running = self.running  # before the lines: what ends in between is told next time
        return read(tuple(self._lines), running)

    def ending(self) -> str:
        """How it ended; "" while it runs."""
        if self.running:
            return ""
        found = self.found()
        if found.ended:
            return COMPLETE if found.all else BUDGET
        if self._stopped:
            return STOPPED
        return {UNHEARD: LEFT, OVERDUE: LIMITED}.get(self._process.returncode, FAILED)

    def _listen(self) -> None:
        """Take its lines as they come, in a thread of its own."""
        process = self._process
        last_resort = Timer(LIMIT + GRACE, process.kill)
        last_resort.daemon = True
        last_resort.start()
        assert process.stdin is not None
        assert isinstance(process.stdout, io.RawIOBase)
        with process.stdin, io.BufferedReader(process.stdout) as lines:
            for line in lines:
                self._lines.append(line)
            process.wait()
        last_resort.cancel()
        self._over.set()


_lock = Lock()
_latest: Running | None = None


def begin(make: Callable[[], Running] = Running) -> Running:
    """Start a measurement. Raises `InputError` where one is under way, whoever asked for it."""
    global _latest
    with _lock:
        if _latest is not None and _latest.running:
            wait = max(1, ceil(_latest.began + LIMIT + GRACE - monotonic()))
            raise InputError(
                "A measurement is running on this server already",
                "one runs at a time, for two would disturb each other",
                f"try again in a while; after {wait} s at most that one has ended",
            )
        try:
            _latest = make()
        except OSError:
            raise InputError(
                "The measurement did not start",
                "it needs a process of its own, and the server could start none",
                "try again later",
            ) from None
        return _latest
