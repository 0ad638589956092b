"""Programs: ordered lists of named steps, each one operation applied to earlier names.

Running a program on inputs gives a trace: every named array, read-only, and for every cell what it
is made of and what it feeds. A program knows no sizes; they are bound when it runs.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from core.formulas import Formula, mark, name, row
from core.given import given_array
from core.operations import Operation
from core.patterns import Cell, Pattern, SizeConflictError, bind

Meaning = Callable[["Trace", Cell], str]
"""What a cell of an array means, in a sentence or two."""

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
class Program:
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

    def replaced(self, array: str, *steps: Step) -> "Program":
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

    def run(
        self, inputs: Mapping[str, ArrayLike], pinned: Mapping[str, ArrayLike] | None = None
    ) -> "Trace":
        """Compute every step. A pinned array is taken as given, and its step is not computed.

        Raises `InputError` for a name, shape or value that does not fit.
        """
        pinned = dict(pinned or {})
        self._check_names(inputs, pinned)
        arrays = {i.name: given_array(i.name, inputs[i.name], i.boolean) for i in self.inputs}
        bound: dict[str, BoundStep] = {}
        noise = dict.fromkeys(arrays, 0.0)
        for array, axes in self.axes.items():
            if array in pinned:
                boolean = array == "mask"
                arrays[array] = given_array(
                    array, pinned[array], boolean, minus_inf=array == "masked"
                )
                noise[array] = 0.0
            if array in arrays:
                self._check_axes(array, axes, arrays[array])
        for step in self.steps:
            if step.name in pinned:
                continue
            bound[step.name] = computed = _compute(step, arrays)
            arrays[step.name] = computed.result
            noise[step.name] = step.operation.noise(
                [arrays[n] for n in step.operands], [noise[n] for n in step.operands]
            )
        ordered = {n: _read_only(arrays[n]) for n in self.names}
        tokens = getattr(inputs, "tokens", None) or _numbered(ordered)
        return Trace(self, ordered, bound, noise, tuple(tokens), frozenset(pinned))

    def to_script(self, trace: "Trace") -> str:
        """The run as a Python script that needs numpy alone and asserts the same numbers."""
        from core.export import script

        return script(trace)

    def to_notebook(self, trace: "Trace") -> str:
        """The same as a Jupyter notebook (JSON, nbformat 4), a cell a step."""
        from core.export import notebook

        return notebook(trace)

    def _check_names(self, inputs: Mapping[str, object], pinned: Mapping[str, object]) -> None:
        wanted, steps = [i.name for i in self.inputs], [s.name for s in self.steps]
        for missing in (n for n in wanted if n not in inputs):
            raise InputError(f"{missing} is missing", "this program needs it", f"give {missing}")
        for extra in (n for n in inputs if n not in wanted):
            raise InputError(
                f"{extra} is no input of this program",
                f"it takes {', '.join(wanted)}",
                f"pin {extra} if it should replace a step" if extra in steps else "leave it out",
            )
        for extra in (n for n in pinned if n not in steps):
            raise InputError(
                f"{extra} cannot be pinned", f"the steps are {', '.join(steps)}", "pin one of them"
            )

    def _check_axes(self, array: str, letters: tuple[str, ...], value: np.ndarray) -> None:
        names = " × ".join(AXIS_NAMES.get(letter, letter) for letter in letters)
        if value.ndim != len(letters):
            raise InputError(
                f"{array} has {value.ndim} axes", f"it must have {len(letters)}",
                f"give it as {names}",
            )  # fmt: skip
        for letter, size in zip(letters, value.shape, strict=True):
            fixed = self.sizes.get(letter, size)
            if size != fixed or size == 0:
                raise InputError(
                    f"{array} has {size} along {AXIS_NAMES.get(letter, letter)}",
                    f"the program has {fixed}" if size else "no axis may be empty",
                    f"give it as {names}",
                )


@dataclass(frozen=True, eq=False)
class BoundStep:
    """A step with its pattern bound to sizes; `reads` names the array behind each part of it."""

    step: Step
    reads: tuple[str, ...]
    pattern: Pattern
    result: np.ndarray = field(repr=False)
    code: str

    @property
    def operation(self) -> Operation:
        return self.step.operation


@dataclass(frozen=True, eq=False)
class Trace(Mapping[str, np.ndarray]):
    """Every named array of one run, and the ways between their cells."""

    program: Program
    arrays: Mapping[str, np.ndarray]
    steps: Mapping[str, BoundStep]
    noise: Mapping[str, float]
    tokens: tuple[str, ...]
    pinned: frozenset[str]

    # A run is equal to itself alone: a Mapping would compare arrays entry by entry.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, array: str) -> np.ndarray:
        return self.arrays[array]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    @cached_property
    def removed(self) -> Mapping[str, np.ndarray | None]:
        """Which cells the mask took out: −∞ before softmax, exactly 0 after. None: no cell."""
        removed: dict[str, np.ndarray | None] = {}
        for array, values in self.arrays.items():
            removed[array] = None
            if values.dtype == bool:
                removed[array] = ~values
            elif array not in self.steps:
                gone = np.isneginf(values)
                removed[array] = gone if gone.any() else None
            elif (part := self.steps[array].operation.removed_by) is not None:
                bound = self.steps[array]
                source = removed[bound.reads[part]]
                if source is not None and source.any():
                    decided = bound.pattern.gather(part, source)
                    removed[array] = bound.operation.removes(decided)
        return removed

    @cached_property
    def overwritten(self) -> Mapping[str, np.ndarray]:
        """Which cells come from the mask alone: those it took out, or put a number into."""
        return {
            array: self.steps[array].operation.removes(decided)
            for array, decided in self._decided.items()
        }

    @cached_property
    def unguarded(self) -> Mapping[str, np.ndarray]:
        """Which cells are made of removed ones, because their operation lets them through."""
        left = {a: decided & ~self.overwritten[a] for a, decided in self._decided.items()}
        return {array: cells for array, cells in left.items() if cells.any()}

    @cached_property
    def _decided(self) -> Mapping[str, np.ndarray]:
        """Which cells of a step have a removed cell in the part that decides."""
        found = {}
        for array, bound in self.steps.items():
            part = bound.operation.decided_by
            gone = self.removed[bound.reads[part]] if part is not None else None
            if part is not None and gone is not None and gone.any():
                found[array] = bound.pattern.gather(part, gone)
        return found

    def differs(self, other: "Trace", array: str) -> np.ndarray:
        """Which cells of an array another run has otherwise, beyond rounding; NaN equals NaN."""
        ours, theirs = self[array], other[array]
        near = np.isclose(ours, theirs, rtol=0, atol=self.noise[array], equal_nan=True)
        apart: np.ndarray = ~((ours == theirs) | near)
        return apart

    def is_removed(self, array: str, cell: Cell) -> bool:
        removed = self.removed[array]
        return removed is not None and bool(removed[cell])

    def live_terms(self, array: str, cell: Cell) -> list[tuple[Cell | None, ...]]:
        """The terms that make a cell, one operand cell for each part of the step's pattern.

        A cell that the mask made comes from the mask alone; a term with a removed cell is left out,
        except where nothing guards against it.
        """
        bound, made = self.steps[array], self.overwritten.get(array)
        if made is not None and made[cell]:
            part = bound.operation.decided_by
            first = next(bound.pattern.terms(cell))
            return [tuple(at if p == part else None for p, at in enumerate(first))]
        if array in self.unguarded and self.unguarded[array][cell]:
            return list(bound.pattern.terms(cell))
        return [
            term
            for term in bound.pattern.terms(cell)
            if not any(
                at is not None and self[read].dtype != bool and self.is_removed(read, at)
                for read, at in zip(bound.reads, term, strict=True)
            )
        ]

    def sources(self, array: str, cell: Cell) -> dict[str, list[Cell]]:
        """The cells that directly make a cell, by array; {} for an input or a pinned array."""
        cell = self._checked(array, cell)
        if array not in self.steps:
            return {}
        found: dict[str, set[Cell]] = {}
        for term in self.live_terms(array, cell):
            for read, at in zip(self.steps[array].reads, term, strict=True):
                if at is not None:
                    found.setdefault(read, set()).add(at)
        return {read: sorted(cells) for read, cells in found.items()}

    def uses(self, array: str, cell: Cell) -> dict[str, list[Cell]]:
        """The cells that a cell directly makes: the exact inverse of `sources`."""
        cell = self._checked(array, cell)
        found: dict[str, list[Cell]] = {}
        for user, bound in self.steps.items():
            parts = [part for part, read in enumerate(bound.reads) if read == array]
            outputs = itertools.chain.from_iterable(bound.pattern.outputs(p, cell) for p in parts)
            live = [at for at in set(outputs) if self._is_source(user, at, array, cell)]
            if live:
                found[user] = sorted(live)
        return found

    def _is_source(self, user: str, at: Cell, array: str, cell: Cell) -> bool:
        return cell in self.sources(user, at).get(array, ())

    def _checked(self, array: str, cell: Sequence[int]) -> Cell:
        if array not in self.arrays:
            raise InputError(
                f"{array!r} is no array of this trace",
                f"it has {', '.join(self.arrays)}", "choose one of them",
            )  # fmt: skip
        shape = self.arrays[array].shape
        if len(cell) != len(shape) or not all(0 <= c < n for c, n in zip(cell, shape, strict=True)):
            size = " × ".join(map(str, shape))
            raise InputError(
                f"cell {tuple(cell)} is not in {array}", f"it is {size}", "count from 0"
            )
        return tuple(int(c) for c in cell)


def _compute(step: Step, arrays: Mapping[str, np.ndarray]) -> BoundStep:
    operation = step.operation
    operands = [arrays[n] for n in step.operands]
    shapes = [o.shape for o in operands]
    reads = tuple(step.operands[slot] for slot in operation.slots or range(len(operands)))
    numbers = operation.numbers(shapes)
    read_shapes = [arrays[read].shape for read in reads]
    try:
        bind(operation.template, read_shapes, numbers=numbers)
        result = operation.forward(*operands)
        pattern = bind(operation.template, read_shapes, result.shape, numbers)
    except SizeConflictError as conflict:
        raise InputError(
            f"{reads[conflict.operand]} has {conflict.found} along "
            f"{AXIS_NAMES.get(conflict.letter, conflict.letter)}",
            f"{step.name} needs {conflict.expected} there",
            "make the two sizes equal",
        ) from None
    return BoundStep(step, reads, pattern, result, operation.code(step.operands, shapes))


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _numbered(arrays: Mapping[str, np.ndarray]) -> list[str]:
    first = next(iter(arrays.values()))
    return [str(position + 1) for position in range(first.shape[0])]
