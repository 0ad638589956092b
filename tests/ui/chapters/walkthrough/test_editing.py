"""Edits: what they are laid on, what waits, what can be taken back."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.attention.setups import Setup
from ui.chapters.walkthrough.editing import MOST_UNDO, edit_cell, paint_cells, reset, undo


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session with given scores that wait until there are two heads again."""
    waiting = {"scores": np.zeros((2, 6, 6))}
    made = SimpleNamespace(edits=waiting, undo=[], good=Setup(heads=4), cell="", refused="")
    monkeypatch.setattr("ui.chapters.walkthrough.editing.st.session_state", made)
    return made


def test_an_edit_of_something_else_keeps_what_waits(state: Any) -> None:
    edit_cell(state.good, "X.0.0", "1.75")
    assert list(state.edits) == ["X", "scores"]
    assert state.edits["X"][0, 0] == 1.75
    assert state.edits["scores"].shape == (2, 6, 6)
    edit_cell(state.good, "scores.3.0.0", "1")
    assert state.edits["scores"].shape == (4, 6, 6)


def test_only_the_last_changes_can_be_taken_back(state: Any) -> None:
    state.edits, state.good = {}, Setup()
    for number in range(MOST_UNDO + 20):
        edit_cell(state.good, "X.0.0", str(number))
        state.good = state.good.edited({"X": state.edits["X"]})
    reset()
    assert len(state.undo) == MOST_UNDO
    for number in reversed(range(20, MOST_UNDO + 20)):
        undo()
        assert state.edits["X"][0, 0] == number
    undo()
    assert state.edits["X"][0, 0] == 20


@pytest.mark.parametrize("cell", ["X.0", "X", "X.9.9", "X.0.0.0", "weights.0.0.0", "", "X.-1.0"])
def test_a_cell_that_cannot_be_typed_into_changes_nothing(state: Any, cell: str) -> None:
    before = state.edits
    edit_cell(state.good, cell, "1")
    assert state.edits is before
    assert state.undo == []


def test_a_mask_that_is_not_drawn_is_not_painted(state: Any) -> None:
    paint_cells(state.good, ["mask.0.1"], True)
    assert state.undo == []
