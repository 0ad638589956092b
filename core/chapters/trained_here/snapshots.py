"""What a page shows of a training: the heads at each step that is kept, and what they do."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from core.attention.layers.language_model import likeliest, model_program
from core.models.head_places import Place
from core.models.head_scores import COUNTED_CELLS
from core.models.trained.measures import (
    INDUCTION,
    LINKED,
    NEXT,
    OF_A_KIND,
    PREFIXES,
    PREVIOUS,
    Measures,
)
from core.models.trained.shipped import snapshot_family, step_options, trained_inputs
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.models.trained.training_file import TrainedModel
from core.program.patterns import Cell

WRITTEN = 24
"""Tokens that a model writes on."""
LAST_LOSSES = 50
"""A training's loss at its end is the mean of so many steps."""
_MAIN: Mapping[str, str] = {
    LETTERS: PREVIOUS,
    REPEATS: INDUCTION,
    PERIOD: INDUCTION,
    AGREEMENT: LINKED,
}


def main_score(training: TrainedModel) -> str:
    """The score of a task's own heads; without a mask, of those that read the answer."""
    return _MAIN[training.task.name] if training.settings.masked else NEXT


def best_head(measures: Measures, score: str) -> tuple[Place, float]:
    """The head with most of a score, and how much it has."""
    layers = np.array(measures.scores[score])
    layer, head = np.unravel_index(int(layers.argmax()), layers.shape)
    return (int(layer), int(head)), float(layers.max())


def named_heads(measures: Measures) -> dict[Place, tuple[str, float]]:
    """Of each head that has enough of a score: the score of which it has most, and how much."""
    found: dict[Place, tuple[str, float]] = {}
    for score, layers in measures.scores.items():
        for place, has in np.ndenumerate(np.array(layers)):
            if has > max(OF_A_KIND, found.get(place, ("", 0.0))[1]):
                found[place] = score, float(has)
    return found


@lru_cache(maxsize=16)
def shown_weights(training: TrainedModel) -> Float[np.ndarray, "kept L H T T"]:
    """The weights of all heads on the shown row of words, at each step that is kept."""
    family, layers = snapshot_family(training), range(1, training.settings.layers + 1)
    runs = [family.run(trained_at=step) for step in step_options(training)]
    return np.array([[run[f"weights_{layer}"] for layer in layers] for run in runs])


def opening_weight(training: TrainedModel) -> tuple[str, Cell]:
    """The weight that shows best what the training's own heads do, on the shown row of words.

    It is one of a first head, which a stage shows at first, and of the second half of the rows:
    rows of few keys say little.
    """
    score, last = main_score(training), max(training.weights)
    layer = int(np.argmax([heads[0] for heads in training.measures[last].scores[score]]))
    weights = shown_weights(training)[-1, layer, 0]
    T = len(weights)
    rows = np.arange(T)[:, None]
    if score == LINKED:
        counted = rows == T - 1  # the word before the verb
    else:
        counted = COUNTED_CELLS[score](list(training.task.shown)) & (rows >= T // 2)
    row, key = np.unravel_index(int((weights * counted).argmax()), weights.shape)
    return f"weights_{layer + 1}", (0, int(row), int(key))


def forming(training: TrainedModel) -> tuple[int, int]:
    """The two steps next to each other among those that are kept between which the measure of the
    task's own heads rose most.
    """
    score = main_score(training)
    has = {step: best_head(found, score)[1] for step, found in training.measures.items()}
    return max(pairwise(sorted(has)), key=lambda two: has[two[1]] - has[two[0]])


def loss_at_end(training: TrainedModel) -> float:
    """The loss of a training's last steps, on their own examples."""
    return float(training.losses[-LAST_LOSSES:].mean())


@lru_cache(maxsize=32)
def tokens_written(training: TrainedModel, step: int, prompt: tuple[str, ...]) -> tuple[str, ...]:
    """What a model writes after a prompt: always the token that it finds likeliest."""
    settings, words = training.settings, list(prompt)
    program = model_program(
        settings.layers, settings.heads, mask="causal" if settings.masked else "none"
    )
    for _ in range(WRITTEN):
        read = tuple(words[-training.task.context :])
        run = program.run(trained_inputs(training.task, training.weights[step], read))
        words.append(likeliest(run))
    return tuple(words[len(prompt) :])


def right_on_prefixes(measures: Measures) -> tuple[float, float]:
    """The least and the most that is right of the next letter of texts that end early."""
    right = [measures.prefixes[length][1] for length in PREFIXES]
    return min(right), max(right)
