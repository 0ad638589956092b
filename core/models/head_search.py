"""Scores of all heads of a run: for a grid of them, and to find which head does most."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from core.models.captures import LINKED, CapturedHead, CapturedRun, load_maps
from core.models.head_scores import HEAD_SCORES, linked_words


def scores_of_all_heads(
    run: CapturedRun, score: str, pairs: Sequence[tuple[int, int]] = ()
) -> Float[np.ndarray, "L H"]:
    """Return a score of every layer and head of a run, from its maps: each weight of these is off
    by at most 0.002. `pairs` are those of `linked_words`.
    """
    maps = load_maps(run)

    def one(weights: np.ndarray) -> float:
        if score == LINKED:
            return linked_words(weights, pairs)
        return HEAD_SCORES[score](weights, run.tokens)

    return np.array([[one(weights) for weights in layer] for layer in maps])


def lead_of(run: CapturedRun, head: CapturedHead) -> float:
    """Return how far a captured head is ahead of the second of its run, by its own score; below 0
    if another head is ahead of it.
    """
    scores = scores_of_all_heads(run, head.score, head.pairs)
    own = scores[head.layer, head.head]
    scores[head.layer, head.head] = -np.inf
    return float(own - scores.max())


def leading_heads(scores: Float[np.ndarray, "L H"], many: int) -> list[tuple[int, int]]:
    """Return the layer and head, from 0, of so many heads with the largest scores, best first."""
    order = np.argsort(-scores, axis=None, kind="stable")[:many]
    layers, heads = np.unravel_index(order, scores.shape)
    return list(zip(layers.tolist(), heads.tolist(), strict=True))
