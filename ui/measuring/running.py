"""The process that measures, as the server sees it: one at a time, kept alive by heartbeats.

The process ends itself when heartbeats end (`core.pytorch.speed`); nothing here has to be called
for that, and a server that dies leaves none behind.
"""

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer

import core
from core.pytorch.measured import Measured, read_measured
from core.pytorch.speed import OVERDUE, TIME_LIMIT, UNHEARD
from ui.server.queue import Queue

COMMAND = [sys.executable, "-m", "core.pytorch.speed"]
GRACE = 2.0
"""Seconds after its own limit until a process that did not end itself is ended from here."""
MEASURING = Queue()
"""Everybody's measurements: two at a time would disturb each other."""

COMPLETE, BUDGET, STOPPED, LEFT, LIMITED, FAILED, REFUSED = (
    "complete", "budget", "stopped", "left", "limited", "failed", "refused",
)  # fmt: skip
"""How a measurement ended."""


class Running:
    """One measurement: waiting, under way or over. Its lines stay when its process is gone."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self.work = MEASURING.enter(self._parts(), self._halt)

    @property
    def running(self) -> bool:
        return not self.work.over

    def beat(self) -> None:
        """The page that asked for it is still there."""
        if self._process is not None:
            with suppress(OSError, ValueError):  # it may just have ended
                assert self._process.stdin is not None
                self._process.stdin.write(b".")

    def found(self) -> Measured:
        """What it has found so far."""
        running = self.running  # before the lines: what ends in between is told next time
        return read_measured(tuple(self._lines), running)

    def ending(self) -> str:
        """How it ended; "" while it runs."""
        if self.running:
            return ""
        found = self.found()
        if found.ended:
            return COMPLETE if found.all else BUDGET
        if self._stopped:
            return STOPPED
        if self._process is None:
            return REFUSED
        return {UNHEARD: LEFT, OVERDUE: LIMITED}.get(self._process.returncode, FAILED)

    def _parts(self) -> Iterator[float]:
        """All of it in one part: nothing else is measured before its process has ended."""
        with suppress(OSError):  # the server can start no process
            self._process = subprocess.Popen(
                COMMAND, cwd=Path(core.__file__).parents[1], bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
            self._listen(self._process)
        yield from ()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take its lines as they come, until it ends."""
        if self._stopped:
            process.kill()
        last_resort = Timer(TIME_LIMIT + GRACE, process.kill)
        last_resort.daemon = True
        last_resort.start()
        assert process.stdin is not None
        assert isinstance(process.stdout, io.RawIOBase)
        with process.stdin, io.BufferedReader(process.stdout) as lines:
            for line in lines:
                self._lines.append(line)
            process.wait()
        last_resort.cancel()

    def _halt(self) -> None:
        self._stopped = True
        if self._process is not None:
            self._process.kill()
