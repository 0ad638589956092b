"""Scores of all heads of a run: for a grid of them, and to find which head does most."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from core.models.captures import LINKED, CapturedHead, CapturedRun, load_maps, read_capture
from core.models.head_scores import COUNTED_CELLS, HEAD_SCORES, counted_weight, linked_words

Place = tuple[int, int]
"""A layer and a head, from 0."""


def weights_of_all_heads(run: CapturedRun) -> Float[np.ndarray, "L H T T"]:
    """Return the weights of every head of a run: of the captured ones as the model computed them,
    of the others from its maps, where each is off by at most 0.002.
    """
    weights = load_maps(run).copy()
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


def scores_of_all_heads(
    run: CapturedRun, score: str, pairs: Sequence[tuple[int, int]] = ()
) -> Float[np.ndarray, "L H"]:
    """Return a score of every layer and head of a captured run, as of `scores_of_weights`."""
    return scores_of_weights(weights_of_all_heads(run), run.tokens, score, pairs)


def lead_of(run: CapturedRun, head: CapturedHead) -> float:
    """Return how far a captured head is ahead of the second of its run, by its own score; below 0
    if another head is ahead of it.
    """
    scores = scores_of_all_heads(run, head.score, head.pairs)
    own = scores[head.layer, head.head]
    scores[head.layer, head.head] = -np.inf
    return float(own - scores.max())


def leading_heads(scores: Float[np.ndarray, "L H"], many: int) -> list[Place]:
    """Return the layer and head, from 0, of so many heads with the largest scores, best first."""
    order = np.argsort(-scores, axis=None, kind="stable")[:many]
    layers, heads = np.unravel_index(order, scores.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))
