"""Broken programs: each is wrong as it says, explains itself, and parts where it is found to."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch

from core.attention.masks import Rule
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.chapters.debug_lab import lab
from core.errors import InputError
from core.program.explanations import closed, explain
from core.program.numbers.display import shown_texts
from core.program.trace import Trace
from stage.document.document import document
from tests.core.program.test_explanations import check
from tests.core.properties import every_cell, real_inputs
from tests.quotes import proves
from tests.sampling import some

SENTENCE = "The cat sat on the mat"
STEPS = {
    "after": "weights", "zero": "masked", "additive": "masked", "axis": "weights",
    "divisor": "scaled", "swapped": "scores", "reshape": "Q", "view": "scaled",
    "empty": "masked", "plain": "weights",
}  # fmt: skip


def both(name: str, text: str = SENTENCE) -> tuple[Trace, Trace]:
    """The right run and a broken one on a sentence."""
    runs = lab.lab_runs(text)
    return runs.right, runs.broken[name]


every_case = pytest.mark.parametrize("name", list(lab.CASES))


def test_every_mistake_is_a_case_and_has_the_number_that_it_had() -> None:
    assert sorted(lab.NUMBERS.values()) == sorted(lab.CASES) == sorted(MISTAKES) == sorted(STEPS)
    assert sorted(lab.order()) == list(lab.NUMBERS) == list(range(1, 11))
    old = "zero reshape after axis view swapped additive divisor empty plain"
    assert list(lab.NUMBERS.values()) == old.split()


@proves("Case (easiest first)")
def test_the_easy_cases_come_first() -> None:
    """What is seen at sight, then what is seen by adding up a row, then what must be worked out."""
    place = {lab.NUMBERS[number]: n for n, number in enumerate(lab.order())}
    at_sight = {"plain", "view", "empty", "zero", "additive"}
    assert {name for name in lab.CASES if place[name] < 5} == at_sight
    assert {place["after"], place["axis"]} == {5, 6}
    assert place["plain"] == 0
    right = lab.lab_runs(SENTENCE).right
    spread = {
        name: sum(
            one != other
            for array in right
            for one, other in zip(
                shown_texts(run, array), shown_texts(right, array), strict=True
            )
        )
        for name, run in lab.lab_runs(SENTENCE).disguised.items()
    }  # fmt: skip
    assert spread["plain"] < spread["view"] < spread["empty"] < spread["zero"]
    assert place["divisor"] < place["swapped"] < place["reshape"]


def test_before_the_guess_two_cases_differ_in_numbers_alone() -> None:
    """What stays of a document without texts, colour levels and the id is the same for all."""
    opening = "Q_all", (0, 0)
    for text in some((SENTENCE, "red hat red"), 2, 1):
        disguised = lab.lab_runs(text).disguised
        documents = {name: document(run, opening, doubted=True) for name, run in disguised.items()}
        seen = {document["id"] for document in documents.values()}
        assert len(seen) == len(lab.CASES)
        for made in documents.values():
            del made["id"]
            for array in made["arrays"].values():
                del array["levels"], array["texts"]
        first, *others = documents.values()
        assert all(other == first for other in others)
        words = [
            [
                vars(closed(run, *at, "w")) | {"rows": 0, "latex": 0, "plain": 0}
                for at in every_cell(run)
            ]
            for run in disguised.values()
        ]
        assert all(other == words[0] for other in words)
        given = [
            [explain(run, i.name, cell) for i in lab.right_program().inputs
             for cell in np.ndindex(run[i.name].shape)]
            for run in disguised.values()
        ]  # fmt: skip
        assert all(other == given[0] for other in given)


@every_case
def test_the_numbers_under_the_right_program_are_the_broken_ones(name: str) -> None:
    runs = lab.lab_runs(SENTENCE)
    disguised, broken = runs.disguised[name], runs.broken[name]
    assert disguised.program is runs.right.program
    for array in runs.right:
        np.testing.assert_array_equal(disguised[array], broken[array])
        texts = zip(shown_texts(disguised, array), shown_texts(broken, array), strict=True)
        assert all(a == b or {a, b} == {"0", "0.00"} for a, b in texts)


@proves("Closed until the mistake is revealed")
def test_a_cell_that_is_closed_tells_its_number_alone() -> None:
    disguised = lab.lab_runs(SENTENCE).disguised["divisor"]
    made = closed(disguised, "scaled", (0, 0, 0), "Not yet.")
    assert made.words == "Not yet."
    assert made.title == "scaled[The, The] of head 1"
    assert made.plain == ["-0.05 = -0.05"]
    assert made.latex == [r"&\operatorname{scaled}[\text{The}, \text{The}] = -0.05"]


def test_every_sentence_that_is_taken_tells_all_mistakes_apart() -> None:
    runs = lab.lab_runs("a b c")
    for one, other in combinations([runs.right, *runs.disguised.values()], 2):
        found = lab.seen_apart(one, other)
        assert found is not None
        array, cell = found
        at = np.ravel_multi_index(cell, one[array].shape)
        assert shown_texts(one, array)[at] != shown_texts(other, array)[at]
    for text, said in (
        ("a", "“the mask comes after softmax” shows the correct numbers"),
        ("a b", "“softmax runs along the wrong axis” shows the correct numbers"),
        ("a a a", "“Q and K are swapped” shows the correct numbers"),
    ):
        with pytest.raises(InputError, match=said):
            lab.lab_runs(text)


def run_lines(name: str, code: str, library: Any) -> dict[str, np.ndarray]:
    """What lines leave in the arrays of a run that has not come to the wrong step yet."""
    right = lab.lab_runs(SENTENCE).right
    names = right.program.names
    before = names[: names.index(lab.CASES[name].step) + (name == "view")]
    space: dict[str, Any] = {n: np.array(right[n]) for n in before}
    if library is torch:
        space = {n: torch.tensor(a) for n, a in space.items()} | {"torch": torch}
    exec(code, space | {"np": np}, space)
    return {n: np.asarray(space[n]) for n in names if n in space}


@pytest.mark.parametrize("library", [np, torch], ids=["numpy", "torch"])
@every_case
def test_the_broken_lines_and_the_mended_ones_run(name: str, library: Any) -> None:
    runs = lab.lab_runs(SENTENCE)
    lines = lab.lines_of_numpy(runs, name) if library is np else lab.CASES[name].mistake.torch
    for code, run in ((lines.broken, runs.broken[name]), (lines.mended, runs.right)):
        made = run_lines(name, f"{lines.helper}\n{code}", library)
        assert lab.CASES[name].step in made
        for array, values in made.items():
            np.testing.assert_allclose(values, run[array], rtol=0, atol=1e-12, err_msg=array)
        if name == "view":
            assert made["masked"].shape == run["masked"].shape


@every_case
def test_what_was_wrong_says_so_in_place_of_the_right_words(name: str) -> None:
    bug = lab.CASES[name]
    right, wrong = bug.programs()
    theirs = {phase.names: phase for phase in wrong.phases}
    for ours in right.phases:
        said = f"Broken here: {bug.name}." if bug.step in ours.names else ours.summary
        assert theirs[ours.names].summary == said
        assert theirs[ours.names].title == ours.title


@every_case
def test_only_what_is_visible_is_called_so(name: str) -> None:
    """A context that reads hidden values does not say that it reads the visible ones."""
    trace = lab.lab_runs(SENTENCE).broken[name]
    for h, i, v in np.ndindex(trace["context"].shape):
        hidden = [trace["weights"][h, i, j] for j in range(6) if not trace["mask"][i, j]]
        said = "each visible value" in explain(trace, "context", (h, i, v)).words
        assert said == all(weight == 0 for weight in hidden)


@every_case
def test_every_line_evaluates_as_printed(name: str) -> None:
    """Of the replaced step, and those that the right program makes of it anew, on real numbers."""
    bug = lab.CASES[name]
    _, wrong = bug.programs()
    sizes = {"i": 3, "j": 3, "m": 4, "k": 2, "v": 2, "c": 2 * wrong.sizes["h"]}
    trace = wrong.run(real_inputs(wrong, sizes) | {"mask": Rule("causal").mask(3, 3)})
    for array in (bug.step, *(["Q_all", "Q_memory"] if bug.step == "Q" else [])):
        for cell in np.ndindex(trace[array].shape):
            check(trace, array, cell)


@every_case
def test_a_broken_program_is_the_right_one_with_one_step_replaced(name: str) -> None:
    right, wrong = lab.CASES[name].programs()
    kept = [step.name for step in wrong.steps if step in right.steps]
    assert kept == [step.name for step in right.steps if step.name != lab.CASES[name].step]
    added = [step.name for step in wrong.steps if step.name not in right.step]
    assert added == (["Q_memory"] if name == "reshape" else [])
