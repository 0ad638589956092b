"""A visitor's training: it waits for its turn, is done in a process of its own, and is kept.

There is one process at most: the queue does one training at a time to its end, part by part. If its
visitor leaves, the process waits. When another training gets its turn meanwhile, the one that waits
is stopped, and what it has come to is kept.
"""

import json
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from time import monotonic

from core.models.trained.own_training import requested_task
from core.models.trained.training_file import TrainedModel, read_training
from core.models.trained.training_worker import GO, STOP
from core.pytorch.training import TrainingSettings
from ui.server.queue import Queue, Work

TRAININGS = Queue()
"""Everybody's trainings, one at a time."""
ROOT = Path(__file__).parents[3]
MOST_KEPT = 16
DONE, STOPPED, LEFT, KILLED = "done", "stopped", "left", "killed"
Asked = tuple[str, str, TrainingSettings]
_FINISHED: OrderedDict[Asked, bytes] = OrderedDict()
"""Trainings that were done: who asks for the same has it at once."""


class OwnTraining:
    """A training that was asked for: the name of its task, its text, and its settings.

    `ended` says how it ended, "" until then. `losses` are those of every step so far, `model` is
    the training up to the last step that was kept. Raises `InputError` for a text of which nothing
    can be learned.
    """

    _under_way: "OwnTraining | None" = None
    """The one whose process runs, or waits for its visitor."""

    def __init__(self, task: str, text: str, settings: TrainingSettings) -> None:
        self.asked: Asked = task, text, settings
        self.task, self.settings = requested_task(task, text), settings
        self.losses: list[float] = []
        self.model: TrainedModel | None = None
        self.ended = ""
        self.stops = False
        self.work: Work | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._seconds = 0.0
        if (file := _FINISHED.get(self.asked)) is not None:
            self._take(file)
            self.losses = self.model.losses.tolist() if self.model else []
            self.ended = DONE
        else:
            self.work = TRAININGS.enter(self._parts())

    @property
    def is_loading(self) -> bool:
        """Whether its process has begun, and has done no step yet."""
        return self._process is not None and not self.losses and not self.ended

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far; None before there is one."""
        if len(self.losses) < 2:
            return None
        return self._seconds / len(self.losses) * (self.settings.steps + 1 - len(self.losses))

    def stop(self) -> None:
        """End it for good: the model is as it is at its last step."""
        self.stops = True
        if self.work is not None and not self.work.begun:
            self.work.stop()
            self.ended = STOPPED
        elif self.is_loading and (process := self._process) is not None:
            process.kill()  # it has nothing to keep

    def _parts(self) -> Iterator[float]:
        yield 0.0  # so that the page can say that it is its turn
        try:
            self._begin()
            while not self.ended:
                self._go_on()
                yield 0.0
        finally:
            if not self.ended:  # something failed: nobody waits for a process that is not heard
                self._close(KILLED)

    def _begin(self) -> None:
        """Take over: what another visitor has left is stopped."""
        if (other := OwnTraining._under_way) is not None and other is not self:
            other.end(LEFT)
        if self.ended:
            return
        OwnTraining._under_way = self
        task, text, settings = self.asked
        command = [sys.executable, "-m", "core.models.trained.training_worker"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._send(json.dumps({"task": task, "text": text, "settings": asdict(settings)}))

    def _go_on(self) -> None:
        """Have a part done, or end it if that is asked for."""
        if self.stops:
            self.end(STOPPED)
            return
        began, had = monotonic(), len(self.losses)
        self._send(GO)
        self._receive()
        if had:  # before, it loads
            self._seconds += monotonic() - began

    def end(self, how: str) -> None:
        """Have the process keep its last step, if it has done one, and let it go."""
        if self.losses and not self.ended:
            self._send(STOP)
            self._receive()
        self._close(self.ended or how)

    def _send(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except OSError:  # it is gone: the next answer does not come
            pass

    def _receive(self) -> None:
        """Take an answer: losses, and the training so far where weights were kept."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:  # it is gone; by itself, if nobody asked for long
            is_silent = self._process.wait() == 0
            self._close(STOPPED if self.stops else LEFT if is_silent else KILLED)
            return
        said = json.loads(line)
        file = self._process.stdout.read(said["bytes"])
        self.losses += said["losses"]
        if file:
            self._take(file)
        if len(self.losses) > self.settings.steps:
            _FINISHED[self.asked] = file
            while len(_FINISHED) > MOST_KEPT:
                _FINISHED.popitem(last=False)
            self._close(DONE)

    def _take(self, file: bytes) -> None:
        self.model = read_training(file, self.task)

    def _close(self, how: str) -> None:
        """Let the process go."""
        self.ended = how
        if OwnTraining._under_way is self:
            OwnTraining._under_way = None
        if self._process is None:
            return
        self._process.kill()
        with self._process:  # it closes what leads to it, and waits for its end
            pass
        self._process = None
