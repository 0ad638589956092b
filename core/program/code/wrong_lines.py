"""Wrong lines of a single step, and the numbers that they make of the right operands.

A mistake (`core.program.mistakes`) is a whole program, which runs and explains itself. A slip is a
line of numpy that somebody may write in a step's place.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.program import formulas as f
from core.program.trace import BoundStep, Trace
from core.texts import core_texts

TEXTS = core_texts("program")

NEAREST = 8
"""As many arrays are tried in an operand's place: the last ones before it."""


@dataclass(frozen=True, eq=False)
class WrongLine:
    """A wrong line: its name, why it is wrong, and what it makes."""

    name: str
    why: str
    made: np.ndarray


WrongLines = Callable[[Trace, BoundStep], Iterator[WrongLine]]
"""The slips of one kind that can be made at a step."""


def attempts(name: str, why: str, *lines: Callable[[], np.ndarray]) -> Iterator[WrongLine]:
    """A slip for each spelling of a wrong line that runs."""
    for line in lines:
        try:
            with np.errstate(all="ignore"):
                yield WrongLine(name, why, np.array(line()))
        except (ValueError, IndexError):  # shapes that do not fit: Python says so itself
            continue


def wrong_operand(trace: Trace, bound: BoundStep) -> Iterator[WrongLine]:
    """Another array in the place of one that the step reads."""
    operands = bound.step.operands
    before = list(itertools.takewhile(lambda name: name != bound.step.name, trace))
    for at, right in enumerate(operands):
        fitting = [name for name in before if name != right and _alike(trace[name], trace[right])]
        for other in fitting[: -NEAREST - 1 : -1]:
            read = [trace[name] for name in (*operands[:at], other, *operands[at + 1 :])]
            yield from attempts(
                TEXTS("wrong_operand", other=other, right=right),
                intended_formula(bound),
                partial(bound.operation.forward, *read),
            )


def intended_formula(bound: BoundStep) -> str:
    """Return a sentence with the formula of a step."""
    symbols = f.plain_formula(bound.operation.formula(*map(f.name, bound.step.operands)))
    return TEXTS("meant", formula=symbols)


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return one.ndim == other.ndim and (one.dtype == bool) == (other.dtype == bool)
