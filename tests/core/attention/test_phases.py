"""What is said of each phase holds in every run that it is said of."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

from core.attention.inputs import toy_inputs
from core.attention.masks import GALLERY, MASKS, SIZES, UPPER_LEFT, Rule
from core.attention.phases import phases
from core.attention.presets import PRESETS
from core.attention.program import attention_program
from core.program.explanations import explain
from core.program.steps import Phase
from core.program.trace import Trace
from tests.masks import looped, sized
from tests.sampling import some

TEXTS = ("The cat sat on the mat", "a", "one two", "my cat and my dog and my bird")
SCALES: tuple[bool | float, ...] = (True, False, 0.25, 1.0, 3.0)
OFFERED = [mask for mask in MASKS if mask in GALLERY]
RUNS = list(itertools.product(TEXTS, OFFERED, SCALES, (1, 2, 4), (1, 2)))


def run_of(text: str, mask: str, scale: bool | float, heads: int, size: int) -> Trace:
    sizes: dict[str, Any] = dict.fromkeys(SIZES, size)
    program = attention_program(heads=heads, mask=mask, scale=scale, corner=UPPER_LEFT, **sizes)
    return program.run(toy_inputs(text, heads=heads, d_model=8, seed=size))


def phase_of(trace: Trace, array: str) -> Phase:
    return next(phase for phase in trace.program.phases if array in phase.names)


def rows(matrix: np.ndarray) -> np.ndarray:
    return matrix.reshape(-1, matrix.shape[-1])


@pytest.mark.parametrize("run", some(RUNS, 11), ids=str)
def test_every_sentence_holds(run: tuple[str, str, bool | float, int, int]) -> None:
    trace = run_of(*run)
    _scores(trace)
    _scaled(trace, run[2])
    _masked(trace, run[1], run[4])
    _softened(trace)
    _weighed(trace)
    _joined(trace, run[3])


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_sentence_holds_of_the_examples(name: str) -> None:
    trace = PRESETS[name].run()
    if "scores" not in trace.pinned:
        _scores(trace)
    _scaled(trace, PRESETS[name].settings["scale"])
    _softened(trace)
    _weighed(trace)
    _joined(trace, PRESETS[name].settings["heads"])


ALIKE = 4
"""Words in a row that only the same thing said twice has."""


def runs_of_words(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w√]+", text.lower())
    return set(zip(*(words[at:] for at in range(ALIKE)), strict=False))


@pytest.mark.parametrize("array", ["X", "scores", "scaled", "masked", "weights", "context"])
def test_what_a_step_says_at_once_its_card_and_more_of_it_do_not_say_again(array: str) -> None:
    trace = PRESETS["river-bank"].run()
    phase = phase_of(trace, array)
    cell = (0,) * trace[array].ndim
    further = runs_of_words(phase.words) | runs_of_words(explain(trace, array, cell).words)
    assert not runs_of_words(phase.summary) & further


def _scores(trace: Trace) -> None:
    assert "Row i, column j is the dot product" in phase_of(trace, "scores").words
    K = np.repeat(trace["K"], len(trace["Q"]) // len(trace["K"]), axis=0)
    dots = np.einsum("hik,hjk->hij", trace["Q"], K)
    np.testing.assert_allclose(trace["scores"], dots, rtol=0, atol=1e-9)


def _scaled(trace: Trace, scale: bool | float) -> None:
    phase = phase_of(trace, "scaled")
    before, after = rows(trace["scores"]), rows(trace["scaled"])
    if scale is False:
        assert phase.summary == "Off: the scores do not change."
        assert (before == after).all()
    elif scale is True:
        assert "Dividing by √d_k" in phase.words
        assert np.allclose(after, before / trace["K"].shape[-1] ** 0.5, rtol=0, atol=1e-12)
    else:
        (factor,) = re.findall(r"multiplied by ([0-9.]+),", phase.words)
        for one, other in itertools.combinations(range(before.shape[1]), 2):
            apart = before[:, one] - before[:, other]
            assert np.allclose(after[:, one] - after[:, other], float(factor) * apart)
    # "The largest score of a row is still the largest."
    if scale is not False:
        assert "still the largest" in phase.words
        largest = after[np.arange(len(after)), before.argmax(axis=1)]
        assert (largest == after.max(axis=1)).all()


def _masked(trace: Trace, mask: str, size: int) -> None:
    phase = phase_of(trace, "masked")
    T = len(trace["X"])
    sees = [{j for j in range(T) if trace["mask"][i, j]} for i in range(T)]
    words = phase.words
    if mask == "none":
        assert words.startswith("Every token may read from every other, even from later ones")
        assert all(seen == set(range(T)) for seen in sees)
        return
    assert "A hidden score becomes −∞" in words
    assert (trace["weights"][..., ~trace["mask"]] == 0).all()
    before = [set(range(i + 1)) for i in range(T)]
    if mask == "causal":
        assert "Everything to the right of the diagonal is the future" in words
        assert sees == before
    else:
        rule = sized(mask, size)
        assert f"{rule.sees}. " in words
        assert sees == [set(np.flatnonzero(row)) for row in looped(rule, T, T)]


def _softened(trace: Trace) -> None:
    words = phase_of(trace, "weights").words
    assert "never negative" in words
    weights, masked = rows(trace["weights"]), rows(trace["masked"])
    assert (weights >= 0).all()
    seeing = np.isfinite(masked).any(axis=1)
    assert np.allclose(weights[seeing].sum(axis=1), 1)
    # "(if no key is visible, all are 0)"
    assert (weights[~seeing] == 0).all()
    # "In a row, the weights of visible keys keep the order of their scores."
    for one, other in itertools.permutations(range(weights.shape[1]), 2):
        larger = masked[:, one] > masked[:, other]
        assert (weights[larger, one] >= weights[larger, other]).all()


def _weighed(trace: Trace) -> None:
    said = "Multiply each row of V by its weight and add them up"
    assert said in phase_of(trace, "context").words
    V = np.repeat(trace["V"], len(trace["weights"]) // len(trace["V"]), axis=0)
    sums = np.einsum("hij,hjv->hiv", trace["weights"], V)
    np.testing.assert_allclose(trace["context"], sums, rtol=0, atol=1e-9)


def _joined(trace: Trace, heads: int) -> None:
    words = phase_of(trace, "output").words
    assert ("single head" in words) is (heads == 1)
    assert np.array_equal(trace["concat"], np.concatenate(trace["context"], axis=1))
    if "W_O" in trace and trace["W_O"].shape[1] == trace["X"].shape[1]:
        assert trace["output"].shape == trace["X"].shape  # "as wide as those of X"


@pytest.mark.parametrize("name", [name for name in GALLERY if name not in ("causal", "none")])
def test_what_a_rule_lets_a_token_read_is_said_with_its_sizes(name: str) -> None:
    for size in (1, 2, 3, 8):
        rule = sized(name, size)
        assert f"{rule.sees}. " in next(p for p in phases(rule) if "masked" in p.names).words
        numbers = [int(n) for n in re.findall(r"\d+", rule.sees)]
        assert numbers == [size] * len(rule.sizes) or (size == 1 and not numbers)


def test_a_given_mask_says_so() -> None:
    program = attention_program(mask="custom")
    masking = next(phase for phase in program.phases if "masked" in phase.names)
    assert masking.words.startswith("This mask is given cell by cell")


def test_each_of_the_eight_steps_says_a_few_sentences() -> None:
    for rule, scale, heads in itertools.product(
        [*(sized(name, 2) for name in GALLERY), Rule("custom")], SCALES, (1, 2)
    ):
        for phase in phases(rule, scale, heads):
            assert 2 <= len(re.findall(r"\.(?: |$)", phase.words)) <= 4
            assert len(phase.words) <= 330, phase.title
