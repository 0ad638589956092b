"""Mistakes: changes to any program that they fit, and the runs they make.

And what is no program: slips of the hand, and wrong lines of numpy that somebody may write in a
step's place, with what either makes of the right operands.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from core.errors import InputError, input_error
from core.program import formulas as f
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Phase
from core.program.trace import BoundStep, Trace
from core.texts import core_texts

TEXTS = core_texts("program")

NEAREST = 8
"""As many arrays are tried in an operand's place: the last ones before it."""


@dataclass(frozen=True)
class Lines:
    """The code of a mistake and of its mending, and the functions that both call.

    The names in it are those of the program's arrays.
    """

    broken: str
    mended: str
    helper: str = ""


@dataclass(frozen=True)
class Mistake:
    """A mistake: its name, why it is wrong, how it is put into a program, and its PyTorch.

    `put` takes a program and returns the broken one. It raises `InputError` where the mistake does
    not apply. `numpy` is for a mistake that is more than the line of its step.
    """

    name: str
    why: str
    put: Callable[[Program], Program]
    torch: Lines
    numpy: Lines | None = None

    def change(self, program: Program) -> Program:
        """The broken program, which says at its step that it is. Raises `InputError`."""
        wrong = self.put(program)
        step, text = changed_step(program, wrong), TEXTS("broken", mistake=self.name)
        return replace(
            wrong, phases=tuple(_with_summary(text, phase, step) for phase in wrong.phases)
        )

    def unfit(self, program: Program) -> str:
        """Why the mistake cannot be made in a program; "" where it can."""
        try:
            self.put(program)
        except InputError as error:
            return str(error)
        return ""

    def made_of(self, trace: Trace, program: Program) -> Trace:
        """The run that the mistake makes of a program's inputs, `trace` being the right one.

        Raises `InputError` where it does not apply.
        """
        wrong = self.change(program)
        for name in (i.name for i in wrong.inputs if i.name not in trace):
            raise input_error(TEXTS, "lacks_input", array=name)
        given = {i.name: trace[i.name] for i in wrong.inputs}
        noise = {name: trace.noise[name] for name in given}
        inputs = Inputs(
            given, trace.tokens, trace.more_tokens, noise, trace.labels, trace.random_rows
        )
        return wrong.run(inputs, {name: trace[name] for name in trace.pinned})


@dataclass(frozen=True)
class HandSlip:
    """A slip of a person who works a step out by hand: its name, why it is wrong, what it gives.

    Unlike a mistake it is no program: `of` works it from the run, at one step, and returns None for
    a step in which nobody can make it.
    """

    name: str
    why: str
    of: Callable[[Trace, BoundStep], np.ndarray | None]

    def made_of(self, trace: Trace) -> dict[str, np.ndarray]:
        """Return what the slip makes of each step of a run in which it can be made."""
        found = {}
        for name, bound in trace.steps.items():
            with np.errstate(all="ignore"):
                made = self.of(trace, bound)
            if made is not None:
                found[name] = made
        return found


def changed_step(right: Program, wrong: Program) -> str:
    """The step that a mistake makes otherwise: with another operation, or else other operands."""
    changed = [s for s in wrong.steps if s.name in right.step and s != right.step[s.name]]
    anew = (s for s in changed if s.operation is not right.step[s.name].operation)
    return next(anew, changed[0]).name


def _with_summary(summary: str, phase: Phase, step: str) -> Phase:
    """Return a phase, or the one inside it that makes a step, with another summary."""
    inner = tuple(_with_summary(summary, one, step) for one in phase.phases)
    makes = step in phase.names
    return replace(phase, phases=inner, summary=summary if makes else phase.summary)


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
    kinds = {name: (array.ndim, array.dtype == bool) for name, array in trace.items()}
    for at, right in enumerate(operands):
        fitting = [name for name in before if name != right and kinds[name] == kinds[right]]
        for other in fitting[: -NEAREST - 1 : -1]:
            read = [trace[name] for name in (*operands[:at], other, *operands[at + 1 :])]
            name, line = TEXTS("wrong_operand", other=other, right=right), bound.operation.forward
            yield from attempts(name, intended_formula(bound), partial(line, *read))


def intended_formula(bound: BoundStep) -> str:
    """Return a sentence with the formula of a step."""
    symbols = f.plain_formula(bound.operation.formula(*map(f.name, bound.step.operands)))
    return TEXTS("meant", formula=symbols)
