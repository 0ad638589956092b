"""Scores of all heads of a run, which head does most, and which weights of it its score counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float

from core.models.captures import (
    LINKED,
    MAP_STEPS,
    Capture,
    CapturedHead,
    CapturedRun,
    load_maps,
    read_capture,
)
from core.models.head_places import Place
from core.models.head_scores import COUNTED_CELLS, HEAD_SCORES, counted_weight, linked_words
from core.program.patterns import Cell

LEADERS = 3
"""How many heads of a run are named, for a score."""


@dataclass(frozen=True, eq=False)
class ScoredHeads:
    """One score of each layer and head of a run, and the heads with the largest, best first."""

    scores: Float[np.ndarray, "L H"]
    leaders: tuple[Place, ...]


def weights_of_all_heads(run: CapturedRun) -> Float[np.ndarray, "L H T T"]:
    """Return the weights of every head of a run: of the captured ones as the model computed them,
    of the others from its maps, where each is off by at most 0.002. A weight in the highest step is
    in its middle: only a row that sees one key has a weight of 1.
    """
    weights = load_maps(run).copy()
    rows = weights[:, :, 1 if run.mask == "causal" else 0 :]
    rows[rows == 1] -= 1 / (4 * MAP_STEPS)
    for head in run.heads:
        weights[head.place] = read_capture(run, head).weights
    return weights


def scores_of_weights(
    weights: Float[np.ndarray, "L H T T"],
    tokens: Sequence[str],
    score: str,
    pairs: Sequence[tuple[int, int]] = (),
) -> Float[np.ndarray, "L H"]:
    """Return a score of every layer and head of any run, from 0 to 1.

    `score` is a name in `HEAD_SCORES`, or `linked_words`; only that one has `pairs`.
    """
    cells = COUNTED_CELLS[score](tokens) if score in COUNTED_CELLS else None

    def one(head: np.ndarray) -> float:
        head = head.astype(np.float64, copy=False)
        if cells is not None:
            return counted_weight(head, cells)
        return linked_words(head, pairs) if score == LINKED else HEAD_SCORES[score](head, tokens)

    return np.array([[one(head) for head in layer] for layer in weights])


def scored_heads(
    weights: Float[np.ndarray, "L H T T"], tokens: Sequence[str], score: str
) -> ScoredHeads:
    """Return a score (a name in `HEAD_SCORES`) of every head of a run, and who leads by it."""
    scores = scores_of_weights(weights, tokens, score)
    return ScoredHeads(scores, tuple(leading_heads(scores, LEADERS)))


def scores_of_all_heads(
    run: CapturedRun, score: str, pairs: Sequence[tuple[int, int]] = ()
) -> Float[np.ndarray, "L H"]:
    """Return a score of every layer and head of a captured run, as of `scores_of_weights`."""
    return scores_of_weights(weights_of_all_heads(run), run.tokens, score, pairs)


@cache
def median_score(run: CapturedRun, head: CapturedHead) -> float:
    """Return the median of a captured head's own score over all heads of its run: what a head does
    that nobody chose.
    """
    return float(np.median(scores_of_all_heads(run, head.score, head.pairs)))


def leading_heads(scores: Float[np.ndarray, "L H"], many: int) -> list[tuple[int, int]]:
    """Return the layer and head, from 0, of so many heads with the largest scores, best first."""
    order = np.argsort(-scores, axis=None, kind="stable")[:many]
    layers, heads = np.unravel_index(order, scores.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))


def counted_cells(run: CapturedRun, head: CapturedHead) -> Bool[np.ndarray, "T T"]:
    """Return which weights the head's score counts; none if it is about whole rows."""
    if head.score in COUNTED_CELLS:
        return COUNTED_CELLS[head.score](run.tokens)
    cells = np.zeros((len(run.tokens),) * 2, bool)
    if head.score == LINKED:
        cells[tuple(np.transpose(head.pairs))] = True
    return cells


def telling_cell(capture: Capture) -> Cell:
    """Return the largest weight that the head's score counts in the lower half of the rows, where
    a token has many to choose from, as a cell (0, query, key). If none is counted there, it is the
    largest weight of the last row.
    """
    cells = counted_cells(capture.run, capture.head)
    cells[: len(cells) // 2] = False
    if not cells.any():
        cells[-1] = True
    query, key = np.unravel_index(np.where(cells, capture.weights, -1).argmax(), cells.shape)
    return 0, int(query), int(key)
