"""Broken programs: each is wrong as it says, explains itself, and parts where it is found to."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attention.masks import Rule
from core.chapters.debug_lab.lab import (
    CASES,
    ORDER,
    Case,
    broken_run,
    first_difference,
    mending,
    on_preset,
    on_sentence,
    verdict,
)
from core.operations.mistaken import plain_softmax
from core.operations.softmax import softmax
from core.program.explanations import explain
from core.program.running import run_program
from core.program.script import notebook, script
from core.program.trace import Trace
from stage.row_tables import row_table
from tests.core.program.test_explanations import check
from tests.core.properties import (
    check_inverse,
    origins,
    real_inputs,
)
from tests.deep import examples

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


@pytest.fixture(params=list(CASES))
def bug(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_every_bug_is_a_case() -> None:
    assert sorted(ORDER) == sorted(CASES) == sorted(STEPS)


def test_a_broken_program_is_the_right_one_with_one_step_replaced(bug: Case) -> None:
    right, wrong = bug.programs()
    changed = [a.name for a, b in zip(right.steps, wrong.steps, strict=True) if a is not b]
    assert changed == [bug.step]


@pytest.mark.parametrize("name", list(CASES))
def test_the_runs_part_first_at_the_replaced_step(name: str) -> None:
    right, wrong = on_sentence(CASES[name], SENTENCE)
    found = first_difference(right, wrong)
    assert found is not None
    assert found.array == STEPS[name]
    for array in right.program.names[: right.program.names.index(found.array)]:
        np.testing.assert_array_equal(right[array], wrong[array])
    cells = list(np.ndindex(right[found.array].shape))
    for cell in cells[: cells.index(found.cell)]:
        assert right[found.array][cell] == pytest.approx(wrong[found.array][cell], abs=1e-9)
    assert right[found.array][found.cell] != wrong[found.array][found.cell]


def test_equal_runs_do_not_part() -> None:
    right, _ = on_sentence(CASES["view"], SENTENCE)
    assert first_difference(right, right) is None


def test_masking_a_view_leaves_the_output_right() -> None:
    right, wrong = on_sentence(CASES["view"], SENTENCE)
    np.testing.assert_array_equal(right["output"], wrong["output"])
    assert np.isneginf(wrong["scaled"]).sum() == 15


def test_a_row_without_a_key_becomes_equal_shares_of_what_is_hidden() -> None:
    right, wrong = on_sentence(CASES["empty"], SENTENCE)
    np.testing.assert_array_equal(right["weights"][0, 0], 0)
    np.testing.assert_allclose(wrong["weights"][0, 0], 1 / 6)
    np.testing.assert_allclose(wrong["weights"][0, 1:], right["weights"][0, 1:])


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 7), st.floats(0, 1))
@examples(20)
def test_the_plain_formula_is_that_of_pytorch_with_nan_in_empty_rows(
    seed: int, heads: int, T: int, visible: float
) -> None:
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
    return on_sentence(CASES["plain"], SENTENCE)[1]


def test_nan_fills_the_row_its_context_and_its_output_and_nothing_else(with_nan: Trace) -> None:
    right, _ = on_sentence(CASES["plain"], SENTENCE)
    for array in right:
        hit = np.isnan(with_nan[array])
        filled = array in ("weights", "context", "concat", "output")
        assert hit[..., 0, :].all() == hit.any() == filled, array
        np.testing.assert_array_equal(with_nan[array][~hit], right[array][~hit])
        assert hit.sum() == (hit.shape[-1] if filled else 0)
    found = first_difference(right, with_nan)
    assert found is not None
    assert (found.array, found.cell, found.count) == ("weights", (0, 0, 0), 6)
    assert first_difference(with_nan, with_nan) is None


def test_nan_leaves_float_noise_as_it_was(with_nan: Trace) -> None:
    small = {i.name: np.array(with_nan[i.name]) for i in with_nan.program.inputs}
    small["W_V"] *= 1e-6
    right, wrong = (program.run(small) for program in CASES["plain"].programs())
    assert wrong.noise == right.noise
    assert wrong.noise["context"] < 1e-12


def test_every_line_of_a_run_with_nan_evaluates_as_printed(with_nan: Trace) -> None:
    long = on_sentence(CASES["plain"], " ".join("abcdefghijklmnopqr"))[1]
    for trace, deepest in ((with_nan, 6), (long, 1)):
        for array in trace:
            for cell in np.ndindex(trace[array].shape):
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
    assert "e^−∞ = 0" not in explain(with_nan, "masked", (0, 0, 3)).words
    assert "e^−∞ = 0" in explain(with_nan, "masked", (0, 2, 0)).words
    assert "largest" not in explain(with_nan, "context", (0, 0, 2)).words
    for array, cell, source in (
        ("context", (0, 0, 2), "weights[The, The]"),
        ("concat", (0, 2), "context[The, 3]"),
        ("output", (0, 1), "concat[The, 1]"),
    ):
        assert explain(with_nan, array, cell).words.endswith(f"It is NaN because {source} is.")
    for array in with_nan:
        for cell in np.ndindex(with_nan[array].shape):
            told = explain(with_nan, array, cell)
            assert "nan" not in f"{told.title}{told.words}{told.feeds}{told.latex}{told.plain}"
            if not np.isnan(with_nan[array][cell]):
                assert "NaN" not in told.words


def test_a_nan_comes_from_all_that_its_formula_reads(with_nan: Trace) -> None:
    row = [(0, 0, j) for j in range(6)]
    for j in range(6):
        assert with_nan.sources("weights", (0, 0, j)) == {"masked": row}
        assert with_nan.uses("masked", (0, 0, j)) == {"weights": row}
    assert with_nan.sources("masked", (0, 0, 3)) == {"mask": [(0, 3)]}
    assert with_nan.sources("weights", (0, 3, 0)) == {"masked": [(0, 3, 0)]}
    assert with_nan.sources("context", (0, 0, 1)) == {
        "weights": row, "V": [(0, j, 1) for j in range(6)],
    }  # fmt: skip
    assert with_nan.sources("context", (0, 1, 1)) == {"weights": [(0, 1, 1)], "V": [(0, 1, 1)]}
    check_inverse(with_nan)


def test_a_key_made_visible_moves_the_whole_row_that_was_nan(with_nan: Trace) -> None:
    inputs = {i.name: with_nan[i.name] for i in with_nan.program.inputs}
    for j in range(6):
        seen = np.array(with_nan["mask"])
        seen[0, j] = True
        other = run_program(with_nan.program, {**inputs, "mask": seen})
        for array in ("weights", "context", "output"):
            ours, theirs = with_nan[array], other[array]
            moved = ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
            for cell in np.ndindex(moved.shape):
                assert moved[cell] == ((0, j) in origins(with_nan, array, cell)["mask"])


def test_the_row_at_work_is_shown_where_it_is_nan(with_nan: Trace) -> None:
    nan, visible = (row_table(with_nan, "weights", (0, i, 0)) for i in (0, 2))
    assert nan is not None
    assert visible is not None
    assert nan.title.endswith("largest score −∞, exponentials add up to NaN")
    assert [row.cells for row in nan.rows] == [["-inf"] * 6, ["NaN"] * 6, ["NaN"] * 6]
    assert visible == row_table(on_sentence(CASES["plain"], SENTENCE)[0], "weights", (0, 2, 0))


def test_the_script_expects_nan_and_stops_where_there_is_none(with_nan: Trace) -> None:
    for source in (script(with_nan), notebook(with_nan)):
        assert source.count("np.nan") == 6 + 3 * 4
    assert r"\\operatorname{plain\\ softmax}" in notebook(with_nan)
    code = script(with_nan)
    exec(code, {})
    for guarded in ("np.nan_to_num(plain_softmax(masked))", "np.full((1, 6, 6), np.nan)"):
        broken = code.replace("weights = plain_softmax(masked)", f"weights = {guarded}")
        assert broken != code
        with pytest.raises(AssertionError, match="weights"):
            exec(broken, {})


def test_the_line_that_mends_it_in_pytorch_gives_the_right_weights() -> None:
    right, wrong = on_sentence(CASES["plain"], SENTENCE)
    names = {n: torch.tensor(np.array(wrong[a])) for n, a in (("scores", "masked"), ("mask",) * 2)}
    exec(CASES["plain"].mistake.mended_torch, names)
    np.testing.assert_allclose(names["weights"], right["weights"], rtol=0, atol=1e-12)


def test_functions_are_shown_where_the_two_lines_call_different_ones(bug: Case) -> None:
    lines = mending(bug, *on_sentence(bug, SENTENCE))
    assert lines.count("\ndef ") + lines.startswith("def ") == (2 if bug is CASES["plain"] else 0)
    assert lines.endswith(f"{bug.mistake.mended_torch}  # mended, PyTorch")
    assert lines.count("# broken\n") == lines.count("# mended, numpy\n") == 1


def test_presets_show_the_figures_of_the_concepts() -> None:
    figures = {
        ("after", "P6"): [[0.25, 0], [0.25, 0.75]], ("zero", "P6"): [[0.5, 0.5], [0.25, 0.75]],
        ("axis", "P7"): [[0.25, 0], [0.75, 1]],
    }  # fmt: skip
    for (name, preset), weights in figures.items():
        right, wrong = on_preset(CASES[name], preset)
        np.testing.assert_allclose(wrong["weights"][0], weights)
        np.testing.assert_allclose(right["weights"][0, 0], [1, 0])


def test_given_scores_are_used_only_where_the_bug_comes_after_them() -> None:
    assert broken_run(CASES["after"], "P6", SENTENCE)[0].tokens == ("first", "second")
    assert len(broken_run(CASES["swapped"], "P6", SENTENCE)[0].tokens) == 6


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
            made = (t["X"] @ t["W_QQ"]).view(len(trace["Q"]), len(t["X"]), d_k)
        case _:
            made = (t["scores"] / d_k**0.5).masked_fill(~mask, float("-inf"))
    return np.asarray(made)


@pytest.mark.parametrize("name", list(CASES))
def test_the_replaced_step_is_the_mistake_in_pytorch(name: str) -> None:
    _, wrong = random_pair(CASES[name])
    np.testing.assert_allclose(wrong[CASES[name].step], by_torch(name, wrong), rtol=1e-12)


def test_the_right_split_is_that_of_separate_heads() -> None:
    right, _ = on_sentence(CASES["reshape"], SENTENCE)
    q = torch.tensor(np.array(right["X"])) @ torch.tensor(np.array(right["W_QQ"]))
    np.testing.assert_allclose(right["Q"], q.view(6, 2, 2).transpose(0, 1), rtol=0, atol=1e-12)


def touched(bug: Case) -> list[str]:
    """The replaced step, and those that the right program makes of it anew."""
    return [bug.step, *(["Q_all", "Q_memory"] if bug.step == "Q" else [])]


def test_every_line_evaluates_as_printed(bug: Case) -> None:
    for trace in (random_pair(bug)[1], on_sentence(bug, "red hat red")[1]):
        for array in touched(bug):
            for cell in np.ndindex(trace[array].shape):
                check(trace, array, cell)


def test_a_verdict_names_both_mistakes() -> None:
    assert verdict("zero", CASES["zero"]).startswith("Right")
    assert "the divisor" in verdict("zero", CASES["divisor"])
