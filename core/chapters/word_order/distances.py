"""One token at every position: its scores with itself, by the distance between the two.

So only the position differs, and the scores show only what an encoding adds. Each run is the
chapter's own program, on rows of X that are all the same.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from core.attention.inputs import toy_inputs
from core.chapters.word_order.encoding_inputs import D_MODEL, HEADS, encoding_inputs
from core.chapters.word_order.encodings import encoding_program
from core.program.inputs import Inputs
from core.program.numbers.rounding import NOISE_DECIMALS

PLACES = 24
Scores = Mapping[int, tuple[float, ...]]
"""For each distance from a key to a later query, or to the same place, its different scores."""


@lru_cache(maxsize=64)
def scores_by_distance(kind: str, token: str, head: int) -> Scores:
    """The scores before the mask of a head, counted from 0; alike up to float noise is the same."""
    toy = toy_inputs(token, heads=HEADS, d_model=D_MODEL)
    given = {name: toy[name] for name in ("W_Q", "W_K", "W_V")}
    given |= {"X": np.repeat(toy["X"], PLACES, axis=0), **encoding_inputs(kind, PLACES)}
    trace = encoding_program(kind).run(Inputs(given, (token,) * PLACES))
    scores = trace["biased" if "biased" in trace else "scaled"][head]
    found = defaultdict(set)
    for i, j in np.ndindex(scores.shape):
        if j <= i:
            found[i - j].add(round(float(scores[i, j]), NOISE_DECIMALS))
    return {distance: tuple(sorted(several)) for distance, several in sorted(found.items())}


def spread(scores: Scores) -> float:
    """Return by how much scores of one distance differ at most."""
    return max(several[-1] - several[0] for several in scores.values())


def is_flat(scores: Scores) -> bool:
    """Return whether there is only one score, whatever the distance."""
    return len({score for several in scores.values() for score in several}) == 1
