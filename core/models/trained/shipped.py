"""The trainings that ship: their weights at some steps, made by `make trained`.

A file is one training, in the safetensors format: the loss of every step, and the weights at the
steps that are kept, in float16. All that is said of a training is measured on the weights as they
are stored.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors import safe_open

from core.attention.layers.language_model import MODEL_WORDS, model_program, one_hot
from core.models.trained.tasks import AGREEMENT, DATA, LETTERS, PERIOD, REPEATS, tasks
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.pytorch.training import Task, TrainingSettings, Weights
from core.texts import core_texts

TEXTS = core_texts("trained")
FORMAT = "1"
KEPT_REPEATS = (0, 50, 100, 125, 150, 175, 200, 300, 800)
KEPT_LETTERS = (0, 25, 50, 100, 150, 200, 400, 600)


@dataclass(frozen=True)
class Planned:
    """A training that ships: what is learned, how, and at which steps its weights are kept."""

    task: str
    settings: TrainingSettings
    kept: tuple[int, ...]


_OF_LETTERS = TrainingSettings(heads=4, d_model=48, steps=600)
SHIPPED: Mapping[str, Planned] = MappingProxyType(
    {
        "letters": Planned(LETTERS, _OF_LETTERS, KEPT_LETTERS),
        "letters-unmasked": Planned(
            LETTERS, TrainingSettings(False, heads=4, d_model=48, steps=600), KEPT_LETTERS
        ),
        "repeats": Planned(REPEATS, TrainingSettings(steps=800), KEPT_REPEATS),
        "period": Planned(PERIOD, TrainingSettings(steps=300), (0, 25, 50, 75, 100, 150, 200, 300)),
        "agreement": Planned(
            AGREEMENT, TrainingSettings(steps=150), (0, 10, 20, 30, 50, 75, 100, 150)
        ),
    }
)


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A training that was done: every step's loss, and the weights at the steps that are kept."""

    task: Task
    settings: TrainingSettings
    losses: Float[np.ndarray, "steps"]
    weights: Mapping[int, Weights]
    seconds: float
    """How long it took."""
    date: str
    torch: str
    """The version of PyTorch that it was done with."""


@cache
def shipped_training(name: str) -> TrainedModel:
    """Return a training that ships, by its name in `SHIPPED`."""
    planned = SHIPPED[name]
    with safe_open(DATA / f"{name}.safetensors", framework="numpy") as file:
        said: Mapping[str, Any] = file.metadata()
        weights: dict[int, dict[str, np.ndarray]] = {step: {} for step in planned.kept}
        for key in file.keys():  # noqa: SIM118 — it is no mapping
            step, _, array = key.partition(".")
            if array:
                weights[int(step)][array] = file.get_tensor(key).astype(np.float64)
        losses = file.get_tensor("losses").astype(np.float64)
    settings = TrainingSettings(**json.loads(said["settings"]))
    return TrainedModel(
        tasks()[planned.task], settings, losses, MappingProxyType(weights),
        float(said["seconds"]), said["date"], said["torch"],
    )  # fmt: skip


def trained_inputs(task: Task, weights: Weights, words: tuple[str, ...]) -> Inputs:
    """What `model_program` is given: words of the task, and a model's weights."""
    arrays = {"one_hot": one_hot(words, task.words), **weights, "P": weights["P"][: len(words)]}
    return Inputs(arrays, words, {MODEL_WORDS: task.words})


def snapshot_family(training: TrainedModel) -> Family:
    """The model of a training at each step that is kept, on the words that a reader watches."""
    steps = [str(step) for step in training.weights]
    toggle = Toggle(
        "trained_step", TEXTS("step"), {step: step for step in steps}, steps[-1], about="weights_2"
    )
    settings = training.settings
    mask = "causal" if settings.masked else "none"

    def build(options: Options) -> Built:
        weights = training.weights[int(options[toggle.key])]
        program = model_program(settings.layers, settings.heads, mask=mask)
        return Built(program, trained_inputs(training.task, weights, training.task.shown))

    return Family((toggle,), build)
