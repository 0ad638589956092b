"""Places that have names, features or heads: wherever a place is called, by its name."""

import re

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, explain, toy_inputs
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.setups import Setup
from core.files.downloads import csv
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.labels import axis_labels, cell_name, sentence_parts, told_label
from core.pytorch.snippet import torch_snippet
from stage.document.row_tables import row_table

NAMES = ("water", "money", "person", "a\nb")
HEADS = ("which?", "who?")


@pytest.fixture
def trace() -> Trace:
    given = toy_inputs("the cat sat", heads=2, d_model=4)
    inputs = Inputs(dict(given), given.tokens, labels={"m": NAMES, "h": HEADS})
    return attention_program(heads=2).run(inputs)


def test_columns_and_rows_of_named_features_have_their_names(trace: Trace) -> None:
    for array in trace:
        for letter, labels in zip(trace.program.letters[array], axis_labels(trace, array),
                                  strict=True):  # fmt: skip
            expected = {"m": list(NAMES), "h": list(HEADS), "g": list(HEADS)}.get(letter)
            if letter in "kvc":
                expected = [str(n + 1) for n in range(len(labels))]
            assert labels == (expected or ["the", "cat", "sat"])


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
    made = attention_program(heads=2).run(few)
    assert axis_labels(made, "X")[1] == ["1", "2", "3", "4"]
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
    plain = attention_program(heads=2).run(toy_inputs("the cat sat", heads=2, d_model=4))
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
        wrong = mistake.made_of(right, program)
        assert wrong.labels == right.labels
        made += 1
    assert made


def test_a_table_of_a_row_has_the_labels_of_its_columns(trace: Trace) -> None:
    table = row_table(trace, "context", (0, 2, 0))
    assert table is not None
    assert table.columns == ["1", "2"]
    np.testing.assert_array_equal(len(table.rows), 4)
