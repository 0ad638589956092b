"""A run as it is worked out on paper: each number is rounded before the next step uses it."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain
from types import MappingProxyType

import numpy as np

from core.program.inputs import Inputs
from core.program.numbers.rounding import (
    CELL_DECIMALS,
    are_fractions,
    fraction_text,
    full_text,
    rounded,
)
from core.program.patterns import Cell
from core.program.running import Settle, run_program
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
    return _on_paper(trace, worked, places)


def printed_on_paper(
    trace: Trace, array: str, cell: Cell, known: Mapping[tuple[str, Cell], float]
) -> Trace:
    """The same run as one cell is worked out from what a sheet prints.

    A matrix of simple fractions has these. Other numbers have two decimals, or as many as lead to
    the cell that the run shows, six at most. The `known` cells are numbers that a person has
    worked out before. If the cell comes out otherwise then, it is what two decimals lead to.
    """
    steps = [name for name in trace if trace[name].dtype != bool and name != array]
    fractions = frozenset(name for name in steps if are_fractions(trace[name].ravel().tolist()))
    runs = (
        _on_paper(
            trace, (array,),
            {name: decimals for name in trace if name not in fractions} | {array: CELL_DECIMALS},
            known,
        )
        for decimals in range(CELL_DECIMALS, GIVEN_DECIMALS + 1)
    )  # fmt: skip
    first = next(runs)
    wanted = rounded(float(trace[array][cell]), CELL_DECIMALS)
    found = next((run for run in chain([first], runs) if run[array][cell] == wanted), first)
    return replace(found, fractions=fractions)


def with_mask_turned(
    exact: Trace, paper: Trace, mask: tuple[str, Cell], cell: tuple[str, Cell]
) -> Trace:
    """Return a printed run with one cell as it were if a cell of a mask said the opposite.

    It has as many decimals as its array. `exact` is the run before it was rounded.
    """
    (name, at), (array, place) = mask, cell
    turned = exact[name].copy()
    turned[at] = not turned[at]
    number = float(_again(exact, {name: turned})[array][place])
    numbers = paper[array].copy()
    is_fraction = array in paper.fractions
    if not (is_fraction and fraction_text(number)):
        number = rounded(number, CELL_DECIMALS if is_fraction else _places(numbers))
    numbers[place] = number
    return replace(paper, arrays={**paper.arrays, name: turned, array: numbers})


def _on_paper(
    trace: Trace,
    worked: Collection[str],
    places: Mapping[str, int],
    known: Mapping[tuple[str, Cell], float] = MappingProxyType({}),
) -> Trace:
    """A run of which each array has so many decimals; of one without `places` all."""

    def settle(name: str, numbers: np.ndarray) -> np.ndarray:
        exact = numbers if name in worked else trace[name]
        if exact.dtype == bool:
            return exact
        settled = _rounded(exact, places[name]) if name in places else exact.copy()
        for (_, at), number in ((of, x) for of, x in known.items() if of[0] == name):
            settled[at] = number
        return settled

    made = _again(trace, settle=settle)
    written = (_places(made[name]) for name in places)
    return replace(made, on_paper=max(LINE_DECIMALS, *written))


def _again(
    trace: Trace,
    instead: Mapping[str, np.ndarray] = MappingProxyType({}),
    settle: Settle = lambda name, numbers: numbers,
) -> Trace:
    """The same run once more, with other numbers in some arrays."""
    given = {made.name for made in trace.program.inputs}
    arrays = {name: trace[name] for name in {*given, *trace.pinned}} | dict(instead)
    pinned = {name: numbers for name, numbers in arrays.items() if name not in given}
    inputs = Inputs(
        {name: arrays[name] for name in given}, trace.tokens, trace.more_tokens, trace.noise
    )
    return run_program(trace.program, inputs, pinned, settle)


def _places(numbers: np.ndarray) -> int:
    """The most decimals of a number of an array."""
    if numbers.dtype == bool:
        return 0
    return max(len(full_text(number).partition(".")[2]) for number in numbers.ravel().tolist())


def _rounded(numbers: np.ndarray, decimals: int) -> np.ndarray:
    made = [rounded(number, decimals) for number in numbers.ravel().tolist()]
    return np.array(made, dtype=float).reshape(numbers.shape)
