"""The layer norm of one row of eight numbers, small enough for a head (Ba, Kiros and Hinton 2016).

    (x − mean) / √(variance + ε), the variance being the mean of the squares of x − mean

Before training a layer norm's gain is 1 and its bias 0, so this is all that it does.
"""

from functools import lru_cache

import numpy as np

from core.attention.sublayers import EPSILON
from core.operations.norms import divide_by_spread, mean_square, row_mean
from core.operations.sums import subtract
from core.program.axes import Axis
from core.program.inputs import Inputs
from core.program.operation import number_text
from core.program.program import Program
from core.program.rounding import typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

NUMBERS = (2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0)


@lru_cache(maxsize=1)
def norm_program() -> Program:
    """A row to mean 0 and variance 1, in four steps."""
    return Program(
        (Input("x", "i m", _number("Number {} of the row.")),),
        (
            Step("mean", row_mean(), ("x",), _of_row("The mean of the row."), axes="i o"),
            Step("centred", subtract("i m, i 0 -> i m"), ("x", "mean"),
                 _number("Number {}, minus the mean."), axes="i m"),
            Step("variance", mean_square(), ("centred",),
                 _of_row("The variance of the row: the mean of the squares."), axes="i o"),
            Step("normed", divide_by_spread(EPSILON), ("centred", "variance"),
                 _number("Number {} of the row, brought to mean 0 and variance 1."), axes="i m"),
        ),
        _PHASES,
        {"o": 1},
        {"i": Axis("row", word="row"), "m": Axis("number of the row", word="number"),
         "o": Axis("of the row", word="of the row")},
        makes="the normalised row",
    )  # fmt: skip


@lru_cache(maxsize=1)
def eight_numbers() -> Trace:
    """The run on the eight numbers."""
    return norm_program().run(Inputs({"x": np.array([NUMBERS])}, ()))


def moved_by_epsilon() -> float:
    """By how much ε moves these numbers at most."""
    trace = eight_numbers()
    without = trace["centred"] / np.sqrt(trace["variance"])
    return float(np.abs(trace["normed"] - without).max())


def _number(said: str) -> Meaning:
    return lambda trace, cell: said.format(cell[1] + 1)


def _of_row(said: str) -> Meaning:
    return lambda trace, cell: said


_PHASES = (
    Phase("The row", ("x",), "Eight numbers."),
    Phase(
        "The mean", ("mean",), "All numbers, added up and divided by how many there are.",
        defines=True, words="The mean says where the numbers of the row lie.",
    ),
    Phase(
        "Take off the mean", ("centred",), "Each number, minus the mean.", defines=True,
        words="What is left adds up to 0.",
    ),
    Phase(
        "The variance", ("variance",), "The mean of the squares.", defines=True,
        words="It says how far the numbers lie from their mean. Its root is the standard "
        "deviation, or spread.",
    ),
    Phase(
        "Divide by the spread", ("normed",), "By the root of the variance.", defines=True,
        words="Then the row has variance 1, or nearly so: "
        f"{typeset(number_text(EPSILON))} is added to the variance first, so that a row of equal "
        "numbers is not divided by 0.",
    ),
)  # fmt: skip
