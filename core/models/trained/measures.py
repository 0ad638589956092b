"""What a trained model has learned: its loss, what its heads read, and what they carry.

The examples are those that are kept for judging. What a head reads is said by the scores of
`head_scores`, as means over the examples.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Float

from core.models.head_scores import COUNTED_CELLS
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.pytorch.training import Examples, Head, Task, TrainingSettings, Weights, judged

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
        REPEATS: (PREVIOUS, INDUCTION),
        PERIOD: (PREVIOUS, INDUCTION),
        AGREEMENT: (LINKED,),
    }
)
"""The scores that say what heads do for a task."""
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


def measured(
    task: Task, weights: Weights, settings: TrainingSettings
) -> tuple[float, float, Scores]:
    """Return a model's loss in nats, the part that it has right, and its heads' scores."""
    examples = examples_for(task)
    found = judged(weights, examples, masked=settings.masked)
    scores = {
        score: tuple(tuple(head_score(score, layer, examples).tolist()) for layer in found.weights)
        for score in SCORES[task.name]
    }
    return found.loss, found.right, scores


def heads_of_kind(scores: tuple[tuple[float, ...], ...]) -> list[Head]:
    """The heads whose score is above `OF_A_KIND`, those with more of it first."""
    found = {
        (layer, head): score
        for layer, heads in enumerate(scores, 1)
        for head, score in enumerate(heads)
        if score > OF_A_KIND
    }
    return sorted(found, key=lambda head: -found[head])


def loss_without(
    task: Task, weights: Weights, settings: TrainingSettings, off: Collection[Head]
) -> float:
    """The loss in nats of a model whose heads `off` give nothing."""
    return judged(weights, examples_for(task), masked=settings.masked, off=off).loss


def judged_on_prefixes(
    task: Task, weights: Weights, settings: TrainingSettings
) -> dict[int, tuple[float, float]]:
    """Return, by the length of a text, the loss of its next token and the part that is right.

    The text ends there, so that a model that reads what comes next finds nothing.
    """
    examples = examples_for(task, 4 * JUDGED)
    last = np.zeros_like(examples.counted)
    found = {}
    for length in PREFIXES:
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
