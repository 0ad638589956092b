"""A trace: every named array of one run; for every cell what it is made of and what it feeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import entry_points
from textwrap import shorten
from types import MappingProxyType

import numpy as np

from core.errors import input_error
from core.program.operation import Operation
from core.program.patterns import Cell, Pattern, Shape
from core.program.steps import Listing, Step
from core.texts import core_texts

TEXTS = core_texts("program")

ROUNDING = 1e-13
"""Two numbers whose difference is a smaller part of them differ by the order of their sums."""
NOTEBOOK = "attention_step_by_step.notebook"
"""The group of entry points that turn a trace into what a notebook shows."""
LONGEST_LINE = 400
"""Characters of each line that a trace is printed as."""


@dataclass(frozen=True, eq=False)
class BoundStep:
    """A step with its pattern bound to sizes; `reads` names the array behind each part of it.

    `shapes` are those of its operands.
    """

    step: Step
    reads: tuple[str, ...]
    pattern: Pattern
    result: np.ndarray = field(repr=False)
    shapes: tuple[Shape, ...]

    @property
    def code(self) -> str:
        """Its line of numpy."""
        return self.operation.code(self.step.operands, self.shapes)

    @property
    def torch_code(self) -> str:
        """Its line of PyTorch."""
        return self.operation.torch_code(self.step.operands, self.shapes)

    @property
    def operation(self) -> Operation:
        return self.step.operation


@dataclass(frozen=True, eq=False)
class Trace(Mapping[str, np.ndarray]):
    """Every named array of one run, and the ways between their cells."""

    program: Listing
    arrays: Mapping[str, np.ndarray]
    steps: Mapping[str, BoundStep]
    noise: Mapping[str, float]
    tokens: tuple[str, ...]
    pinned: frozenset[str]
    more_tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    on_paper: int = 0
    """If it is worked out on paper, every cell rounded to two decimals: the fewest decimals of a
    number within a cell's arithmetic. 0: it is not."""
    fractions: frozenset[str] = frozenset()
    """On paper: the arrays whose numbers are written as fractions."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    random_rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Of an array: the rows of which the names of its columns say nothing."""

    # A run is equal to itself alone: a Mapping would compare arrays entry by entry.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, array: str) -> np.ndarray:
        return self.arrays[array]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        """Two lines: what is computed from what and for which tokens, then each array's shape."""
        inputs, tokens = ", ".join(i.name for i in self.program.inputs), " ".join(self.tokens)
        result, steps = self.program.names[-1], len(self.steps)
        run = TEXTS("printed_trace", result=result, inputs=inputs, steps=steps, tokens=tokens)
        shapes = "; ".join(f"{name} {values.shape}" for name, values in self.items())
        return "\n".join(shorten(line, LONGEST_LINE, placeholder=" …") for line in (run, shapes))

    def _repr_html_(self) -> str | None:
        """What a notebook shows: what an installed package makes of a run; None if none does.

        A package says so by an entry point of `NOTEBOOK`; in this project the stage does.
        """
        for shown_as in entry_points(group=NOTEBOOK):
            text: str = shown_as.load()(self)
            return text
        return None

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many places each letter has."""
        return {
            letter: size
            for array, values in self.arrays.items()
            for letter, size in zip(self.program.letters[array], values.shape, strict=True)
        }

    @cached_property
    def given_sizes(self) -> Mapping[str, set[int]]:
        """How many places each letter has in the results that were given."""
        sizes: dict[str, set[int]] = {}
        for array in self.pinned:
            for letter, size in zip(self.program.letters[array], self[array].shape, strict=True):
                sizes.setdefault(letter, set()).add(size)
        return sizes

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
            elif (whole := self._gone(array, removed)) is not None:
                removed[array] = whole if whole.any() else None
            elif (part := self.steps[array].operation.removed_by) is not None:
                bound = self.steps[array]
                source = removed[bound.reads[part]]
                if source is not None and source.any():
                    decided = bound.pattern.gather(part, source)
                    removed[array] = bound.operation.removes(decided)
        return removed

    def _gone(self, array: str, removed: Mapping[str, np.ndarray | None]) -> np.ndarray | None:
        """What a step's operation says is gone, of what is gone of its operands; often nothing."""
        bound = self.steps[array]
        if type(bound.operation).gone is Operation.gone:
            return None  # most have nothing to say
        of_operands = [removed[operand] for operand in bound.step.operands]
        if not any(
            gone is not None and self[o].dtype != bool
            for o, gone in zip(bound.step.operands, of_operands, strict=True)
        ):
            return None
        filled = [
            np.zeros(shape, bool) if gone is None else gone
            for gone, shape in zip(of_operands, bound.shapes, strict=True)
        ]
        return bound.operation.gone(filled)

    @cached_property
    def overwritten(self) -> Mapping[str, np.ndarray]:
        """Which cells come from the mask alone: those it took out, or put a number into."""
        return {
            array: self.steps[array].operation.removes(decided)
            for array, decided in self._decided.items()
        }

    @cached_property
    def unguarded(self) -> Mapping[str, np.ndarray]:
        """Which cells are made of removed ones: their operation lets them through, or there is
        nothing else that they are made of."""
        left = {a: decided & ~self.overwritten[a] for a, decided in self._decided.items()}
        moved = {
            array: gone
            for array in self.steps
            if (gone := self._gone(array, self.removed)) is not None
        }
        return {array: cells for array, cells in (left | moved).items() if cells.any()}

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
        near = np.isclose(ours, theirs, rtol=ROUNDING, atol=self.noise[array], equal_nan=True)
        apart: np.ndarray = ~((ours == theirs) | near)
        return apart

    def with_program_of(self, other: "Trace") -> "Trace":
        """These numbers as if `other`'s program had made them: its steps, patterns and words.

        For a program that is not to be told by anything but its numbers. It has the other's arrays,
        and what it has beside them is left out.
        """
        arrays = {name: self.arrays[name] for name in other}
        return replace(other, arrays=arrays, noise={name: self.noise[name] for name in other})

    def is_removed(self, array: str, cell: Cell) -> bool:
        removed = self.removed[array]
        return removed is not None and bool(removed[cell])

    def live_terms(
        self, array: str, cell: Cell, known: Mapping[str, int] = MappingProxyType({})
    ) -> list[tuple[Cell | None, ...]]:
        """The terms that make a cell, one operand cell for each part of the step's pattern.

        Of `known` summed letters those terms alone.

        A cell that the mask made comes from the mask alone; a term with a removed cell is left out,
        except where nothing guards against it.
        """
        bound, made = self.steps[array], self.overwritten.get(array)
        if made is not None and made[cell]:
            part = bound.operation.decided_by
            first = next(bound.pattern.terms(cell))
            return [tuple(at if p == part else None for p, at in enumerate(first))]
        if array in self.unguarded and self.unguarded[array][cell]:
            return list(bound.pattern.terms(cell, known))
        terms = list(bound.pattern.terms(cell, known))
        for part, read in enumerate(bound.reads):
            removed = self.removed[read]
            if removed is not None and self[read].dtype != bool:
                terms = [t for t in terms if (at := t[part]) is None or not removed[at]]
        return terms

    @cached_property
    def _touched(self) -> set[str]:
        """The steps that leave terms out: they read something of which cells were removed."""
        return {
            array
            for array, bound in self.steps.items()
            if any(self.removed[read] is not None for read in bound.reads)
        }

    def sources(self, array: str, cell: Cell) -> dict[str, list[Cell]]:
        """The cells that directly make a cell, by array; {} for an input or a pinned array."""
        cell = self.checked(array, cell)
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
        cell = self.checked(array, cell)
        if "every_use" in self.__dict__:
            return {
                user: list(cells) for user, cells in self.every_use.get((array, cell), {}).items()
            }
        found: dict[str, list[Cell]] = {}
        for user, bound in self.steps.items():
            parts = [part for part, read in enumerate(bound.reads) if read == array]
            live = {at for part in parts for at in self._live_outputs(user, part, cell)}
            if live:
                found[user] = sorted(live)
        return found

    def _live_outputs(self, user: str, part: int, cell: Cell) -> Iterator[Cell]:
        """The cells of a step that have `cell` of a part in a term which is not left out."""
        pattern = self.steps[user].pattern
        known = pattern.summed_at(part, cell)
        for at in pattern.outputs(part, cell):
            if user not in self._touched or any(
                term[part] == cell for term in self.live_terms(user, at, known)
            ):
                yield at

    @cached_property
    def every_use(self) -> Mapping[tuple[str, Cell], Mapping[str, list[Cell]]]:
        """What each cell makes, all at once: for whoever asks for every cell.

        Once it is made, `uses` looks it up.
        """
        found: dict[tuple[str, Cell], dict[str, list[Cell]]] = {}
        for user, bound in self.steps.items():
            for at in np.ndindex(bound.result.shape):
                for array, cells in self.sources(user, at).items():
                    for cell in cells:
                        found.setdefault((array, cell), {}).setdefault(user, []).append(at)
        return found

    def named(self, array: str) -> np.ndarray:
        """Return the array of a name. Raises `InputError` if the run does not have it."""
        if array not in self.arrays:
            raise input_error(TEXTS, "no_array", array=repr(array), arrays=", ".join(self.arrays))
        return self.arrays[array]

    def checked(self, array: str, cell: Sequence[int]) -> Cell:
        """Return the cell. Raises `InputError` if the run does not have it."""
        shape = self.named(array).shape
        if len(cell) != len(shape) or not all(0 <= c < n for c, n in zip(cell, shape, strict=True)):
            size = " × ".join(map(str, shape))
            raise input_error(TEXTS, "no_cell", cell=str(tuple(cell)), array=array, size=size)
        return tuple(int(c) for c in cell)
