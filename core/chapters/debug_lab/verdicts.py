"""What the debug lab says of a guess: whether it is right, and a number that shows it.

The texts hold a person's tokens, marked as `core.program.labels` does, and no Markdown.
"""

import re
from dataclasses import dataclass

import numpy as np

from core.chapters.debug_lab.checks import Check
from core.chapters.debug_lab.lab import CASES, Runs, first_wrong_counts, parting, seen_apart
from core.program.explanations import explain
from core.program.labels import listed_names, told_cell
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
NUMBER = re.compile(r"[−\d.e∞]+|NaN")


@dataclass(frozen=True)
class LabVerdict:
    right: bool
    text: str


def verdict_on_step(runs: Runs, name: str, array: str) -> LabVerdict:
    """Return whether the case `name` goes wrong first at the step of `array`."""
    right, run = runs.right, runs.disguised[name]
    program, first = right.program, parting(runs, name)
    phase = program.phases[program.phase(array)]
    made = [one for one in phase.names if one in right.steps]
    if not made:
        return LabVerdict(False, TEXTS("given", names=listed_names(phase.names)))
    if first.array in phase.names:
        return LabVerdict(True, TEXTS("step_found", counted=first_wrong_counts(runs, name)))
    wrong = {one: right.differs(run, one) for one in made}
    at = next((one for one in made if wrong[one].any()), None)
    if at is None:
        last = tuple(size - 1 for size in right[made[0]].shape)
        line = _worked(right, made[0], last)
        return LabVerdict(False, TEXTS("step_correct", names=listed_names(made), line=line))
    cell = tuple(int(n) for n in np.argwhere(wrong[at])[0])
    line = _worked(runs.broken[name], at, cell)
    return LabVerdict(False, TEXTS("step_follows", array=at, line=line))


def verdict_on_cell(runs: Runs, name: str, array: str, cell: Cell) -> LabVerdict:
    """Return whether a cell is a wrong one of the step where the case `name` goes wrong first."""
    right, run = runs.right, runs.disguised[name]
    if array not in right.steps:
        return LabVerdict(False, TEXTS("given", names=array))
    ours, here = (shown(one, array, cell) for one in (right, run))
    if ours == here:
        id = "cell_digits" if right.differs(run, array)[cell] else "cell_correct"
        return LabVerdict(False, TEXTS(id, line=_worked(right, array, cell)))
    if array == parting(runs, name).array:
        line = _worked(right, array, cell)
        return LabVerdict(True, TEXTS("cell_found", line=line, here=typeset(here)))
    line = _worked(runs.broken[name], array, cell)
    return LabVerdict(False, TEXTS("cell_follows", line=line, ours=typeset(ours)))


def verdict_on_name(runs: Runs, name: str, guess: str) -> LabVerdict:
    """Return whether the case is the mistake `guess`, or else a number that it would have made."""
    if guess == name:
        return LabVerdict(True, TEXTS("name_found", name=CASES[name].name))
    run, other = runs.disguised[name], runs.disguised[guess]
    found = seen_apart(other, run)
    assert found is not None  # lab_runs sees to that
    here, there = (typeset(shown(one, *found)) for one in (run, other))
    numbers = {"cell": told_cell(run, *found), "here": here, "there": there}
    return LabVerdict(False, TEXTS("name_refuted", name=CASES[guess].name, **numbers))


def verdict_on_check(runs: Runs, name: str, check: Check) -> LabVerdict:
    """Return whether what a check says holds in the case `name`."""
    holds = check not in runs.found_by[name]
    return LabVerdict(holds, TEXTS("check", holds=holds, says=check.says))


def _worked(trace: Trace, array: str, cell: Cell) -> str:
    """The last line of a cell's arithmetic, after its name: scores[a, b] = (1 × 2) + (3 × 4)."""
    line = typeset(explain(trace, array, cell).plain[-1].replace("*", " × "))
    sign = "≈" if "≈" in line else "="
    left, number = line.rsplit(f" {sign} ", 1)
    working = "" if NUMBER.fullmatch(left) else f" = {left}"
    return f"{told_cell(trace, array, cell)}{working} {sign} {number}"
