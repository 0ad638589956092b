"""How cells and positions are named."""

import numpy as np
import pytest

from core import Inputs, attention_program, explain, toy_inputs
from core.attention.cell_descriptions import repeated
from core.program import labels


def test_cells_are_named_by_token_and_feature_and_by_their_head_if_there_are_several() -> None:
    trace = attention_program(heads=2).run(toy_inputs("the cat saw the dog"))
    assert labels.cell_name(trace, "scores", (1, 2, 3)) == "scores[saw, the₂] of head 2"
    assert labels.cell_name(trace, "W_O", (0, 3)) == "W_O[1, 4]"
    assert labels.axis_labels(trace, "Q")[1] == ["the₁", "cat", "saw", "the₂", "dog"]
    lone = attention_program(heads=1).run(toy_inputs("a b", heads=1))
    assert labels.cell_name(lone, "scores", (0, 1, 0)) == "scores[b, a]"


def test_a_token_is_told_from_the_sentence_around_it_whatever_it_holds() -> None:
    tokens = ("a_b", "x\ufdd1y\ufdd0", "W_Q")
    made = toy_inputs("a b c", heads=1)
    trace = attention_program(heads=1).run(Inputs(dict(made), tokens))
    said = explain(trace, "mask", (1, 2)).said
    assert said[:5:2] == ["", " may not see ", said[4]]
    assert said[1:4:2] == ["xy", "W_Q"]
    assert labels.sentence_parts(labels.told_label(trace, "m", 2)) == ["3"]


def test_names_are_listed_as_in_a_sentence() -> None:
    said = ["", "Q", "Q and K", "Q, K and V"]
    assert [labels.listed_names(["Q", "K", "V"][:n]) for n in range(4)] == said


def test_words_that_stand_twice_are_noted() -> None:
    trace = attention_program().run(toy_inputs("the cat saw the dog"))
    assert repeated(trace) == [["the₁", "the₂"]]
    assert repeated(attention_program().run(toy_inputs("the The"))) == []


@pytest.mark.parametrize("feature", [0, 7])
@pytest.mark.parametrize("changed", [(), (0,), (1,), (6,), (4,), (1, 3), (3, 6), (4, 5)])
def test_rows_that_are_said_to_be_equal_are(changed: tuple[int, ...], feature: int) -> None:
    inputs = toy_inputs("the cat saw the dog cat the")
    names = ["the₁", "cat₁", "saw", "the₂", "dog", "cat₂", "the₃"]
    X = np.array(inputs["X"])
    X[changed, feature] += 0.25 * np.arange(1, len(changed) + 1)
    trace = attention_program().run(Inputs({**inputs, "X": X}, inputs.tokens))
    for group in repeated(trace):
        first, *others = (trace["X"][names.index(label)] for label in group)
        for other in others:
            np.testing.assert_array_equal(other, first)
    untouched = [["the₁", "the₂", "the₃"]] * (not {0, 3, 6} & set(changed))
    untouched += [["cat₁", "cat₂"]] * (not {1, 5} & set(changed))
    assert all(group in repeated(trace) for group in untouched)


def test_a_cell_of_a_wide_matrix_is_found_by_its_name_and_a_longer_number_is_none() -> None:
    assert labels.parse_cell(labels.cell_id("W_up", (575, 32_767))) == ("W_up", (575, 32_767))
    assert labels.parse_cell("W_up.0.100000") is None


def test_a_cell_is_named_by_tokens_and_by_numbers() -> None:
    trace = attention_program(heads=2).run(toy_inputs("2 cats"))
    said = labels.sentence_parts(labels.told_cell(trace, "Q", (1, 0, 1)))
    assert said == ["Q[", "2", ", 2] of head 2"]


@pytest.mark.parametrize(
    ("token", "label"),
    [
        (" love", "␣love"), ("  ", "␣␣"), ("\n", "⏎"), ("a\tb", "a⇥b"), ("to 2", "to 2"),
    ],
)  # fmt: skip
def test_spaces_at_an_end_and_ends_of_lines_are_seen(token: str, label: str) -> None:
    assert labels.token_labels([token]) == [label]
