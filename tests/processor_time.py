"""A run says at its end how much processor time it took, that of servers and browsers included."""

import ctypes
import os
import resource
import sys
from contextlib import suppress

import pytest

PR_SET_CHILD_SUBREAPER = 36


def pytest_configure(config: pytest.Config) -> None:
    """Be who waits for what is left behind.

    A browser waits for none of its windows' processes, which do most of its work, and the time of
    a process for which nobody waits is in no sum.
    """
    if sys.platform == "linux" and not hasattr(config, "workerinput"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Workers, servers and browsers have ended by now."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in spent)
    terminalreporter.write_line(f"{seconds:.1f} s of processor time ({seconds / 60:.1f} minutes)")
