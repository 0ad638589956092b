"""What a program is made of: inputs, steps, and the phases in which they are taught."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from core.program.formulas import Formula, mark, name, row
from core.program.operation import Operation
from core.program.patterns import Cell

L = TypeVar("L", bound="Listing")
Meaning = Callable[[Any, Cell], str]
"""What a cell of an array of a trace means, in a sentence or two."""


AXIS_NAMES = {
    "h": "head", "g": "key/value head", "i": "query position", "j": "key position",
    "m": "model feature", "k": "key feature", "v": "value feature", "c": "joined feature",
}  # fmt: skip


@dataclass(frozen=True)
class Input:
    """An array that a program is given: its name, the letters of its axes, and what it is."""

    name: str
    axes: str
    meaning: Meaning
    boolean: bool = False


@dataclass(frozen=True)
class Step:
    """One named array of a program: an operation applied to arrays that come before it."""

    name: str
    operation: Operation
    operands: tuple[str, ...]
    meaning: Meaning


@dataclass(frozen=True)
class Phase:
    """What is taught at once: one stop of the walk through a program, and the arrays it makes.

    The arrays of a phase that `defines` keep their names in later formulas; the others are written
    out inside them.
    """

    title: str
    names: tuple[str, ...]
    summary: str
    defines: bool = False


@dataclass(frozen=True, eq=False)
class Listing:
    """Inputs, steps and the phases they are taught in; `sizes` fixes letters such as h and g."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    phases: tuple[Phase, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name of a trace: the inputs, then the steps in order."""
        return tuple(i.name for i in self.inputs) + tuple(s.name for s in self.steps)

    @cached_property
    def step(self) -> Mapping[str, Step]:
        return {step.name: step for step in self.steps}

    @cached_property
    def axes(self) -> Mapping[str, tuple[str, ...]]:
        """The letters of each array's axes."""
        given = {i.name: tuple(i.axes.split()) for i in self.inputs}
        return given | {
            s.name: tuple(s.operation.template.split("->")[1].split()) for s in self.steps
        }

    def replaced(self: L, array: str, *steps: Step) -> L:
        """This program with other steps in the place of one; the last of them makes that array."""
        put = {array: steps}
        return replace(
            self, steps=tuple(s for old in self.steps for s in put.get(old.name, (old,)))
        )

    def phase(self, array: str) -> int:
        """The number, from 0, of the phase that makes an array or first uses it as an input."""
        for number, phase in enumerate(self.phases):
            if array in phase.names:
                return number
        users = (s.name for s in self.steps if array in s.operands)
        return min((self.phase(user) for user in users), default=0)

    def formula(self, array: str) -> Formula:
        """The formula of an array; steps that are not definitions are written out inside it."""
        if array not in self.step:
            return name(array)
        step = self.step[array]
        operands = (self._inside(operand) for operand in step.operands)
        return ["step", array, step.operation.formula(*operands)]

    def definitions(self) -> list[Formula]:
        """The program as formulas, in order: X, Q = …, K = …, V = …, and the output written out."""
        first = [name(i) for i in self.phases[0].names]
        named = [n for phase in self.phases if phase.defines for n in phase.names]
        return (
            [["step", i[-1], i] for i in first]
            + [["step", n, row(name(n), mark("="), self.formula(n)[2])] for n in named]
            + [self.formula(self.steps[-1].name)]
        )

    def _inside(self, array: str) -> Formula:
        defined = array not in self.step or self.phases[self.phase(array)].defines
        return name(array) if defined else self.formula(array)
