"""What a trained model has learned: its loss, what its heads read, and what they carry.

The examples are those that are kept for judging. What a head reads is said by the scores of
`head_scores`, as means over the examples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Float

from core.models.head_places import Place, place_text
from core.models.head_scores import COUNTED_CELLS
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.pytorch.training import Examples, Task, TrainingSettings, Weights, judged

JUDGED = 100
"""Examples that a model is judged on."""
SEED = 7
"""They are drawn with this seed."""
PREFIXES = range(4, 21, 4)
"""Lengths of texts that are shorter than those of training."""
PREVIOUS, INDUCTION, NEXT, LINKED = "previous_token", "induction", "next_token", "linked_words"
SCORES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        LETTERS: (PREVIOUS, NEXT),
        REPEATS: (PREVIOUS, INDUCTION, NEXT),
        PERIOD: (PREVIOUS, INDUCTION, NEXT),
        AGREEMENT: (LINKED, NEXT),
    }
)
"""The scores that say what heads do for a task. Without a mask, they may read the next token."""
OF_A_KIND = 0.3
"""A head with a higher score is of the score's kind."""


def examples_for(task: Task, count: int = JUDGED) -> Examples:
    """The examples that models of a task are judged on."""
    return task.draw(np.random.default_rng(SEED), count, True)


def head_score(
    score: str, weights: Float[np.ndarray, "B H T T"], examples: Examples
) -> Float[np.ndarray, "H"]:
    """Return what each head of a layer has of a score: the mean over the examples, of each as
    `counted_weight` takes it. Induction counts the queries after which the next token is known.
    """
    if score == LINKED and examples.linked is not None:
        query, key = examples.linked.T
        linked: np.ndarray = weights[np.arange(len(weights)), :, query, key].mean(axis=0)
        return linked
    cells: np.ndarray = _cells(score, examples)
    rows = np.asarray(cells.any(axis=-1))
    in_cells = (weights * cells[:, None]).sum(axis=-1) @ rows[:, :, None]
    found: np.ndarray = (in_cells[..., 0] / rows.sum(axis=-1)[:, None]).mean(axis=0)
    return found


def _cells(score: str, examples: Examples) -> Bool[np.ndarray, "B T T"]:
    """The cells that a score counts, of each example."""
    rows = [COUNTED_CELLS[score](list(map(str, row))) for row in examples.tokens]
    cells: np.ndarray = np.stack(rows)
    return cells & examples.counted[:, :, None] if score == INDUCTION else cells


Scores = Mapping[str, tuple[tuple[float, ...], ...]]
"""By the name of a score what each layer's heads have of it."""


@dataclass(frozen=True)
class Measures:
    """What a model does on the examples that it is judged on.

    Its `loss` in nats, the part that it has `right`, its heads' `scores`; the loss `without` one
    head, by its place as a link has it, or without all heads of a kind, by the score's name. Of
    letters also the loss and the part right on texts that end early, by their length.
    """

    loss: float
    right: float
    scores: Scores
    without: Mapping[str, float]
    prefixes: Mapping[int, tuple[float, float]]


def measured(task: Task, weights: Weights, settings: TrainingSettings) -> Measures:
    """Measure a model's weights."""
    examples = examples_for(task)
    found = judged(weights, examples, masked=settings.masked)
    scores = {
        score: tuple(tuple(head_score(score, layer, examples).tolist()) for layer in found.weights)
        for score in SCORES[task.name]
    }
    without = {
        name: judged(weights, examples, masked=settings.masked, off=off).loss
        for name, off in switched_off(scores).items()
    }
    prefixes = judged_on_prefixes(task, weights, settings) if task.name == LETTERS else {}
    return Measures(found.loss, found.right, scores, without, prefixes)


def heads_of_kind(scores: tuple[tuple[float, ...], ...]) -> list[Place]:
    """The heads whose score is above `OF_A_KIND`, those with more of it first."""
    found = {
        (layer, head): score
        for layer, heads in enumerate(scores)
        for head, score in enumerate(heads)
        if score > OF_A_KIND
    }
    return sorted(found, key=lambda head: -found[head])


def switched_off(scores: Scores) -> dict[str, list[Place]]:
    """What can be switched off: each head, by its place, and all heads of a kind, by its score."""
    some, *_ = scores.values()
    each = [(layer, head) for layer, heads in enumerate(some) for head in range(len(heads))]
    kinds = {score: heads_of_kind(found) for score, found in scores.items()}
    return {place_text(place): [place] for place in each} | {
        score: heads for score, heads in kinds.items() if heads
    }


def judged_on_prefixes(
    task: Task, weights: Weights, settings: TrainingSettings
) -> dict[int, tuple[float, float]]:
    """Return, by the length of a text, the loss of its next token and the part that is right.

    The text ends there, so that a model that reads what comes next finds nothing. The longest text
    is as long as those of training.
    """
    examples = examples_for(task, 4 * JUDGED)
    last = np.zeros_like(examples.counted)
    found = {}
    for length in (*PREFIXES, task.context):
        last[:] = False
        last[:, length - 1] = True
        cut = Examples(
            examples.tokens[:, :length], examples.targets[:, :length], last[:, :length].copy()
        )
        result = judged(weights, cut, masked=settings.masked)
        found[length] = (result.loss, result.right)
    return found


def commonest(task: Task) -> tuple[float, float]:
    """The part of targets that are the commonest token, and the standard error of a part like it.

    Both of as many examples as texts of one length are judged on.
    """
    examples = examples_for(task, 4 * JUDGED)
    targets = examples.targets[examples.counted]
    share = float(np.bincount(targets).max() / len(targets))
    return share, float(np.sqrt(share * (1 - share) / len(examples.tokens)))
