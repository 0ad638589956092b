"""A copy of the last commit, where a mistake is made and tests are run."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import Mutant

KILLED, SURVIVED, LATE = "killed", "survived", "late"
NO_TESTS = 5
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    state: str
    by: str = ""
    """The test that noticed."""


class Copy:
    """A clone of its own, which is gone with the folder it is in."""

    def __init__(self, root: Path, folder: Path) -> None:
        subprocess.run(["git", "clone", "--quiet", "--shared", str(root), str(folder)], check=True)
        self.folder = folder

    def tried(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> Outcome:
        """What these tests say to a mistake, in so many seconds."""
        file = self.folder / mutant.path
        file.write_text(mutant.new, encoding="utf-8")
        try:
            return self.run(tests, seconds)
        finally:
            file.write_text(mutant.old, encoding="utf-8")

    def run(self, tests: Sequence[str], seconds: float, *options: str) -> Outcome:
        """Up to the first that fails."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", *options, *tests]
        asked = {name: said for name, said in os.environ.items() if name not in ("DEEP", "SHARE")}
        with tempfile.TemporaryFile("w+") as output:  # a server that is left may keep it open
            run = subprocess.Popen(
                command, cwd=self.folder, start_new_session=True, env=asked,
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                run.wait(seconds)
            except subprocess.TimeoutExpired:
                return Outcome(LATE)
            finally:
                ended(run)
            output.seek(0)
            said = output.read()
        if run.returncode in (0, NO_TESTS):
            return Outcome(SURVIVED)
        found = FAILED.search(said)
        return Outcome(KILLED, found[1] if found else said.strip().splitlines()[-1])


def ended(run: subprocess.Popen[bytes]) -> None:
    """The tests end their servers when they are interrupted; what does not end is ended."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(run.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            run.wait(timeout=10)
