"""Slips of a person who works a step out by hand: what they give, worked here once more."""

import numpy as np
import pytest

from core.attention.mistakes.hand_mistakes import HAND_SLIPS, KNOWN_MISTAKES
from core.attention.setups import Setup
from core.program.numbers.display import shown_texts
from core.program.trace import Trace
from stage.document.other_runs import mistaken
from tests.quotes import proves, whole
from tests.typed import RIGHT, WRONG, judged


def verdict(trace: Trace, array: str, cell: tuple[int, ...], typed: str) -> str:
    """What is said of a number that is typed into a covered cell."""
    at = int(np.ravel_multi_index(cell, trace[array].shape))
    others = {
        found["name"]: found["arrays"][array].split(" ")[at]
        for found in mistaken(trace, KNOWN_MISTAKES)
        if array in found["arrays"]
    }
    return judged(typed, shown_texts(trace, array)[at], others)


# In P2 each row of scores is ln 1, ln 2, ln 3: e to them is 1, 2, 3.
TYPED: dict[tuple[str, str, tuple[int, ...]], dict[str, str]] = {
    ("P2", "weights", (0, 2, 2)): {
        "3/6": RIGHT,
        "1.10": "this step is left out",  # ln 3 = 1.0986
        "0.61": "e is left out",  # 1.0986 / (0 + 0.6931 + 1.0986)
        "3": "the division is left out",
        "3/10": "the sum runs over all rows",  # 1 + 1 + 2 + 1 + 2 + 3 visible
        "9": WRONG,
    },
    ("P2", "weights", (0, 1, 1)): {"1": "e is left out"},  # 0.6931 / (0 + 0.6931)
    ("P2", "weights", (0, 2, 1)): {
        "2/3": "the division is left out after the subtraction"  # of 1/3, 2/3, 1
    },
    ("P4", "scaled", (0, 1, 0)): {
        "1.15": RIGHT,  # 2 / √3
        "2/3": "the root is missing",
        "3.46": "the scores are multiplied by the root",  # 2 · √3
        "2": "this step is left out",
        "1": WRONG,
    },
    ("P2", "context", (0, 2, 0)): {
        "7": RIGHT,  # 6/6 + 0/3 + 12/2
        "18": "the weights are left out",  # 6 + 0 + 12
        "6": "each value gets the same weight",
        "42": "the weights do not add up to 1",  # 1 · 6 + 2 · 0 + 3 · 12
        "8": WRONG,
    },
    ("P2", "context", (0, 1, 0)): {  # the second token reads 6 and 0, and not 12
        "3": "each value gets the same weight",
        "18": WRONG,
    },
}


@proves(whole(said for typed in TYPED.values() for said in typed.values()))
@pytest.mark.parametrize(("preset", "array", "cell"), TYPED)
def test_a_slip_is_named(preset: str, array: str, cell: tuple[int, ...]) -> None:
    typed = TYPED[preset, array, cell]
    trace = Setup(preset=preset).trace
    assert {text: verdict(trace, array, cell, text) for text in typed} == typed


def test_a_step_that_is_left_out_is_named_at_every_step_of_one_size() -> None:
    """What a step starts from is no answer to it, unless the step changes nothing there."""
    trace = Setup(preset="P4").trace
    named = {
        (name, cell)
        for name, bound in trace.steps.items()
        for cell in np.ndindex(trace[name].shape)
        if trace[bound.step.operands[0]].shape == trace[name].shape
        and verdict(trace, name, cell, shown_texts(trace, bound.step.operands[0])[
            int(np.ravel_multi_index(cell, trace[name].shape))
        ]) not in (RIGHT, WRONG)
    }  # fmt: skip
    assert ("scaled", (0, 0, 0)) in named
    assert ("masked", (0, 0, 1)) in named
    assert ("weights", (0, 1, 1)) in named
    assert ("masked", (0, 0, 0)) not in named  # the mask leaves it as it was


def test_what_is_said_of_a_slip_is_in_words() -> None:
    """Phones and the stage have the same sentences, and the stage sets no mathematics."""
    for slip in HAND_SLIPS:
        assert not set("_$√\\") & set(slip.name + slip.why), slip.name
