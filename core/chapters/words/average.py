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
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

VALUES: Float[np.ndarray, "4 2"] = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]])
MOST = 10


@cache
def mean_program() -> Program:
    """Dials over their sum, times the values. Weights: [0, 1], their sum 1."""
    return Program(
        (Input("dials", "h j", _dial), Input("V", "j v", _value, role="value")),
        (
            Step("totals", total("h j -> h o"), ("dials",), _total),
            Step("weights", share_rows("h j, h 0 -> h j"), ("dials", "totals"), _share, "weights"),
            Step("average", matmul("h j, j v -> h v"), ("weights", "V"), _mean),
        ),
        (
            Phase("Dials", ("dials",), "How much of each.",
                  words="A dial for each value: any number that is not below 0."),
            Phase("Shares", ("totals", "weights"), "Each over their sum.",
                  words="Divided by their sum, the dials become weights: shares of 1."),
            Phase("Mean", ("average",), "Each value times its weight, added up.", defines=True,
                  words="Each row of values is multiplied by its weight, and all are added up. If "
                  "a value were drawn at random with these shares as chances, this is what would "
                  "come up on average: the expectation."),
        ),
        {"h": 1, "o": 1},
        {
            "h": Axis("row", word="row"), "j": Axis("value row", word="value"),
            "v": Axis("feature", word="feature"), "o": Axis("sum", word="sum"),
        },
        makes="the mean",
    )  # fmt: skip


def mean_family(dials: Sequence[int | float]) -> Family:
    """Four rows of two numbers, weighed by these dials."""

    def build(options: Options) -> Built:
        row = np.array(dials, dtype=np.float64)[None]
        return Built(mean_program(), Inputs({"dials": row, "V": VALUES}, ()))

    return Family((), build)


def mean_of(trace: Trace) -> Float[np.ndarray, "2"]:
    mean: np.ndarray = trace["average"][0]
    return mean


def drawn_mean(weights: Float[np.ndarray, "4"], draws: int, seed: int) -> Float[np.ndarray, "2"]:
    """The mean of so many values drawn with these chances."""
    picked = np.random.default_rng(seed).choice(len(VALUES), size=draws, p=weights)
    mean: np.ndarray = VALUES[picked].mean(axis=0)
    return mean


def _dial(trace: Trace, cell: Cell) -> str:
    return f"How much value {cell[1] + 1} is to count."


def _value(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[1] + 1} of value {cell[0] + 1}."


def _total(trace: Trace, cell: Cell) -> str:
    return "All dials, added up."


def _share(trace: Trace, cell: Cell) -> str:
    return f"The share of value {cell[1] + 1} in the mean."


def _mean(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[1] + 1} of the mean."
