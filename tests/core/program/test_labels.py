"""How cells and positions are named: where a place has a name, by it."""

import re

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, explain, toy_inputs
from core.attention.cell_descriptions import repeated
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.setups import Setup
from core.files.downloads import csv
from core.program import labels
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.labels import axis_labels, cell_name, sentence_parts, told_label
from core.pytorch.snippet import torch_snippet
from stage.document.row_tables import row_table
from tests.core.support import toy_run


def test_cells_are_named_by_token_and_feature_and_by_their_head_if_there_are_several() -> None:
    trace = toy_run("the cat saw the dog")
    assert labels.cell_name(trace, "scores", (1, 2, 3)) == "scores[saw, the₂] of head 2"
    assert labels.cell_name(trace, "W_O", (0, 3)) == "W_O[1, 4]"
    assert labels.axis_labels(trace, "Q")[1] == ["the₁", "cat", "saw", "the₂", "dog"]
    assert labels.cell_name(toy_run("a b", 1), "scores", (0, 1, 0)) == "scores[b, a]"


def test_a_token_is_told_from_the_sentence_around_it_whatever_it_holds() -> None:
    tokens = ("a_b", "x\ufdd1y\ufdd0", "W_Q")
    trace = attention_program(heads=1).run(Inputs(dict(toy_inputs("a b c", heads=1)), tokens))
    said = explain(trace, "mask", (1, 2)).said
    assert said[:5:2] == ["", " may not see ", said[4]]
    assert said[1:4:2] == ["xy", "W_Q"]
    assert labels.sentence_parts(labels.told_label(trace, "m", 2)) == ["3"]


def test_names_are_listed_as_in_a_sentence() -> None:
    said = ["", "Q", "Q and K", "Q, K and V"]
    assert [labels.listed_names(["Q", "K", "V"][:n]) for n in range(4)] == said


def test_words_that_stand_twice_are_noted() -> None:
    assert repeated(toy_run("the cat saw the dog")) == [["the₁", "the₂"]]
    assert repeated(toy_run("the The")) == []


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
    said = labels.sentence_parts(labels.told_cell(toy_run("2 cats"), "Q", (1, 0, 1)))
    assert said == ["Q[", "2", ", 2] of head 2"]


@pytest.mark.parametrize(
    ("token", "label"),
    [(" love", "␣love"), ("  ", "␣␣"), ("\n", "⏎"), ("a\tb", "a⇥b"), ("to 2", "to 2")],
)
def test_spaces_at_an_end_and_ends_of_lines_are_seen(token: str, label: str) -> None:
    assert labels.token_labels([token]) == [label]


NAMES = ("water", "money", "person", "a\nb")
HEADS = ("which?", "who?")


@pytest.fixture
def trace() -> Trace:
    given = toy_inputs("the cat sat", heads=2, d_model=4)
    inputs = Inputs(dict(given), given.tokens, labels={"m": NAMES, "h": HEADS})
    return attention_program(heads=2).run(inputs)


def test_columns_and_rows_of_named_features_have_their_names(trace: Trace) -> None:
    for array in trace:
        letters = trace.program.letters[array]
        for letter, found in zip(letters, axis_labels(trace, array), strict=True):
            expected = {"m": list(NAMES), "h": list(HEADS), "g": list(HEADS)}.get(letter)
            if letter in "kvc":
                expected = [str(n + 1) for n in range(len(found))]
            assert found == (expected or ["the", "cat", "sat"])


def test_cells_are_named_by_features_and_heads(trace: Trace) -> None:
    assert cell_name(trace, "X", (1, 0)) == "X[cat, water]"
    assert cell_name(trace, "W_O", (0, 1)) == "W_O[1, money]"
    assert cell_name(trace, "weights", (1, 2, 0)) == "weights[sat, the] of head 2 (who?)"
    assert cell_name(trace, "K", (0, 1, 1)) == "K[cat, 2] of head 1 (which?)"
    assert sentence_parts(told_label(trace, "m", 2)) == ["", "person", ""]
    assert explain(trace, "X", (0, 1)).words.startswith("How much the has of feature money, before")
    assert "feature water of a token" in explain(trace, "W_Q", (0, 0, 1)).words
    assert "feature person of the output" in explain(trace, "W_O", (1, 2)).words
    assert "Feature 1 of head 2 (who?)" in explain(trace, "concat", (1, 2)).words


def test_names_are_used_only_where_each_place_has_one() -> None:
    given = toy_inputs("a b", heads=2, d_model=4)
    few = Inputs(dict(given), given.tokens, labels={"m": NAMES[:3], "h": HEADS})
    assert axis_labels(attention_program(heads=2).run(few), "X")[1] == ["1", "2", "3", "4"]
    shared = toy_inputs("a b", heads=2, kv_heads=1, d_model=4)
    inputs = Inputs(dict(shared), shared.tokens, labels={"h": HEADS})
    grouped = attention_program(heads=2, kv_heads=1).run(inputs)
    assert axis_labels(grouped, "K")[0] == ["1"]
    assert axis_labels(grouped, "Q")[0] == list(HEADS)


def test_downloads_have_the_names(trace: Trace) -> None:
    table = csv(trace, "X").splitlines()
    assert table[0].lstrip("\ufeff") == '"token","water","money","person","a\\nb"'
    assert csv(trace, "W_Q").splitlines()[1].startswith('"which?","water",')
    for text in (numpy_script(trace), plain_script(trace), torch_snippet(trace)):
        assert "# The columns of X: water, money, person, a\\nb.\nX = " in text
        assert "# The columns of W_O: water, money, person, a\\nb.\nW_O = " in text
        assert "The columns of W_Q" not in text
        assert re.search(r"W_Q = .*\n    \[  # (query )?head 1: which\?\n.*\],  # water\n", text)
    assert "The columns of X: water" in notebook(trace)
    plain = toy_run(d_model=4)
    assert "The columns of" not in numpy_script(plain)
    assert "# head 1\n" in numpy_script(plain)
    exec(numpy_script(trace), {})


def test_a_mistake_made_of_a_run_keeps_its_names() -> None:
    right = Setup(preset="river-bank").trace
    program = attention_program(heads=2)
    made = 0
    for mistake in MISTAKES.values():
        if mistake.unfit(program):
            continue
        assert mistake.made_of(right, program).labels == right.labels
        made += 1
    assert made


def test_a_table_of_a_row_has_the_labels_of_its_columns(trace: Trace) -> None:
    table = row_table(trace, "context", (0, 2, 0))
    assert table is not None
    assert table.columns == ["1", "2"]
    np.testing.assert_array_equal(len(table.rows), 4)
