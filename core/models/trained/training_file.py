"""A training as a file: its losses, the weights at the steps that are kept, and what they do.

The format is safetensors: `losses` has the loss of every step, `<step>.<array>` a matrix of the
program before that step, in float16. The header says how the model was trained, and what was
measured of it. All that is measured is measured on the weights as they are stored.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from time import monotonic
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors.numpy import load, save

from core.models.trained.measures import Measures, measured
from core.pytorch.training import Moment, Task, TrainingSettings, Weights, train_model

FORMAT = "2"
_PARTS_KEPT = (0, 1 / 16, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1)


def steps_kept(steps: int) -> tuple[int, ...]:
    """At which steps the weights of a training of so many are kept: more often in the beginning."""
    return tuple(sorted({round(part * steps) for part in _PARTS_KEPT}))


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A training, as far as it was done: the loss of every step; the weights at the steps that are
    kept, and what was measured of them.
    """

    task: Task
    settings: TrainingSettings
    losses: Float[np.ndarray, "steps"]
    weights: Mapping[int, Weights]
    measures: Mapping[int, Measures]
    seconds: float
    """How long it took."""
    date: str
    torch: str
    """The version of PyTorch that it was done with."""


class TrainingRun:
    """A training under way, step by step, with what it has come to."""

    def __init__(self, task: Task, settings: TrainingSettings, kept: Collection[int]) -> None:
        """Its weights are kept, and measured, at the steps `kept`."""
        self.task, self.settings, self._kept = task, settings, kept
        self._moments = train_model(task, settings)
        self._losses: list[float] = []
        self._weights: dict[int, Weights] = {}
        self._measures: dict[int, Measures] = {}
        self._now: Moment | None = None
        self._began = monotonic()

    @property
    def losses(self) -> Sequence[float]:
        """Of every step so far."""
        return self._losses

    @property
    def is_over(self) -> bool:
        return len(self._losses) > self.settings.steps

    def advance(self) -> bool:
        """Do a step; return whether its weights were kept."""
        self._now = next(self._moments)
        self._losses.append(self._now.loss)
        is_kept = self._now.step in self._kept
        if is_kept:
            self.keep()
        return is_kept

    def keep(self) -> None:
        """Keep the weights of the step that was done last, and measure them."""
        assert self._now is not None
        stored = {name: as_stored(array) for name, array in self._now.weights.items()}
        self._weights[self._now.step] = stored
        self._measures[self._now.step] = measured(self.task, stored, self.settings)

    def model(self) -> TrainedModel:
        """What it has come to."""
        return TrainedModel(
            self.task, self.settings, np.array(self._losses), dict(self._weights),
            dict(self._measures), monotonic() - self._began, date.today().isoformat(),
            version("torch"),
        )  # fmt: skip


def as_stored(array: np.ndarray) -> np.ndarray:
    """Numbers as they are when they come back from a file."""
    return array.astype(np.float16).astype(np.float64)


def training_bytes(training: TrainedModel) -> bytes:
    """Return a training as a file."""
    arrays = {
        f"{step}.{name}": array.astype(np.float16)
        for step, weights in training.weights.items()
        for name, array in weights.items()
    }
    said = {
        "format": FORMAT,
        "settings": json.dumps(asdict(training.settings)),
        "measures": json.dumps({step: asdict(one) for step, one in training.measures.items()}),
        "seconds": f"{training.seconds:.1f}",
        "date": training.date,
        "torch": training.torch,
    }
    return save(arrays | {"losses": training.losses.astype(np.float32)}, said)


def read_training(data: bytes, task: Task) -> TrainedModel:
    """Read a training of a task from the bytes of a file that `training_bytes` made."""
    said = _header(data)
    measures = {int(step): _measures(one) for step, one in json.loads(said["measures"]).items()}
    weights: dict[int, dict[str, np.ndarray]] = {step: {} for step in sorted(measures)}
    arrays = load(data)
    for key, array in arrays.items():
        step, _, name = key.partition(".")
        if name:
            weights[int(step)][name] = array.astype(np.float64)
    return TrainedModel(
        task, TrainingSettings(**json.loads(said["settings"])),
        arrays["losses"].astype(np.float64), MappingProxyType(weights),
        MappingProxyType(measures), float(said["seconds"]), said["date"], said["torch"],
    )  # fmt: skip


def _header(data: bytes) -> Mapping[str, str]:
    """What the header of a safetensors file says beside its tensors: 8 bytes of length, JSON."""
    length = int.from_bytes(data[:8], "little")
    found: Mapping[str, str] = json.loads(data[8 : 8 + length])["__metadata__"]
    return found


def _measures(said: Mapping[str, Any]) -> Measures:
    scores = {
        name: tuple(tuple(heads) for heads in layers) for name, layers in said["scores"].items()
    }
    prefixes = {int(length): (loss, right) for length, (loss, right) in said["prefixes"].items()}
    return Measures(said["loss"], said["right"], scores, said["without"], prefixes)
