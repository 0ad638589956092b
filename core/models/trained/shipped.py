"""The trainings that ship, made by `make trained`; and a training's runs on the stage."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from core.attention.layers.language_model import MODEL_WORDS, model_program, one_hot
from core.models.head_places import Place
from core.models.trained.measures import switched_off
from core.models.trained.tasks import AGREEMENT, DATA, LETTERS, PERIOD, REPEATS, tasks
from core.models.trained.training_file import TrainedModel, read_training
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.pytorch.training import Task, TrainingSettings, Weights
from core.texts import core_texts

TEXTS = core_texts("trained")
NONE, LAST = "none", "last"
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


@cache
def shipped_training(name: str) -> TrainedModel:
    """Return a training that ships, by its name in `SHIPPED`."""
    task = tasks()[SHIPPED[name].task]
    return read_training((DATA / f"{name}.safetensors").read_bytes(), task)


def trained_inputs(task: Task, weights: Weights, words: tuple[str, ...]) -> Inputs:
    """What `model_program` is given: words of the task, and a model's weights."""
    arrays = {"one_hot": one_hot(words, task.words), **weights, "P": weights["P"][: len(words)]}
    return Inputs(arrays, words, {MODEL_WORDS: task.words})


def snapshot_family(training: TrainedModel) -> Family:
    """The model of a training at each step that is kept, on the words that a reader watches.

    One head, or all heads of a kind, can be off: nothing of what they read is passed on.
    """
    kept = step_options(training)
    words = {option: str(at) for option, at in kept.items()}
    off = {NONE: TEXTS("none")} | {name: name for name in off_options(training)}
    step = Toggle("trained_at", TEXTS("step"), words, LAST, of_page=True)
    without = Toggle(
        "trained_off", TEXTS("off"), off, NONE, of_page=True
    )  # fmt: skip
    settings = training.settings
    mask = "causal" if settings.masked else "none"

    def build(options: Options) -> Built:
        at = kept[options[step.key]]
        weights = training.weights[at]
        heads = heads_off(training, at, options[without.key])
        program = model_program(settings.layers, settings.heads, mask=mask)
        own = without_heads(weights, heads, settings)
        return Built(program, trained_inputs(training.task, own, training.task.shown))

    return Family((step, without), build)


def off_options(training: TrainedModel) -> list[str]:
    """What can be switched off at one of the steps, as a link names it: a head, or a kind."""
    names = (name for found in training.measures.values() for name in switched_off(found.scores))
    return list(dict.fromkeys(names))


def heads_off(training: TrainedModel, step: int, off: str) -> list[Place]:
    """The heads that are off at a step; none if no head is of that kind there."""
    return switched_off(training.measures[step].scores).get(off, [])


def step_options(training: TrainedModel) -> dict[str, int]:
    """The steps whose weights are kept, each as a link names it."""
    *earlier, last = sorted(training.weights)
    return {str(step): step for step in earlier} | {LAST: last}


def without_heads(
    weights: Weights, heads: Collection[Place], settings: TrainingSettings
) -> Weights:
    """Weights of a model whose heads of these places give nothing: their rows of W_O are 0."""
    own, d_k = dict(weights), settings.d_model // settings.heads
    for layer, head in heads:
        name = f"W_O_{layer + 1}"
        own[name] = own[name].copy()
        own[name][head * d_k : (head + 1) * d_k] = 0
    return own
