"""A run as it is worked out on paper: each number is rounded before the next step uses it."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from core.program.inputs import Inputs
from core.program.rounding import CELL_DECIMALS, full_text, rounded
from core.program.running import run_program
from core.program.trace import Trace

GIVEN_DECIMALS = 6
"""A given number is printed in full; with more decimals than this it is rounded to them."""
LINE_DECIMALS = 4
"""What is in between within a cell, such as an exponential, keeps this many decimals or more."""


def worked_on_paper(trace: Trace, worked: Collection[str]) -> Trace:
    """The same run on paper: the arrays of `worked` are computed from rounded numbers, and rounded.

    A cell has two decimals. What the run was given has all of its own, six at most. Every other
    array is as the run shows it.
    """
    places = {name: CELL_DECIMALS if name in trace.steps else GIVEN_DECIMALS for name in trace}

    def settle(name: str, numbers: np.ndarray) -> np.ndarray:
        exact = numbers if name in worked else trace[name]
        return exact if exact.dtype == bool else _rounded(exact, places[name])

    given = {made.name: trace[made.name] for made in trace.program.inputs}
    pinned = {name: trace[name] for name in trace.pinned}
    inputs = Inputs(given, trace.tokens, trace.more_tokens, trace.noise)
    made = run_program(trace.program, inputs, pinned, settle)
    return replace(made, on_paper=max(LINE_DECIMALS, *map(_places, made.values())))


def _places(numbers: np.ndarray) -> int:
    """The most decimals of a number of an array."""
    if numbers.dtype == bool:
        return 0
    return max(len(full_text(number).partition(".")[2]) for number in numbers.ravel().tolist())


def _rounded(numbers: np.ndarray, decimals: int) -> np.ndarray:
    made = [rounded(number, decimals) for number in numbers.ravel().tolist()]
    return np.array(made, dtype=float).reshape(numbers.shape)
