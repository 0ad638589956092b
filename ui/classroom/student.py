"""Who a student is: a random id of the browser, or of the session where nothing is kept."""

from pathlib import Path

import streamlit as st

from core.errors import InputError
from stage.assets import module
from ui.classroom.given_texts import id_given
from ui.component_events import EVENTS, answer, read_event
from ui.visits import visit

KEY, STUDENT = "student_of_browser", "student"
_component = st.components.v2.component(
    KEY, js=module(EVENTS, Path(__file__).parent / "student.js")
)


def student_id() -> str:
    """Return the id of who has this page open; "" until the browser has said it."""

    def heard() -> None:
        if told := read_event(KEY, "student"):
            st.session_state[STUDENT] = _usable(told.get("id"))

    _component(key=KEY, data=[answer(KEY)], on_student_change=heard)
    found: str = st.session_state.get(STUDENT, "")
    return found


def _usable(told: object) -> str:
    """What the browser said, if it is an id; anybody may send anything."""
    try:
        return id_given(told) if isinstance(told, str) else visit()
    except InputError:
        return visit()
