"""What is said of a guess: true of the runs, whatever is guessed in whichever case."""

import re

import numpy as np
import pytest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab import verdicts
from core.chapters.debug_lab.lab import CASES, lab_runs, parting
from core.program.labels import cell_name, sentence_parts
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from tests.core.properties import every_cell
from tests.quotes import proves
from tests.sampling import some

RUNS = lab_runs(DEFAULT_TEXT)
EVERY_CASE = pytest.mark.parametrize("name", list(CASES))


def differs(name: str, array: str) -> np.ndarray:
    """Which cells of a case's array are not those of the right run; a plain comparison."""
    ours, theirs = (run[array].astype(float) for run in (RUNS.right, RUNS.broken[name]))
    with np.errstate(invalid="ignore"):
        near = (ours == theirs) | (np.abs(ours - theirs) < 1e-12)
    apart: np.ndarray = ~(near | (np.isnan(ours) & np.isnan(theirs)))
    return apart


@proves("""
    {names} is an input: it is the same in the correct run | Right: {counted} are wrong, and
    every earlier number is correct | All numbers of {names} are correct. For example, {line} |
    {array} has wrong numbers, but its step is correct: it works from wrong numbers. For
    example, {line}. Look at an earlier step | {wrong} of {size} numbers of {array} ({heads}) |
    {wrong} of {size} in head {head}
""")
@EVERY_CASE
def test_the_step_is_the_first_with_a_wrong_number(name: str) -> None:
    steps = RUNS.right.program.steps
    first = next(step.name for step in steps if differs(name, step.name).any())
    assert first == CASES[name].step
    for step in steps:
        phase = RUNS.right.program.phases[RUNS.right.program.phase(step.name)]
        verdict = verdicts.verdict_on_step(RUNS, name, step.name)
        assert verdict.right == (first in phase.names)
        if verdict.right:
            apart = differs(name, first)
            said = f"Right: {apart.sum()} of {apart.size} numbers of {first}"
            assert text_of(verdict).startswith(said)
            if apart.ndim == 3:
                for head, one in enumerate(apart, 1):
                    assert f"{one.sum()} of {one.size} in head {head}" in text_of(verdict)
        elif not any(differs(name, array).any() for array in phase.names):
            assert text_of(verdict).startswith("All numbers of ")
            own = [array for array in phase.names if array in RUNS.right.steps]
            assert all(array in text_of(verdict) for array in own)
        else:
            assert "but its step is correct: it works from wrong numbers" in text_of(verdict)
            assert text_of(verdict).endswith("Look at an earlier step.")
    given = text_of(verdicts.verdict_on_step(RUNS, name, "X"))
    assert given == "X is an input: it is the same in the correct run."


@proves("""
    The digits that you see are correct: {line}. Later digits differ | Right: in the correct
    run, {line}. Here it is {here} | This step is correct, but it works from wrong numbers:
    {line}. The correct run has {ours} there. Look at an earlier step
""")
@EVERY_CASE
def test_a_cell_is_right_where_it_is_a_wrong_one_of_that_step(name: str) -> None:
    first, right, told = CASES[name].step, RUNS.right, RUNS.disguised[name]
    for array in right.steps:
        for cell in some([*np.ndindex(right[array].shape)], 7):
            verdict = verdicts.verdict_on_cell(RUNS, name, array, cell)
            ours, theirs = (typeset(shown(run, array, cell)) for run in (right, told))
            assert verdict.right == (array == first and ours != theirs), (array, cell)
            if ours == theirs:
                behind = " Later digits differ." if differs(name, array)[cell] else ""
                begin = "The digits that you see are correct: " if behind else "This number is cor"
                assert text_of(verdict).startswith(begin)
                assert text_of(verdict).endswith(f" {ours}.{behind}")
            elif array == first:
                assert cell_name(right, array, cell) in text_of(verdict)
                assert text_of(verdict).endswith(f" {ours}. Here it is {theirs}.")
            else:
                own = typeset(shown(RUNS.broken[name], array, cell))
                assert text_of(verdict).startswith("This step is correct, but it works from wrong")
                assert f"wrong numbers: {cell_name(right, array, cell)}" in text_of(verdict)
                assert f" {own}. The correct run has {ours} there. " in text_of(verdict)
    assert not verdicts.verdict_on_cell(RUNS, name, "W_O", (0, 0)).right


@proves("Not here. With the mistake “{name}”, {cell} would be {there}. Here it is {here}")
@EVERY_CASE
def test_a_wrong_name_is_refuted_by_a_number_that_it_would_have_made(name: str) -> None:
    assert verdicts.verdict_on_name(RUNS, name, name).right
    for guess in some([other for other in CASES if other != name], 2, list(CASES).index(name) % 2):
        verdict = verdicts.verdict_on_name(RUNS, name, guess)
        assert not verdict.right
        assert CASES[name].name not in text_of(verdict)
        found = re.fullmatch(
            r"Not here\. With the mistake “(.+)”, (.+) would be (\S+)\. Here it is (\S+)\.",
            text_of(verdict),
        )
        assert found is not None, text_of(verdict)
        assert found[1] == CASES[guess].name
        assert found[3] != found[4]
        run = RUNS.right
        array, cell = next(at for at in every_cell(run) if cell_name(run, *at) == found[2])
        assert typeset(shown(RUNS.disguised[guess], array, cell)) == found[3]
        assert typeset(shown(RUNS.disguised[name], array, cell)) == found[4]


def text_of(verdict: verdicts.LabVerdict) -> str:
    return "".join(sentence_parts(verdict.text))


def test_the_worked_line_of_a_verdict_is_that_of_the_right_run() -> None:
    assert parting(RUNS, "swapped").cell == (0, 0, 1)
    said = text_of(verdicts.verdict_on_cell(RUNS, "swapped", "scores", (0, 0, 1)))
    q, k = RUNS.right["Q"][0, 0], RUNS.right["K"][0, 1]
    line = " + ".join(f"({a:g} × {b:g})" for a, b in zip(q.round(9), k.round(9), strict=True))
    assert f"scores[The, cat] of head 1 = {line}".replace("-", "−") in said
