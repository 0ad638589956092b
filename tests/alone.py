"""A Python that has nothing of ours, for the code that people take away."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ONE_BY_ONE = """
import contextlib, io, json, signal, sys

for line in sys.stdin:
    signal.alarm(120)
    ends, said = [], io.StringIO()
    for source in json.loads(line):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            try:
                exec(source, {"__name__": "__main__"})
                ends.append("ran")
            except Exception as error:
                ends.append(type(error).__name__)
    print(json.dumps([ends, said.getvalue()]), flush=True)
    signal.alarm(0)
"""
"""Runs sources, each with names of its own; what takes minutes ends the process."""
RunAlone = Callable[[list[str]], tuple[list[str], str]]
"""How each of these sources ended, and what they wrote to stderr."""


@contextmanager
def running_alone() -> Iterator[RunAlone]:
    """One process for the sources of many tests: most of the time goes into its start."""
    command = [sys.executable, "-I", "-W", "error", "-c", ONE_BY_ONE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        asked, answers = process.stdin, process.stdout
        assert asked is not None
        assert answers is not None

        def run(sources: list[str]) -> tuple[list[str], str]:
            print(json.dumps(sources), file=asked, flush=True)
            ends, said = json.loads(answers.readline())
            return ends, said

        yield run
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")
