"""Who a student is, and how a student comes into a room: with a name if the room wants one, and in
turn.

A student is a random id of the browser, or of the session where nothing is kept. Who has a place
keeps it, from any connection: the browser's id is known. Who has none is counted.
"""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from core.errors import InputError
from ui.classroom.class_session import refusal_kept, say_refusal
from ui.classroom.store.given_texts import id_given, line_given
from ui.classroom.store.rates import DOOR
from ui.classroom.store.room import must_be_open
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.links.session import PERSIST
from ui.page_texts import page_texts
from ui.server.unavailable import UnavailableError
from ui.server.visits import visit

TEXTS = page_texts("join")
FAULT, NAME, WAITS = "join_fault", "join_name", "join_waits"
"""In the session: what is wrong with what was sent, the room in which a name was given and the
name, and whether the student is to ask again for a place."""
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


def is_in(room: Room, student: str) -> bool:
    """Whether a student is in the room. Who is not joins now, or is told why not."""
    state = st.session_state
    state[WAITS] = False
    if rooms().is_here(room.code, student):
        return True
    code, name = state.get(NAME, ("", ""))
    removed = rooms().is_removed(room.code, student)
    is_told_no = removed or room.is_closed or not room.lets_in
    if room.wants_names and code != room.code and not is_told_no:
        _ask_name(room.code)
        return False
    try:
        must_be_open(room)
        state[WAITS] = True
        if not (is_told_no or DOOR.lets_in(room.code, st.context.ip_address, student)):
            st.info(TEXTS("in_line"))
            return False
        rooms().join(room.code, student, name)
    except (InputError, UnavailableError) as error:
        st.error(TEXTS("fault", error=str(error)))
        return False
    state[WAITS] = False
    return True


def is_waiting() -> bool:
    """Whether this visit waits for a place, and is to ask again."""
    return bool(st.session_state.get(WAITS))


def _ask_name(code: str) -> None:
    with st.form("name_form", border=False):
        st.text_input(TEXTS("your_name"), key="class_name", **PERSIST)
        st.caption(TEXTS("who_sees_names"))
        st.form_submit_button(TEXTS("join"), type="primary", on_click=_give_name, args=(code,))
    say_fault()


def _give_name(code: str) -> None:
    with refusal_kept(FAULT):
        st.session_state[NAME] = code, line_given("name", st.session_state.class_name)


def say_fault() -> None:
    """What was wrong with what was just sent; said once."""
    say_refusal(FAULT)
    st.session_state.pop(FAULT, None)


def _usable(told: object) -> str:
    """What the browser said, if it is an id; anybody may send anything."""
    try:
        return id_given(told) if isinstance(told, str) else visit()
    except InputError:
        return visit()
