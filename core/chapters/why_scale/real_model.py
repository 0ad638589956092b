"""A head of a real model: its scores divided by √d_k, as the model divides them, or undivided.

The model was trained with the division. So the undivided run shows what its own Q and K would
give, and not what training without the division would lead to. The head is a typical one: its
divided scores have a variance near the median of all heads.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.given.given_program import vectors_program
from core.attention.masks import Rule
from core.models.captures import Capture, CapturedRun, load_variances, vectors_of
from core.program.families import Built, Family, Options, Toggle
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("why_scale")
REAL_HEAD = "smollm2-pronouns"
REAL_PROGRAMS = {
    "on": vectors_program(1, 1, Rule("causal")),
    "off": vectors_program(1, 1, Rule("causal"), scale=False),
}
REAL_SCALED = Toggle(
    "scale_real_on", TEXTS("real_scaled"), {name: name for name in REAL_PROGRAMS}, "on"
)


def real_head_family(capture: Capture) -> Family:
    """Return the runs of a captured head's own Q, K and V, with the division and without."""

    def build(options: Options) -> Built:
        return Built(REAL_PROGRAMS[options[REAL_SCALED.key]], vectors_of(capture))

    return Family((REAL_SCALED,), build)


def variance_of_scores(trace: Trace, array: str) -> float:
    """Return the variance of the visible cells of scores of one head, about their mean.

    (1/n) Σ (s − mean)² over the n pairs of query and key that the mask shows.
    """
    return float(trace[array][0][trace["mask"]].var())


def largest_weight(weights: Float[np.ndarray, "T T"]) -> float:
    """Return (1/(T−1)) Σ max_j w[i, j] over the rows i ≥ 1: row 0 sees only one key."""
    return float(weights[1:].max(axis=1).mean())


@dataclass(frozen=True)
class TrainedVariances:
    """The variances of the divided scores of all heads of a run: how trained scores spread."""

    heads: int
    above_1: int
    """Heads whose scores vary more than those of independent entries."""
    quarter: float
    """A quarter of the heads have this or less."""
    median: float
    three_quarters: float
    most: float


@cache
def trained_variances(run: CapturedRun) -> TrainedVariances:
    """Return this of every head of a captured run. Raises `InputError` for a damaged file."""
    found = load_variances(run)
    quartiles = np.percentile(found, (25, 50, 75, 100)).tolist()
    return TrainedVariances(found.size, int((found > 1).sum()), *quartiles)
