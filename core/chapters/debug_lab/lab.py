"""The debug lab: attention with a common mistake, which only its numbers show.

All cases are the same program on the same inputs, with another step replaced. Every mistake fits
it and shows: two heads whose queries are one projection that is split, and a mask that hides later
tokens and the first one, as if it were padding.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import combinations
from types import MappingProxyType

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.layers.fused import fused_attention
from core.attention.masks import Rule
from core.attention.mistakes.attention_mistakes import LEAKING, MISTAKES
from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.checks import AT_SIGHT, CHECKS, Check
from core.errors import InputError
from core.program.inputs import Inputs
from core.program.labels import listed_names
from core.program.mistakes import Lines, Mistake, changed_step
from core.program.numbers.display import shown
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
D_MODEL = 4
N_HEADS = 2


@cache
def right_program() -> Program:
    """The program of every case, without a mistake.

    Its phases say no more than their summaries: a broken run is shown under them.
    """
    base = fused_attention(N_HEADS, D_MODEL // N_HEADS, memory=False)
    softened = TEXTS("softened")  # one row sees no key
    phases = tuple(
        replace(phase, words="", summary=softened if "weights" in phase.names else phase.summary)
        for phase in base.phases
    )
    return replace(base, phases=phases)


@dataclass(frozen=True)
class Case:
    """A mistake in the lab, and why it is wrong there."""

    mistake: Mistake
    why: str

    @property
    def name(self) -> str:
        return self.mistake.name

    def programs(self) -> tuple[Program, Program]:
        """The right program and the broken one."""
        return right_program(), self.broken

    @cached_property
    def broken(self) -> Program:
        return self.mistake.change(right_program())

    @cached_property
    def step(self) -> str:
        """The step that is wrong."""
        return changed_step(*self.programs())


CASES: Mapping[str, Case] = MappingProxyType(
    {
        name: Case(mistake, TEXTS(name, **(LEAKING if name == "additive" else {})))
        for name, mistake in MISTAKES.items()
    }
)
NUMBERS: Mapping[int, str] = MappingProxyType(dict(enumerate(
    ("zero", "reshape", "after", "axis", "view", "swapped", "additive", "divisor", "empty",
     "plain"), start=1,
)))  # fmt: skip
"""The case behind each number of a link; it does not follow `order`, which may change."""


@dataclass(frozen=True)
class FirstDifference:
    """Where two runs part first."""

    array: str
    cell: Cell
    count: int
    """How many cells of that array differ."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The right run, and that of every mistake on the same inputs."""

    right: Trace
    broken: Mapping[str, Trace]
    """With the broken programs themselves."""

    @cached_property
    def disguised(self) -> Mapping[str, Trace]:
        """Their numbers under the right program, so that only the numbers give a mistake away."""
        return {name: run.with_program_of(self.right) for name, run in self.broken.items()}

    @cached_property
    def found_by(self) -> Mapping[str, tuple[Check, ...]]:
        """The checks that each broken run fails."""
        return {
            name: tuple(check for check in CHECKS if not check.passes(run))
            for name, run in self.broken.items()
        }

    @property
    def not_found(self) -> list[str]:
        """The broken runs that pass every check."""
        return [name for name, checks in self.found_by.items() if not checks]

    def finds(self, check: Check) -> int:
        """Return how many broken runs a check finds."""
        return sum(check in checks for checks in self.found_by.values())


@lru_cache(maxsize=16)
def lab_runs(text: str) -> Runs:
    """Return all runs on a sentence.

    Raises `InputError`, also if two of them show the same numbers: then no number could tell which
    mistake it is.
    """
    toy = toy_inputs(text, heads=N_HEADS, d_model=D_MODEL)
    T = len(toy.tokens)
    mask = Rule("causal").mask(T, T)
    mask[:, 0] = False
    joined = toy["W_Q"].swapaxes(0, 1).reshape(D_MODEL, -1)
    inputs = Inputs({**toy, "mask": mask, "W_Q": joined}, toy.tokens)
    broken = {name: case.broken.run(inputs) for name, case in CASES.items()}
    runs = Runs(right_program().run(inputs), broken)
    _check_told_apart(runs)
    return runs


def _check_told_apart(runs: Runs) -> None:
    everyone = {"": runs.right, **runs.disguised}
    for one, other in combinations(everyone, 2):
        if seen_apart(everyone[one], everyone[other]) is None:
            alike = TEXTS("right_numbers", mistake=CASES[other].name)
            if one:
                alike = TEXTS("same_numbers", one=CASES[one].name, other=CASES[other].name)
            raise InputError(TEXTS("too_little"), alike, TEXTS("more_words"))


def seen_apart(one: Trace, other: Trace) -> tuple[str, Cell] | None:
    """Return the first array and cell whose numbers differ as they are shown, if there is one."""
    for name in one.program.names:
        for at in np.argwhere(one.differs(other, name)):
            cell = tuple(int(n) for n in at)
            if shown(one, name, cell) != shown(other, name, cell):
                return name, cell
    return None


def first_difference(right: Trace, wrong: Trace) -> FirstDifference | None:
    """Return the first step, and its first cell, where two runs differ; None if they do not."""
    for name in right.program.names:
        parted = np.argwhere(right.differs(wrong, name))
        if len(parted):
            cell = tuple(int(n) for n in parted[0])
            return FirstDifference(name, cell, len(parted))
    return None


def first_wrong_counts(runs: Runs, name: str) -> str:
    """Return how many numbers of the first wrong step differ, in all and by head."""
    array = parting(runs, name).array
    apart = runs.right.differs(runs.disguised[name], array)
    heads = [
        TEXTS("in_head", wrong=int(one.sum()), size=one.size, head=h)
        for h, one in enumerate(apart, 1)
    ]
    by_head = listed_names(heads) if apart.ndim > 2 else ""
    every = int(apart.sum())
    return TEXTS("counted", wrong=every, size=apart.size, array=array, heads=by_head)


def parting(runs: Runs, name: str) -> FirstDifference:
    """Return where a case's numbers go wrong first; `lab_runs` refuses a sentence without one."""
    found = first_difference(runs.right, runs.disguised[name])
    assert found is not None
    return found


@cache
def order() -> tuple[int, ...]:
    """Return the cases' numbers, the easy ones first.

    First come those that are seen at sight: a cell that is no number, or −∞ where the mask hides
    nothing. Then those for which a row is added up; then those for which a cell must be worked
    out. Among equals, the more numbers are wrong, the harder it is to find where it began.
    """
    runs = lab_runs(DEFAULT_TEXT)

    def difficulty(number: int) -> tuple[int, int]:
        name = NUMBERS[number]
        failed = [n for n, check in enumerate(AT_SIGHT) if check in runs.found_by[name]]
        run = runs.disguised[name]
        wrong = sum(int(runs.right.differs(run, array).sum()) for array in run)
        return min(failed, default=len(AT_SIGHT)), wrong

    return tuple(sorted(NUMBERS, key=difficulty))


def place(number: int) -> int:
    """Return the place of a case in `order`, counted from 1."""
    return order().index(number) + 1


def lines_of_numpy(runs: Runs, name: str) -> Lines:
    """Return a case's broken and mended lines of numpy, with the functions that they call."""
    case = CASES[name]
    if case.mistake.numpy is not None:
        return case.mistake.numpy
    theirs, ours = runs.broken[name].steps[case.step], runs.right.steps[case.step]
    helpers = dict.fromkeys(made.operation.helper for made in (theirs, ours))
    return Lines(
        f"{case.step} = {theirs.code}", f"{case.step} = {ours.code}", "\n\n".join(helpers).strip()
    )
