"""Broken programs: each is wrong as it says, and parts where it is found to, one by NaN."""

from itertools import combinations
from operator import ne
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attention.masks import Rule
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.chapters.debug_lab import lab
from core.chapters.debug_lab.lab import CASES, first_difference
from core.operations.softmax import softmax
from core.operations.wrong_operations import plain_softmax
from core.program.code.script import notebook, numpy_script
from core.program.explanations import closed, explain
from core.program.numbers.display import shown_texts
from core.program.trace import Trace
from stage.document.document import document
from stage.document.row_tables import row_table
from tests.core.program.test_explanations import check
from tests.core.properties import check_inverse, every_cell, real_inputs
from tests.core.support import refuses
from tests.quotes import proves
from tests.sampling import examples, some

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
    texts = [text for array in right for text in shown_texts(right, array)]
    spread = {
        name: sum(map(ne, (text for array in right for text in shown_texts(run, array)), texts))
        for name, run in lab.lab_runs(SENTENCE).disguised.items()
    }
    assert spread["plain"] < spread["view"] < spread["empty"] < spread["zero"]
    assert place["divisor"] < place["swapped"] < place["reshape"]


def test_before_the_guess_two_cases_differ_in_numbers_alone() -> None:
    """What stays of a document without texts, colour levels and the id is the same for all."""
    opening = "Q_all", (0, 0)
    for text in some((SENTENCE, "red hat red"), 2, 1):
        disguised = lab.lab_runs(text).disguised
        documents = {name: document(run, opening, doubted=True) for name, run in disguised.items()}
        assert len({document["id"] for document in documents.values()}) == len(lab.CASES)
        for made in documents.values():
            del made["id"]
            for array in made["arrays"].values():
                del array["levels"], array["texts"]
        first, *others = documents.values()
        assert all(other == first for other in others)
        numbers = {"rows": 0, "latex": 0, "plain": 0}
        words = [
            [vars(closed(run, *at, "w")) | numbers for at in every_cell(run)]
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
    made = closed(lab.lab_runs(SENTENCE).disguised["divisor"], "scaled", (0, 0, 0), "Not yet.")
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
    refuses("“the mask comes after softmax” shows the correct numbers", lab.lab_runs, "a")
    refuses("“softmax runs along the wrong axis” shows the correct numbers", lab.lab_runs, "a b")
    refuses("“Q and K are swapped” shows the correct numbers", lab.lab_runs, "a a a")


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


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 7), st.floats(0, 1))
@examples(10)
def test_the_plain_formula_is_pytorchs(seed: int, heads: int, T: int, visible: float) -> None:
    draw = np.random.default_rng(seed)
    scores = np.where(draw.random((T, T)) < visible, draw.normal(0, 5, (heads, T, T)), -np.inf)
    weights = plain_softmax().forward(scores)
    expected = torch.tensor(scores).softmax(-1).numpy()
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)
    empty = np.isneginf(scores.max(axis=-1))
    np.testing.assert_array_equal(np.isnan(weights), np.repeat(empty[..., None], T, -1))
    np.testing.assert_array_equal(weights[~empty], softmax().forward(scores)[~empty])


@pytest.fixture(scope="module")
def with_nan() -> Trace:
    return both("plain")[1]


def test_nan_fills_the_row_its_context_and_its_output_and_nothing_else(with_nan: Trace) -> None:
    right, _ = both("plain")
    for array in right:
        hit = np.isnan(with_nan[array])
        filled = array in ("weights", "context", "concat", "output")
        assert hit[..., 0, :].all() == hit.any() == filled, array
        np.testing.assert_array_equal(with_nan[array][~hit], right[array][~hit])
        assert hit.sum() == (hit[..., 0, :].size if filled else 0)
    found = first_difference(right, with_nan)
    assert found is not None
    assert (found.array, found.cell, found.count) == ("weights", (0, 0, 0), 2 * 6)
    assert first_difference(with_nan, with_nan) is None


def test_nan_leaves_float_noise_as_it_was(with_nan: Trace) -> None:
    small = {i.name: np.array(with_nan[i.name]) for i in with_nan.program.inputs}
    small["W_V"] *= 1e-6
    right, wrong = (program.run(small) for program in CASES["plain"].programs())
    assert wrong.noise == right.noise
    assert wrong.noise["context"] < 1e-12


def test_every_line_of_a_run_with_nan_evaluates_as_printed(with_nan: Trace) -> None:
    long = both("plain", " ".join("abcdefghijklmnopqr"))[1]
    for trace, deepest in ((with_nan, 6), (long, 1)):
        for array, cell in every_cell(trace):
            if max(cell) < deepest:
                check(trace, array, cell)
    assert explain(with_nan, "weights", (0, 0, 1)).plain == [
        "max(-inf, -inf, -inf, -inf, -inf, -inf) = -inf",
        *["exp(-inf - (-inf)) = NaN"] * 6,
        "NaN + NaN + NaN + NaN + NaN + NaN = NaN",
        "NaN / NaN = NaN",
    ]
    assert explain(with_nan, "weights", (0, 2, 0)).plain == ["exp(-inf) = 0"]
    assert explain(with_nan, "output", (0, 1)).latex[-1] == r"&= \mathrm{NaN}"


def test_the_words_say_where_nan_begins_and_where_it_came_from(with_nan: Trace) -> None:
    assert explain(with_nan, "weights", (0, 0, 3)).words.endswith("NaN begins here.")
    assert "its weight 0" not in explain(with_nan, "masked", (0, 0, 3)).words
    assert "its weight 0" in explain(with_nan, "masked", (0, 2, 0)).words
    assert "largest" not in explain(with_nan, "context", (0, 0, 1)).words
    for array, cell, source in (
        ("context", (0, 0, 1), "weights[The, The] of head 1"),
        ("concat", (0, 2), "context[The, 1] of head 2"),
        ("output", (0, 1), "concat[The, 1]"),
    ):
        assert explain(with_nan, array, cell).words.endswith(f"It is NaN because {source} is.")
    for name, at in every_cell(with_nan):
        told = explain(with_nan, name, at)
        assert "nan" not in f"{told.title}{told.words}{told.feeds}{told.latex}{told.plain}"
        if not np.isnan(with_nan[name][at]):
            assert "NaN" not in told.words


def test_a_nan_comes_from_all_that_its_formula_reads(with_nan: Trace) -> None:
    row = [(0, 0, j) for j in range(6)]
    for j in range(6):
        assert with_nan.sources("weights", (0, 0, j)) == {"masked": row}
        assert with_nan.uses("masked", (0, 0, j)) == {"weights": row}
    assert with_nan.sources("masked", (0, 0, 3)) == {"mask": [(0, 3)]}
    assert with_nan.sources("weights", (0, 3, 0)) == {"masked": [(0, 3, 0)]}
    values = [(0, j, 1) for j in range(6)]
    assert with_nan.sources("context", (0, 0, 1)) == {"weights": row, "V": values}
    assert with_nan.sources("context", (0, 1, 1)) == {"weights": [(0, 1, 1)], "V": [(0, 1, 1)]}
    check_inverse(with_nan)


def test_the_row_at_work_is_shown_where_it_is_nan(with_nan: Trace) -> None:
    nan, visible = (row_table(with_nan, "weights", (0, i, 0)) for i in (0, 2))
    assert nan is not None
    assert visible is not None
    assert nan.title[-1].endswith("largest score −∞; exponentials add up to NaN")
    assert [row.cells for row in nan.rows] == [["-inf"] * 6, ["NaN"] * 6, ["NaN"] * 6]
    assert visible == row_table(both("plain")[0], "weights", (0, 2, 0))


def test_the_script_expects_nan_and_stops_where_there_is_none(with_nan: Trace) -> None:
    for source in (numpy_script(with_nan), notebook(with_nan)):
        assert source.count("np.nan") == 2 * 6 + 3 * 4
    assert r"\\operatorname{plain\\ softmax}" in notebook(with_nan)
    code = numpy_script(with_nan)
    exec(code, {})
    for guarded in ("np.nan_to_num(plain_softmax(masked))", "np.full((2, 6, 6), np.nan)"):
        broken = code.replace("weights = plain_softmax(masked)", f"weights = {guarded}")
        assert broken != code
        with pytest.raises(AssertionError, match="weights"):
            exec(broken, {})
