"""A mean with weights: Σ p_j v_j, the expectation of v where v_j comes up with probability p_j.

It lies within the hull of the rows, and is the plain mean where all weights are equal.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from core.operations.merging import share_rows, total
from core.operations.products import matmul
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("words")
VALUES: Float[np.ndarray, "4 2"] = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]])
MOST_VECTORS = 10


@cache
def mean_program() -> Program:
    """Return dials over their sum, times the values. Weights: [0, 1], their sum 1."""
    return Program(
        (
            Input("dials", "h j", meaning(TEXTS, "dial", "h j", value="j")),
            Input("V", "j v", meaning(TEXTS, "value", "j v", value="j", feature="v"), role="value"),
        ),
        (
            Step("totals", total("h j -> h o"), ("dials",), meaning(TEXTS, "total")),
            Step(
                "weights", share_rows("h j, h 0 -> h j"), ("dials", "totals"),
                meaning(TEXTS, "weight", "h j", value="j"), "weights",
            ),
            Step(
                "average", matmul("h j, j v -> h v"), ("weights", "V"),
                meaning(TEXTS, "mean", "h v", feature="v"),
            ),
        ),
        (
            phase(TEXTS, "dials", ("dials",)),
            phase(TEXTS, "divided", ("totals", "weights")),
            phase(TEXTS, "average", ("average",), defines=True),
        ),
        {"h": 1, "o": 1},
        {
            "h": Axis("row", word="row"), "j": Axis("value row", word="value"),
            "v": Axis("feature", word="feature"), "o": Axis("sum", word="sum"),
        },
    )  # fmt: skip


def mean_family(dials: Sequence[int | float]) -> Family:
    """Return four rows of two numbers, weighted by these dials."""

    def build(options: Options) -> Built:
        row = np.array(dials, dtype=np.float64)[None]
        return Built(mean_program(), Inputs({"dials": row, "V": VALUES}, ()))

    return Family((), build)


def mean_of(trace: Trace) -> Float[np.ndarray, "2"]:
    """Return the mean that a run ends with."""
    mean: np.ndarray = trace["average"][0]
    return mean


def drawn_mean(weights: Float[np.ndarray, "4"], draws: int, seed: int) -> Float[np.ndarray, "2"]:
    """Return the mean of this many values, drawn with the weights as probabilities."""
    picked = np.random.default_rng(seed).choice(len(VALUES), size=draws, p=weights)
    mean: np.ndarray = VALUES[picked].mean(axis=0)
    return mean
