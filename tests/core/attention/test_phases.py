"""What is said of each phase holds in every run that it is said of."""

import itertools
import re
from typing import Any

import pytest

from core import Trace, attention_program, explain, toy_inputs
from core.attention.examples.presets import PRESETS
from core.attention.masks import GALLERY, KINDS, SIZES, UPPER_LEFT, Rule
from core.attention.phases import phases
from core.program.steps import Phase
from tests.facts import test_steps_of_attention as _  # noqa: F401
from tests.facts.steps import check_steps
from tests.masks import sized
from tests.sampling import some

TEXTS = ("The cat sat on the mat", "one two", "my cat and my dog and my bird")
SCALES: tuple[bool | float, ...] = (True, False, 0.25, 1.0, 3.0)
OFFERED = [mask for mask in [*KINDS] if mask in GALLERY]
RUNS = list(itertools.product(TEXTS, OFFERED, SCALES, (1, 2, 4), (2, 3)))


def run_of(text: str, mask: str, scale: bool | float, heads: int, size: int) -> Trace:
    sizes: dict[str, Any] = dict.fromkeys(SIZES, size)
    program = attention_program(heads=heads, mask=mask, scale=scale, corner=UPPER_LEFT, **sizes)
    return program.run(toy_inputs(text, heads=heads, d_model=8, seed=size))


def phase_of(trace: Trace, array: str) -> Phase:
    return next(phase for phase in trace.program.phases if array in phase.names)


@pytest.mark.parametrize("run", some(RUNS, 11), ids=str)
def test_every_sentence_holds(run: tuple[str, str, bool | float, int, int]) -> None:
    trace = run_of(*run)
    check_steps("attention", trace)
    assert ("single head" in phase_of(trace, "output").words) == (run[3] == 1)


@pytest.mark.parametrize("name", [name for name in PRESETS if not PRESETS[name].pinned])
def test_every_sentence_holds_of_the_examples(name: str) -> None:
    check_steps(name, PRESETS[name].run())


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


@pytest.mark.parametrize("name", [name for name in GALLERY if name not in ("causal", "none")])
def test_what_a_rule_lets_a_token_read_is_said_with_its_sizes(name: str) -> None:
    for size in (1, 2, 3, 8):
        rule = sized(name, size)
        assert f"{rule.summary}. " in next(p for p in phases(rule) if "masked" in p.names).words
        numbers = [int(n) for n in re.findall(r"\d+", rule.summary)]
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
