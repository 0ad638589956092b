"""What is said of a guess in the debug lab: whether it is right, and a number that shows it.

The texts hold a person's tokens, marked as `core.program.labels` does, and no Markdown.
"""

import re
from dataclasses import dataclass

import numpy as np

from core.chapters.debug_lab.lab import CASES, Runs, counted, parting, seen_apart
from core.program.display import shown
from core.program.explanations import explain
from core.program.labels import listed, told_cell
from core.program.patterns import Cell
from core.program.rounding import typeset
from core.program.trace import Trace

NUMBER = re.compile(r"[−\d.e∞]+|NaN")
GIVEN = "{} is given: it is the same in both runs."


@dataclass(frozen=True)
class Verdict:
    right: bool
    text: str


def verdict_on_step(runs: Runs, name: str, array: str) -> Verdict:
    """Whether the case `name` goes wrong first at the step of `array`."""
    right, told = runs.right, runs.told[name]
    program, first = right.program, parting(runs, name)
    phase = program.phases[program.phase(array)]
    made = [one for one in phase.names if one in right.steps]
    if not made:
        return Verdict(False, GIVEN.format(listed(phase.names)))
    if first.array in phase.names:
        return Verdict(
            True,
            f"Right: {counted(runs, name)} are wrong, and every number before it is right.",
        )
    wrong = {one: right.differs(told, one) for one in made}
    at = next((one for one in made if wrong[one].any()), None)
    if at is None:
        last = tuple(size - 1 for size in right[made[0]].shape)
        line = _worked(right, made[0], last)
        return Verdict(
            False,
            f"All numbers of {listed(made)} are right: for example {line}.",
        )
    cell = tuple(int(n) for n in np.argwhere(wrong[at])[0])
    line = _worked(runs.broken[name], at, cell)
    return Verdict(
        False,
        f"{at} has wrong numbers, but its step is right: {line} follows from wrong numbers. "
        "Look at an earlier step.",
    )


def verdict_on_cell(runs: Runs, name: str, array: str, cell: Cell) -> Verdict:
    """Whether a cell is a wrong one of the step where the case `name` goes wrong first."""
    right, told = runs.right, runs.told[name]
    if array not in right.steps:
        return Verdict(False, GIVEN.format(array))
    here = typeset(shown(told, array, cell))
    if shown(right, array, cell) == shown(told, array, cell):
        line = _worked(right, array, cell)
        if right.differs(told, array)[cell]:
            text = f"As far as it is written, it is as in the right run: {line}."
            text = f"{text} Behind that it differs."
        else:
            text = f"It is as in the right run: {line}."
        return Verdict(False, text)
    if array == parting(runs, name).array:
        return Verdict(
            True,
            f"Right: in the right run {_worked(right, array, cell)}. Here it is {here}.",
        )
    return Verdict(
        False,
        f"{_worked(runs.broken[name], array, cell)} follows from wrong numbers: the right run has "
        f"{typeset(shown(right, array, cell))}, but this step is right. Look at an earlier step.",
    )


def verdict_on_name(runs: Runs, name: str, guess: str) -> Verdict:
    """Whether the case is the mistake `guess`, or else a number that this would have made."""
    if guess == name:
        return Verdict(True, f"Right: {CASES[name].name}.")
    told, other = runs.told[name], runs.told[guess]
    found = seen_apart(other, told)
    assert found is not None  # lab_runs sees to that
    here, there = (typeset(shown(run, *found)) for run in (told, other))
    return Verdict(
        False,
        f"Not here. With the mistake “{CASES[guess].name}”, {told_cell(told, *found)} would be "
        f"{there}. Here it is {here}.",
    )


def _worked(trace: Trace, array: str, cell: Cell) -> str:
    """The last line of a cell's arithmetic, after its name: scores[a, b] = (1 × 2) + (3 × 4)."""
    line = typeset(explain(trace, array, cell).plain[-1].replace("*", " × "))
    left, sign, number = _parts(line)
    working = "" if NUMBER.fullmatch(left) else f" = {left}"
    return f"{told_cell(trace, array, cell)}{working} {sign} {number}"


def _parts(line: str) -> tuple[str, str, str]:
    sign = "≈" if "≈" in line else "="
    left, number = line.rsplit(f" {sign} ", 1)
    return left, sign, number
