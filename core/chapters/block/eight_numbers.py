"""The layer norm of one row of eight numbers, small enough for a head (Ba, Kiros and Hinton 2016).

    (x − mean) / √(variance + ε), the variance being the mean of the squares of x − mean

Before training a layer norm's gain is 1 and its bias 0, so this is all that it does.
"""

from functools import lru_cache

import numpy as np

from core.attention.layers.row_norms import EPSILON
from core.operations.norms import divide_by_spread, mean_square, row_mean
from core.operations.sums import subtract
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("block")
NUMBERS = (2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0)


@lru_cache(maxsize=1)
def norm_program() -> Program:
    """A row to mean 0 and variance 1, in four steps."""
    return Program(
        (Input("x", "i m", _number("number")),),
        (
            Step("mean", row_mean(), ("x",), meaning(TEXTS, "mean"), axes="i o"),
            Step("centred", subtract("i m, i 0 -> i m"), ("x", "mean"),
                 _number("centred"), axes="i m"),
            Step("variance", mean_square(), ("centred",),
                 meaning(TEXTS, "variance"), axes="i o"),
            Step("normed", divide_by_spread(EPSILON), ("centred", "variance"),
                 _number("normed"), axes="i m"),
        ),
        _PHASES,
        {"o": 1},
        {"i": Axis("row", word="row"), "m": Axis(TEXTS("axis_number"), word="number"),
         "o": Axis(TEXTS("axis_row"), word=TEXTS("axis_row"))},
    )  # fmt: skip


@lru_cache(maxsize=1)
def eight_numbers() -> Trace:
    """The run on the eight numbers."""
    return norm_program().run(Inputs({"x": np.array([NUMBERS])}, ()))


def _number(id: str) -> Meaning:
    return meaning(TEXTS, id, "i m", number="m")


_PHASES = (
    Phase(TEXTS("row_title"), ("x",), TEXTS("row_summary")),
    phase(TEXTS, "mean", ("mean",), defines=True),
    phase(TEXTS, "centred", ("centred",), defines=True),
    phase(TEXTS, "variance", ("variance",), defines=True),
    phase(TEXTS, "normed", ("normed",), defines=True),
)
