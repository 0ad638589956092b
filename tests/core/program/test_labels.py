"""How cells and positions are named."""

import re

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, toy_inputs
from core.attention.words import repeated
from core.program.labels import axis_labels, cell_name


def test_cells_are_named_by_token_and_feature() -> None:
    trace = attention_program(heads=2).run(toy_inputs("the cat saw the dog"))
    assert cell_name(trace, "scores", (1, 2, 3)) == "scores[saw, the₂] of head 2"
    assert cell_name(trace, "W_O", (0, 3)) == "W_O[1, 4]"
    assert axis_labels(trace, "Q")[1] == ["the₁", "cat", "saw", "the₂", "dog"]


def test_a_head_is_named_only_where_there_are_several() -> None:
    trace = attention_program(heads=1).run(toy_inputs("a b", heads=1))
    assert cell_name(trace, "scores", (0, 1, 0)) == "scores[b, a]"


def test_words_that_stand_twice_are_noted() -> None:
    trace = attention_program().run(toy_inputs("the cat saw the dog"))
    assert repeated(trace).startswith("the₁ and the₂: the same token")
    assert repeated(attention_program().run(toy_inputs("the The"))) == ""


def noted(trace: Trace) -> list[list[str]]:
    """The positions that a note says have equal rows, by their labels."""
    said, _, _ = repeated(trace).partition(":")
    return [re.split(" and |, ", group) for group in said.split("; ")] if said else []


@pytest.mark.parametrize("feature", [0, 7])
@pytest.mark.parametrize("changed", [(), (0,), (1,), (6,), (4,), (1, 3), (3, 6), (4, 5)])
def test_rows_that_are_said_to_be_equal_are(changed: tuple[int, ...], feature: int) -> None:
    inputs = toy_inputs("the cat saw the dog cat the")
    labels = ["the₁", "cat₁", "saw", "the₂", "dog", "cat₂", "the₃"]
    X = np.array(inputs["X"])
    X[changed, feature] += 0.25 * np.arange(1, len(changed) + 1)
    trace = attention_program().run(Inputs({**inputs, "X": X}, inputs.tokens))
    for group in noted(trace):
        first, *others = (trace["X"][labels.index(label)] for label in group)
        for other in others:
            np.testing.assert_array_equal(other, first)
    untouched = [["the₁", "the₂", "the₃"]] * (not {0, 3, 6} & set(changed))
    untouched += [["cat₁", "cat₂"]] * (not {1, 5} & set(changed))
    assert all(group in noted(trace) for group in untouched)
