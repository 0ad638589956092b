"""Edits: what they are laid on, what waits, what can be taken back."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.attention.setups import Setup
from ui.walkthrough.editing import edit_cell


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session with given scores that wait until there are two heads again."""
    waiting = {"scores": np.zeros((2, 6, 6))}
    made = SimpleNamespace(edits=waiting, undo=[], good=Setup(heads=4), cell="", refused="")
    monkeypatch.setattr("ui.walkthrough.editing.st.session_state", made)
    return made


def test_an_edit_of_something_else_keeps_what_waits(state: Any) -> None:
    edit_cell(state.good, "X.0.0", "1.75")
    assert list(state.edits) == ["X", "scores"]
    assert state.edits["X"][0, 0] == 1.75
    assert state.edits["scores"].shape == (2, 6, 6)
    edit_cell(state.good, "scores.3.0.0", "1")
    assert state.edits["scores"].shape == (4, 6, 6)
