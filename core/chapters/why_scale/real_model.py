"""Scores divided by √d_k or undivided: of a sentence, and of a head of a real model.

The model was trained with the division. So the undivided run shows what its own Q and K would
give, and not what training without the division would lead to. The head is a typical one: its
divided scores have a variance near the median of all heads.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.family import SCALE_TOGGLE
from core.attention.given.given_program import vectors_program
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.program import attention_program
from core.models.captures import Capture, CapturedRun, load_variances, vectors_of
from core.program.families import Built, Family, Options, Toggle
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("why_scale")
HEAD_SIZES = (4, 8, 16, 32, 64)
PROGRAMS = {"on": attention_program(heads=1), "off": attention_program(heads=1, scale=False)}
SCALED = Toggle("scale_on", SCALE_TOGGLE.word, {name: name for name in PROGRAMS}, "on")
D_K = Toggle("scale_d_k", "d_k", {str(d): str(d) for d in HEAD_SIZES}, "64", resizes=True)


def sentence_family(text: str) -> Family:
    """The sentence with one head, so that d_k = d_model. Building raises `InputError`."""

    def build(options: Options) -> Built:
        inputs = toy_inputs(text, heads=1, d_model=int(options[D_K.key]))
        return Built(PROGRAMS[options[SCALED.key]], inputs)

    return Family((SCALED, D_K), build, "scale_", sentence_family)


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
    programs, vectors = REAL_PROGRAMS, vectors_of(capture)
    return Family((REAL_SCALED,), lambda now: Built(programs[now[REAL_SCALED.key]], vectors))


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
