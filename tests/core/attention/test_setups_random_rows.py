"""Rows of X drawn at random: the run knows them, and says no name of a feature of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention import setups
from core.attention.examples import presets, two_meanings
from core.attention.examples.river_bank import LEXICON
from core.chapters.block.stack import BY_HAND, inputs_of
from core.program.explanations import explain
from core.program.labels import cell_name

words = st.sampled_from([*LEXICON, "zebra", "quay", "Person", "!"])
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)


@given(text=sentences)
def test_the_random_rows_are_those_of_words_without_one_made_by_hand(text: str) -> None:
    trace = setups.Setup(preset=presets.OPENING, text=text).trace
    unknown = [at for at, token in enumerate(trace.tokens) if token.lower() not in LEXICON]
    assert list(trace.random_rows["X"]) == unknown


@pytest.mark.parametrize("array", ["X", "output"])
@given(text=sentences)
def test_no_cell_of_a_random_row_is_called_by_a_feature(array: str, text: str) -> None:
    trace = setups.Setup(preset=presets.OPENING, text=text).trace
    for row in range(len(trace.tokens)):
        for column, feature in enumerate(two_meanings.FEATURE_NAMES):
            cell = explain(trace, array, (row, column))
            is_random = row in trace.random_rows["X"]
            own = cell.title.partition("[")[2].rpartition(", ")[2]
            assert own == (f"{column + 1}]" if is_random else f"{feature}]")
            assert (feature in cell.said[1::2]) is not is_random


@pytest.mark.parametrize("id", [two.id for two in two_meanings.TEN[1:]])
def test_an_example_that_draws_nothing_has_no_random_row(id: str) -> None:
    trace = setups.Setup(preset=id, text=f"zebra saw a {presets.preset(id).tokens[-1]}").trace
    assert not trace.random_rows.get("X")
    assert cell_name(trace, "X", (0, 2)) == "X[zebra, person]"


def test_a_row_that_was_typed_over_is_ones_own_and_the_others_stay_random() -> None:
    before = setups.Setup(preset=presets.OPENING, text="zebra by quay").trace
    X = np.array(before["X"])
    X[0, 2] = 1.5
    after = setups.Setup(preset=presets.OPENING, text="zebra by quay", edits={"X": X}).trace
    assert (before.random_rows["X"], after.random_rows["X"]) == ((0, 2), (2,))
    assert cell_name(after, "X", (0, 2)) == "X[zebra, person]"
    assert cell_name(after, "X", (2, 2)) == "X[quay, 3]"


def test_the_block_with_the_same_numbers_has_the_same_random_rows() -> None:
    assert inputs_of("zebra by quay", 2, BY_HAND).random_rows["X"] == (0, 2)


def test_what_another_run_made_is_not_drawn() -> None:
    setup = setups.Setup(preset=presets.OPENING, text="zebra by quay")
    fed = setup.example.on("zebra by quay").inputs().fed(setup.trace, X="output")
    assert not fed.random_rows
