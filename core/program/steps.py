"""What a program is made of: inputs, steps, the phases in which they are taught, and axes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from core.program.axes import HEAD, Axis
from core.program.formulas import Formula, name, row, with_brackets, word_formula
from core.program.operation import SIGNED, Operation
from core.program.patterns import Cell

L = TypeVar("L", bound="Listing")
Meaning = Callable[[Any, Cell], str]
"""What a cell of an array of a trace means, in a sentence or two."""


@dataclass(frozen=True)
class Input:
    """An array that a program is given: its name, the letters of its axes, and what it is.

    `role` is the part it plays ("query"); each role has one colour wherever a name is written.
    `palette` is how its cells are coloured, as that of an operation.
    """

    name: str
    axes: str
    meaning: Meaning
    boolean: bool = False
    role: str = ""
    palette: str = SIGNED


@dataclass(frozen=True)
class Step:
    """One named array of a program: an operation applied to arrays that come before it.

    `axes` says the letters of its axes where they are not those of its operands.
    """

    name: str
    operation: Operation
    operands: tuple[str, ...]
    meaning: Meaning
    role: str = ""
    axes: str = ""


@dataclass(frozen=True)
class Phase:
    """What is taught at once: one stop of the walk through a program, and the arrays it makes.

    The arrays of a phase that `defines` keep their names in later formulas; the others are written
    out inside them. `summary` is for one glance; `words` say in two or three sentences what the
    phase is for and what to look at. `shows` says what stands in miniature for the phase, where
    that is not simply what it makes. A phase that holds `phases` is one stop that opens into them.
    `before` is the array whose rows became those of the phase.
    """

    title: str
    names: tuple[str, ...]
    summary: str
    defines: bool = False
    shows: tuple[str, ...] = ()
    phases: tuple["Phase", ...] = ()
    words: str = ""
    before: str = ""

    @property
    def main(self) -> str:
        """The array that the phase is about: the first it defines, or else the last it makes."""
        return self.names[0] if self.defines else self.names[-1]

    @property
    def miniatures(self) -> tuple[str, ...]:
        """What stands for the phase where all phases are seen at once."""
        return self.shows or (self.names if self.defines else self.names[-1:])

    def innermost(self) -> Iterator["Phase"]:
        """The phases that make arrays one by one: this one, or those inside it."""
        if not self.phases:
            yield self
        for inner in self.phases:
            yield from inner.innermost()


Stops = Sequence[Phase]


@dataclass(frozen=True, eq=False)
class Listing:
    """Inputs, steps and the phases they are taught in, as they are listed.

    `sizes` fixes letters such as a number of heads; `axes` says what letters count.
    """

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    phases: tuple[Phase, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    axes: Mapping[str, Axis] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name of a trace: the inputs, then the steps in order."""
        return tuple(i.name for i in self.inputs) + tuple(s.name for s in self.steps)

    @property
    def last(self) -> str:
        """The array that the program is for: of its last step, or its last input if it has none."""
        return self.names[-1]

    @cached_property
    def step(self) -> Mapping[str, Step]:
        return {step.name: step for step in self.steps}

    @cached_property
    def meaning(self) -> Mapping[str, Meaning]:
        """What is said of a cell of each array."""
        given = {i.name: i.meaning for i in self.inputs}
        return given | {s.name: s.meaning for s in self.steps}

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The role of each array that has one."""
        given = {i.name: i.role for i in self.inputs if i.role}
        return given | {s.name: s.role for s in self.steps if s.role}

    @cached_property
    def palettes(self) -> Mapping[str, str]:
        """How the cells of each array are coloured."""
        given = {i.name: i.palette for i in self.inputs}
        return given | {s.name: s.operation.palette for s in self.steps}

    @cached_property
    def letters(self) -> Mapping[str, tuple[str, ...]]:
        """The letters of each array's axes."""
        found = {i.name: tuple(i.axes.split()) for i in self.inputs}
        for step in self.steps:
            of_operands = [found[operand] for operand in step.operands]
            found[step.name] = tuple(step.axes.split()) or step.operation.letters(of_operands)
        return found

    def axis(self, letter: str) -> Axis:
        """What a letter counts; a feature called by its letter where the program does not say."""
        return self.axes.get(letter) or Axis(letter)

    @cached_property
    def sliced(self) -> tuple[str, ...]:
        """The letters along which one place is looked at at a time, and a person says which."""
        used = dict.fromkeys(letter for letters in self.letters.values() for letter in letters)
        axes = {letter: self.axis(letter) for letter in used}
        return tuple(a for a, axis in axes.items() if axis.kind == HEAD and not axis.of)

    def replaced(self: L, array: str, *steps: Step) -> L:
        """This program with other steps in the place of one; the last of them makes that array."""
        put = {array: steps}
        return replace(
            self, steps=tuple(s for old in self.steps for s in put.get(old.name, (old,)))
        )

    def with_input(self: L, name: str, **fields: Any) -> L:
        """This program with other fields of an input."""
        changed = (replace(one, **fields) if one.name == name else one for one in self.inputs)
        return replace(self, inputs=tuple(changed))

    def with_phases(self: L, array: str, before: Stops = (), after: Stops = ()) -> L:
        """This program with further phases around the one that makes an array."""
        put = ((*before, one, *after) if array in one.names else (one,) for one in self.phases)
        return replace(self, phases=tuple(chain.from_iterable(put)))

    def phase(self, array: str, phases: tuple[Phase, ...] = ()) -> int:
        """The number, from 0, of the phase that makes an array or first uses it as an input.

        Of the program's phases, or of those that are given.
        """
        among = phases or self.phases
        for number, phase in enumerate(among):
            if any(array in inner.names for inner in (phase, *phase.innermost())):
                return number
        users = (s.name for s in self.steps if array in s.operands)
        return min((self.phase(user, among) for user in users), default=0)

    def innermost(self) -> Iterator[Phase]:
        """The phases that make arrays one by one."""
        return chain.from_iterable(phase.innermost() for phase in self.phases)

    def stops(self, array: str, opened: bool = False) -> tuple[Phase, ...]:
        """The stops of the walk as seen from an array: the phases, those around it open.

        A phase whose own array this is stays closed unless it is `opened`.
        """
        return _opened(self.phases, array, opened)

    def formula(self, array: str) -> Formula:
        """The formula of an array; steps that are not definitions are written out inside it."""
        if array not in self.step:
            return name(array)
        step = self.step[array]
        operands = [self._inside(operand) for operand in step.operands]
        return ["step", array, with_brackets(step.operation.formula(*operands), operands)]

    @cached_property
    def definitions(self) -> tuple[Formula, ...]:
        """The program as formulas, in order: X, Q = …, K = …, V = …, and the output written out."""
        first = [name(i) for i in next(self.innermost()).names]
        named = list(self._defined)
        last = self.last
        return (
            *(["step", i[-1], i] for i in first),
            *(
                ["step", n, row(name(n), word_formula("="), self.formula(n)[2])]
                for n in named
                if n in self.step
            ),
            *([] if last in named or last not in self.step else [self.formula(last)]),
        )

    @cached_property
    def _defined(self) -> tuple[str, ...]:
        return tuple(n for phase in self.innermost() if phase.defines for n in phase.names)

    def _inside(self, array: str) -> Formula:
        written_out = array in self.step and array not in self._defined
        return self.formula(array) if written_out else name(array)


def _opened(phases: tuple[Phase, ...], array: str, opened: bool) -> tuple[Phase, ...]:
    stops: list[Phase] = []
    for phase in phases:
        inside = any(array in inner.names for inner in phase.innermost())
        if phase.phases and inside and (opened or array != phase.main):
            stops += _opened(phase.phases, array, opened)
        else:
            stops.append(phase)
    return tuple(stops)
