"""Broken programs: each is wrong as it says, explains itself, and parts where it is found to."""

from typing import Any

import numpy as np
import pytest
import torch

from core.bugs import (
    BUGS,
    CASES,
    Bug,
    broken_run,
    first_difference,
    on_preset,
    on_sentence,
    verdict,
)
from core.masks import Rule
from core.programs import Trace
from tests.core.properties import check_export, check_inverse, check_moved, real_inputs
from tests.core.test_explanations import check

SENTENCE = "The cat sat on the mat"
STEPS = {
    "after": "weights", "zero": "masked", "additive": "masked", "axis": "weights",
    "divisor": "scaled", "swapped": "scores", "reshape": "Q", "view": "scaled",
    "empty": "masked",
}  # fmt: skip


def random_pair(bug: Bug, T: int = 4) -> tuple[Trace, Trace]:
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


@pytest.fixture(params=list(BUGS))
def bug(request: pytest.FixtureRequest) -> Bug:
    return BUGS[request.param]


def test_every_bug_is_a_case() -> None:
    assert sorted(CASES) == sorted(BUGS) == sorted(STEPS)


def test_a_broken_program_is_the_right_one_with_one_step_replaced(bug: Bug) -> None:
    right, wrong = bug.programs()
    changed = [a.name for a, b in zip(right.steps, wrong.steps, strict=True) if a is not b]
    assert changed == [bug.step]


@pytest.mark.parametrize("name", list(BUGS))
def test_the_runs_part_first_at_the_replaced_step(name: str) -> None:
    right, wrong = on_sentence(BUGS[name], SENTENCE)
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
    right, _ = on_sentence(BUGS["view"], SENTENCE)
    assert first_difference(right, right) is None


def test_masking_a_view_leaves_the_output_right() -> None:
    right, wrong = on_sentence(BUGS["view"], SENTENCE)
    np.testing.assert_array_equal(right["output"], wrong["output"])
    assert np.isneginf(wrong["scaled"]).sum() == 15


def test_a_row_without_a_key_becomes_equal_shares_of_what_is_hidden() -> None:
    right, wrong = on_sentence(BUGS["empty"], SENTENCE)
    np.testing.assert_array_equal(right["weights"][0, 0], 0)
    np.testing.assert_allclose(wrong["weights"][0, 0], 1 / 6)
    np.testing.assert_allclose(wrong["weights"][0, 1:], right["weights"][0, 1:])


def test_presets_show_the_figures_of_the_concepts() -> None:
    figures = {
        ("after", "P6"): [[0.25, 0], [0.25, 0.75]], ("zero", "P6"): [[0.5, 0.5], [0.25, 0.75]],
        ("axis", "P7"): [[0.25, 0], [0.75, 1]],
    }  # fmt: skip
    for (name, preset), weights in figures.items():
        right, wrong = on_preset(BUGS[name], preset)
        np.testing.assert_allclose(wrong["weights"][0], weights)
        np.testing.assert_allclose(right["weights"][0, 0], [1, 0])


def test_given_scores_are_used_only_where_the_bug_comes_after_them() -> None:
    assert broken_run(BUGS["after"], "P6", SENTENCE)[0].tokens == ("first", "second")
    assert len(broken_run(BUGS["swapped"], "P6", SENTENCE)[0].tokens) == 6


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
        case "divisor":
            made = t["scores"] / t["X"].shape[-1] ** 0.5
        case "swapped":
            made = t["K"] @ t["Q"].mT
        case "reshape":
            made = (t["X"] @ t["W_QQ"]).view(len(trace["Q"]), len(t["X"]), d_k)
        case _:
            made = (t["scores"] / d_k**0.5).masked_fill(~mask, float("-inf"))
    return np.asarray(made)


@pytest.mark.parametrize("name", list(BUGS))
def test_the_replaced_step_is_the_mistake_in_pytorch(name: str) -> None:
    _, wrong = random_pair(BUGS[name])
    np.testing.assert_allclose(wrong[BUGS[name].step], by_torch(name, wrong), rtol=1e-12)


def test_the_right_split_is_that_of_separate_heads() -> None:
    right, _ = on_sentence(BUGS["reshape"], SENTENCE)
    q = torch.tensor(np.array(right["X"])) @ torch.tensor(np.array(right["W_QQ"]))
    np.testing.assert_allclose(right["Q"], q.view(6, 2, 2).transpose(0, 1), rtol=0, atol=1e-12)


def touched(bug: Bug) -> list[str]:
    """The replaced step, and those that the right program makes of it anew."""
    return [bug.step, *(["Q_all", "Q_memory"] if bug.step == "Q" else [])]


def test_every_line_evaluates_as_printed(bug: Bug) -> None:
    for trace in (random_pair(bug)[1], on_sentence(bug, "red hat red")[1]):
        for array in touched(bug):
            for cell in np.ndindex(trace[array].shape):
                check(trace, array, cell)


def test_sources_are_what_a_finite_change_moves_and_uses_their_inverse(bug: Bug) -> None:
    for trace in random_pair(bug, T=3):
        # A weight that underflows to 0 stays live by contract, and moves nothing.
        check_moved(trace, bug.step, *([] if bug.padded else ["output"]))
        check_inverse(trace)


def test_its_script_and_notebook_run_alone(bug: Bug) -> None:
    check_export(on_sentence(bug, SENTENCE)[1])


def test_a_verdict_names_both_mistakes() -> None:
    assert verdict("zero", BUGS["zero"]).startswith("Right")
    assert "the divisor" in verdict("zero", BUGS["divisor"])
