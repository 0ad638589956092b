"""Who a student is: a random id of the browser, or of the session where nothing is kept."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from core.errors import InputError
from ui.classroom.store.given_texts import id_given
from ui.components.component import component
from ui.server.visits import visit

KEY, STUDENT = "student_of_browser", "student"
_component = component(Path(__file__).with_name("student.js"), KEY)


def student_id() -> str:
    """Return the id of who has this page open; "" until the browser has said it.

    A connection is one student: what its browser says later changes nothing. A page that has
    outlived its session brings its id along (ui/server/visits.py).
    """
    state = st.session_state
    unknown_to = "" if STUDENT in state else visit()
    told = _component(key=KEY, data=[{"visit": unknown_to}], on_student_change=lambda: None)
    said = told.get("student")
    if STUDENT not in state and isinstance(said, Mapping):
        state[STUDENT] = _usable(said.get("id"))
    found: str = state.get(STUDENT, "")
    return found


def _usable(told: object) -> str:
    """What the browser said, if it is an id; anybody may send anything."""
    try:
        return id_given(told) if isinstance(told, str) else visit()
    except InputError:
        return visit()
