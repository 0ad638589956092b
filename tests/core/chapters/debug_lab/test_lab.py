"""Broken programs: each is wrong as it says, explains itself, and parts where it is found to."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch

from core.attention.attention_mistakes import MISTAKES
from core.attention.masks import Rule
from core.attention.presets import preset
from core.attention.program import attention_program
from core.chapters.debug_lab.lab import (
    CASES,
    NUMBERS,
    Case,
    first_difference,
    lab_runs,
    lines_of_numpy,
    order,
    parting,
    right_program,
    seen_apart,
)
from core.errors import InputError
from core.program.display import shown_texts
from core.program.explanations import closed, explain
from core.program.inputs import Inputs
from core.program.trace import Trace
from stage.document import document
from tests.core.program.test_explanations import check
from tests.core.properties import real_inputs
from tests.sampling import some

SENTENCE = "The cat sat on the mat"
STEPS = {
    "after": "weights", "zero": "masked", "additive": "masked", "axis": "weights",
    "divisor": "scaled", "swapped": "scores", "reshape": "Q", "view": "scaled",
    "empty": "masked", "plain": "weights",
}  # fmt: skip


def random_pair(bug: Case, T: int = 4) -> tuple[Trace, Trace]:
    """Both runs on real numbers, so that nothing is equal by chance."""
    return tuple(  # type: ignore[return-value]
        program.run(
            real_inputs(
                program, {"i": T, "j": T, "m": 4, "k": 2, "v": 2, "c": 2 * program.sizes["h"]}
            )
            | {"mask": Rule("causal").mask(T, T)}
        )
        for program in bug.programs()
    )


def both(name: str, text: str = SENTENCE) -> tuple[Trace, Trace]:
    """The right run and a broken one on a sentence."""
    runs = lab_runs(text)
    return runs.right, runs.broken[name]


every_case = pytest.mark.parametrize("name", list(CASES))


def test_every_mistake_is_a_case_and_has_the_number_that_it_had() -> None:
    assert sorted(NUMBERS.values()) == sorted(CASES) == sorted(MISTAKES) == sorted(STEPS)
    assert sorted(order()) == list(NUMBERS) == list(range(1, 11))
    old = "zero reshape after axis view swapped additive divisor empty plain"
    assert list(NUMBERS.values()) == old.split()


def test_the_easy_cases_come_first() -> None:
    """What is seen at sight, then what is seen by adding up a row, then what must be worked out."""
    place = {NUMBERS[number]: n for n, number in enumerate(order())}
    at_sight = {"plain", "view", "empty", "zero", "additive"}
    assert {name for name in CASES if place[name] < 5} == at_sight
    assert {place["after"], place["axis"]} == {5, 6}
    assert place["plain"] == 0
    right = lab_runs(SENTENCE).right
    spread = {
        name: sum(
            one != other
            for array in right
            for one, other in zip(
                shown_texts(run, array), shown_texts(right, array), strict=True
            )
        )
        for name, run in lab_runs(SENTENCE).disguised.items()
    }  # fmt: skip
    assert spread["plain"] < spread["view"] < spread["empty"] < spread["zero"]
    assert place["divisor"] < place["swapped"] < place["reshape"]


def test_before_the_guess_two_cases_differ_in_numbers_alone() -> None:
    """What stays of a document without texts, colour levels and the id is the same for all."""
    opening = "Q_all", (0, 0)
    for text in some((SENTENCE, "red hat red"), 2, 1):
        disguised = lab_runs(text).disguised
        documents = {name: document(run, opening, doubted=True) for name, run in disguised.items()}
        seen = {document["id"] for document in documents.values()}
        assert len(seen) == len(CASES)
        for made in documents.values():
            del made["id"]
            for array in made["arrays"].values():
                del array["levels"], array["texts"]
        first, *others = documents.values()
        assert all(other == first for other in others)
        words = [
            [
                vars(closed(run, array, cell, "w")) | {"rows": 0, "latex": 0, "plain": 0}
                for array in run
                for cell in np.ndindex(run[array].shape)
            ]
            for run in disguised.values()
        ]
        assert all(other == words[0] for other in words)
        given = [
            [explain(run, i.name, cell) for i in right_program().inputs
             for cell in np.ndindex(run[i.name].shape)]
            for run in disguised.values()
        ]  # fmt: skip
        assert all(other == given[0] for other in given)


@every_case
def test_the_numbers_under_the_right_program_are_the_broken_ones(name: str) -> None:
    runs = lab_runs(SENTENCE)
    disguised, broken = runs.disguised[name], runs.broken[name]
    assert disguised.program is runs.right.program
    for array in runs.right:
        np.testing.assert_array_equal(disguised[array], broken[array])
        texts = zip(shown_texts(disguised, array), shown_texts(broken, array), strict=True)
        assert all(a == b or {a, b} == {"0", "0.00"} for a, b in texts)


def test_a_cell_that_is_closed_tells_its_number_alone() -> None:
    disguised = lab_runs(SENTENCE).disguised["divisor"]
    made = closed(disguised, "scaled", (0, 0, 0), "Not yet.")
    assert made.words == "Not yet."
    assert made.title == "scaled[The, The] of head 1"
    assert made.plain == ["-0.05 = -0.05"]
    assert made.latex == [r"&\operatorname{scaled}[\text{The}, \text{The}] = -0.05"]


def test_every_sentence_that_is_taken_tells_all_mistakes_apart() -> None:
    runs = lab_runs("a b c")
    for one, other in combinations([runs.right, *runs.disguised.values()], 2):
        found = seen_apart(one, other)
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
            lab_runs(text)


def run_lines(name: str, code: str, library: Any) -> dict[str, np.ndarray]:
    """What lines leave in the arrays of a run that has not come to the wrong step yet."""
    right = lab_runs(SENTENCE).right
    names = right.program.names
    before = names[: names.index(CASES[name].step) + (name == "view")]
    space: dict[str, Any] = {n: np.array(right[n]) for n in before}
    if library is torch:
        space = {n: torch.tensor(a) for n, a in space.items()} | {"torch": torch}
    exec(code, space | {"np": np}, space)
    return {n: np.asarray(space[n]) for n in names if n in space}


@pytest.mark.parametrize("library", [np, torch], ids=["numpy", "torch"])
@every_case
def test_the_broken_lines_and_the_mended_ones_run(name: str, library: Any) -> None:
    runs = lab_runs(SENTENCE)
    lines = lines_of_numpy(runs, name) if library is np else CASES[name].mistake.torch
    for code, run in ((lines.broken, runs.broken[name]), (lines.mended, runs.right)):
        made = run_lines(name, f"{lines.helper}\n{code}", library)
        assert CASES[name].step in made
        for array, values in made.items():
            np.testing.assert_allclose(values, run[array], rtol=0, atol=1e-12, err_msg=array)
        if name == "view":
            assert made["masked"].shape == run["masked"].shape


@every_case
def test_what_was_wrong_says_so_in_place_of_the_right_words(name: str) -> None:
    bug = CASES[name]
    right, wrong = bug.programs()
    theirs = {phase.names: phase for phase in wrong.phases}
    for ours in right.phases:
        said = f"Broken here: {bug.name}." if bug.step in ours.names else ours.summary
        assert theirs[ours.names].summary == said
        assert theirs[ours.names].title == ours.title


@every_case
def test_only_what_is_visible_is_called_so(name: str) -> None:
    """A context that reads hidden values does not say that it reads the visible ones."""
    trace = lab_runs(SENTENCE).broken[name]
    for h, i, v in np.ndindex(trace["context"].shape):
        hidden = [trace["weights"][h, i, j] for j in range(6) if not trace["mask"][i, j]]
        said = "each visible value" in explain(trace, "context", (h, i, v)).words
        assert said == all(weight == 0 for weight in hidden)


@every_case
def test_a_broken_program_is_the_right_one_with_one_step_replaced(name: str) -> None:
    right, wrong = CASES[name].programs()
    kept = [step.name for step in wrong.steps if step in right.steps]
    assert kept == [step.name for step in right.steps if step.name != CASES[name].step]
    added = [step.name for step in wrong.steps if step.name not in right.step]
    assert added == (["Q_memory"] if name == "reshape" else [])


@every_case
def test_the_runs_part_first_at_the_replaced_step(name: str) -> None:
    right, wrong = both(name)
    found = first_difference(right, wrong)
    assert found == parting(lab_runs(SENTENCE), name)
    assert found is not None
    assert found.array == STEPS[name]
    for array in right.program.names[: right.program.names.index(found.array)]:
        np.testing.assert_array_equal(right[array], wrong[array])
    cells = list(np.ndindex(right[found.array].shape))
    for cell in cells[: cells.index(found.cell)]:
        assert right[found.array][cell] == pytest.approx(wrong[found.array][cell], abs=1e-9)
    assert right[found.array][found.cell] != wrong[found.array][found.cell]


def test_masking_a_view_leaves_the_output_right() -> None:
    right, wrong = both("view")
    np.testing.assert_array_equal(right["output"], wrong["output"])
    assert np.isneginf(wrong["scaled"]).sum() == 2 * (15 + 6)


def test_a_row_without_a_key_becomes_equal_shares_of_what_is_hidden() -> None:
    right, wrong = both("empty")
    np.testing.assert_array_equal(right["weights"][0, 0], 0)
    np.testing.assert_allclose(wrong["weights"][0, 0], 1 / 6)
    np.testing.assert_allclose(wrong["weights"][0, 1:], right["weights"][0, 1:])


def test_presets_show_the_figures_of_the_concepts() -> None:
    """M1 and M2 on P6, the wrong axis on P7: scores of 0 and ln 3, one head, no scale."""
    base = attention_program(heads=1, mask="custom", scale=False)
    figures = {
        ("after", "P6"): [[0.25, 0], [0.25, 0.75]], ("zero", "P6"): [[0.5, 0.5], [0.25, 0.75]],
        ("axis", "P7"): [[0.25, 0], [0.75, 1]],
    }  # fmt: skip
    for (name, example), weights in figures.items():
        given = preset(example)
        inputs = Inputs({**given.arrays, "mask": Rule("causal").mask(2, 2)}, given.tokens)
        wrong = MISTAKES[name].change(base).run(inputs, pinned=given.pinned)
        np.testing.assert_allclose(wrong["weights"][0], weights)
        right = base.run(inputs, pinned=given.pinned)
        np.testing.assert_allclose(right["weights"][0, 0], [1, 0])


def by_torch(name: str, trace: Trace) -> np.ndarray:
    """The broken step as somebody would write it by mistake in PyTorch."""
    t: dict[str, Any] = {n: torch.tensor(np.array(a)) for n, a in trace.items()}
    mask, d_k = t["mask"], t["K"].shape[-1]
    match name:
        case "after":
            made = t["scaled"].softmax(-1).masked_fill(~mask, 0)
        case "zero":
            made = t["scaled"].masked_fill(~mask, 0)
        case "empty":
            made = t["scaled"].masked_fill(~mask, -1e9)
        case "additive":
            made = t["scaled"] + torch.where(mask, 0.0, -5.0)
        case "axis":
            made = t["masked"].softmax(-2)
        case "plain":
            made = t["masked"].softmax(-1)
        case "divisor":
            made = t["scores"] / t["X"].shape[-1] ** 0.5
        case "swapped":
            made = t["K"] @ t["Q"].mT
        case "reshape":
            made = (t["X"] @ t["W_Q"]).view(len(trace["Q"]), len(t["X"]), d_k)
        case _:
            made = (t["scores"] / d_k**0.5).masked_fill(~mask, float("-inf"))
    return np.asarray(made)


@every_case
def test_the_replaced_step_is_the_mistake_in_pytorch(name: str) -> None:
    _, wrong = random_pair(CASES[name])
    np.testing.assert_allclose(wrong[CASES[name].step], by_torch(name, wrong), rtol=1e-12)


def touched(bug: Case) -> list[str]:
    """The replaced step, and those that the right program makes of it anew."""
    return [bug.step, *(["Q_all", "Q_memory"] if bug.step == "Q" else [])]


@every_case
def test_every_line_evaluates_as_printed(name: str) -> None:
    trace = random_pair(CASES[name], T=3)[1]
    for array in touched(CASES[name]):
        for cell in np.ndindex(trace[array].shape):
            check(trace, array, cell)
