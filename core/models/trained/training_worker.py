"""A training in a process of its own: python -m core.models.trained.training_worker.

It reads lines from its input, and answers each on its output. The first line says in JSON what is
trained: `task`, `text` and `settings`. Each line `go` is then answered by a quarter of a second of
steps: a line of JSON with their `losses` and how many `bytes` come after it, which are the training
as a file so far where weights were kept. `stop` keeps those of the last step, sends them, and ends
the process. So does the end of the input, and silence.
"""

import json
import os
import sys
from threading import Timer
from time import monotonic
from typing import IO

from core.models.trained.own_training import requested_task
from core.models.trained.training_file import TrainingRun, steps_kept, training_bytes
from core.pytorch.training import TrainingSettings

GO, STOP = "go", "stop"
PART = 0.25
"""Seconds of steps that answer a line."""
SILENCE = 120.0
"""Seconds without a line after which a process ends by itself."""
POLITE = 10
"""What the process adds to its niceness: pages of others come first."""


def answer_line(run: TrainingRun, word: str, output: IO[bytes]) -> bool:
    """Answer a line; return whether there is more to come."""
    before, is_kept = len(run.losses), word == STOP
    if word == GO:
        until = monotonic() + PART
        while not run.is_over and monotonic() < until:
            is_kept = run.advance() or is_kept
            if len(run.losses) == 1:
                break  # the first loss is shown at once
    elif run.losses:
        run.keep()
    file = training_bytes(run.model()) if is_kept and run.losses else b""
    said = {"losses": run.losses[before:], "bytes": len(file)}
    output.write(json.dumps(said).encode() + b"\n" + file)
    output.flush()
    return word == GO and not run.is_over


def train_as_asked() -> None:
    """Train as asked, until it is done, stopped, or nobody asks any more."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(POLITE)
    asked = json.loads(sys.stdin.readline())
    settings = TrainingSettings(**asked["settings"])
    task = requested_task(asked["task"], asked["text"])
    run = TrainingRun(task, settings, steps_kept(settings.steps))
    while answer_line(run, _next_line(), sys.stdout.buffer):
        pass


def _next_line() -> str:
    """Wait for a line; the end of the input is `STOP`."""
    silence = Timer(SILENCE, os._exit, [0])
    silence.daemon = True
    silence.start()
    word = sys.stdin.readline().strip()
    silence.cancel()
    return word or STOP


if __name__ == "__main__":
    train_as_asked()
