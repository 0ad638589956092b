"""Asked for one key, the session state says what all of it says of that key."""

from typing import Any

import pytest
from streamlit.runtime.state.session_state import SessionState

import ui.one_key
from tests.ui.support import opened
from ui.one_key import OneKey, ask_for_one_key
from ui.path import PATH


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[SessionState]:
    """How often all of a session state was made while widgets ask for their own key."""
    made: list[SessionState] = []
    whole = ui.one_key._whole

    def counted(state: SessionState) -> dict[str, Any]:
        made.append(state)
        return whole(state)

    # What the process has is put back after the test.
    monkeypatch.setattr(SessionState, "filtered_state", SessionState.filtered_state)
    monkeypatch.setattr(ui.one_key, "_whole", counted)
    ask_for_one_key()
    return made


@pytest.mark.parametrize("page", ["words", "walkthrough", "cost"])
def test_each_key_has_the_value_that_all_of_the_state_gives_it(page: str) -> None:
    state: Any = opened(page).session_state
    while not isinstance(state, SessionState):
        state = state._state
    every, one = ui.one_key._whole(state), OneKey(state)
    assert len(one) == len(every) > 10
    assert set(one) == set(every)
    for key, value in every.items():
        assert key in one
        assert type(one[key]).__name__ == type(value).__name__
        assert repr(one[key]) == repr(value)
    assert "no such key" not in one
    with pytest.raises(KeyError):
        one["no such key"]


@pytest.mark.parametrize("page", PATH)
def test_no_widget_of_a_page_asks_for_all_of_it(page: str, asked: list[SessionState]) -> None:
    shown = opened(page)
    assert not shown.exception
    assert not asked


def test_a_page_says_the_same_either_way(asked: list[SessionState]) -> None:
    lean = opened("words", words_text="one two", words_dial_1="3")
    asked.clear()
    assert [text.value for text in lean.markdown] == [
        text.value for text in opened("words", words_text="one two", words_dial_1="3").markdown
    ]
    assert lean.session_state["words_dial_1"] == 3
