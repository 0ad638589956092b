"""How a student comes into a room: with a name if the room wants one, and in turn.

Who has a place keeps it, from any connection: the browser's id is known. Who has none is counted.
"""

import streamlit as st

from core.errors import InputError
from ui.classroom.class_session import refusal_kept, say_refusal
from ui.classroom.store.given_texts import line_given
from ui.classroom.store.room import must_be_open
from ui.classroom.store.rooms import Room, rooms
from ui.classroom.student.door import DOOR
from ui.links.session import PERSIST
from ui.page_texts import chart_texts, page_texts
from ui.server.unavailable import UnavailableError

TEXTS, PLAIN = page_texts("join"), chart_texts("join")
FAULT, NAME, WAITS = "join_fault", "join_name", "join_waits"
"""In the session: what is wrong with what was sent, the room in which a name was given and the
name, and whether the student is to ask again for a place."""


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
