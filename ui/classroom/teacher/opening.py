"""Opening a room before anything is asked, with what can be chosen about it."""

from typing import Any

import streamlit as st

from core.errors import InputError
from ui.classroom.questions.class_button import (
    FAULT,
    class_button,
    new_room,
    own_room,
    way_to_screens,
)
from ui.classroom.questions.class_button import ROOM as MINE
from ui.links.path import BESIDE, page_named
from ui.page_texts import chart_texts, page_texts
from ui.server.unavailable import UnavailableError
from ui.text import escape_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")


def open_room() -> None:
    """Draw the way to open a room, and to the screens of the one that is open."""
    state = st.session_state
    st.title(TEXTS("title"), anchor=False)
    st.markdown(TEXTS("lede"))
    st.markdown(TEXTS("steps"))
    st.checkbox(TEXTS("wants_names"), key="room_wants_names")
    st.checkbox(TEXTS("exit_quiz"), key="room_exit_quiz")
    class_button("new", PLAIN("open"), _open, is_primary=True)
    if fault := state.get(FAULT):
        st.error(escape_markdown(fault))
    if room := own_room():
        with st.container(horizontal=True, vertical_alignment="center"):
            way_to_screens(room)
        st.markdown(TEXTS("how_to_ask"))
        with st.container(horizontal=True):
            for name in ("lessons", "practice"):
                st.page_link(page_named(name), label=BESIDE[name])


def _open(kept: Any) -> None:
    """Open another room, whether there is one or not."""
    state = st.session_state
    state[FAULT] = ""
    try:
        state[MINE] = new_room(
            wants_names=state.room_wants_names, shows_results=not state.room_exit_quiz
        )
    except (InputError, UnavailableError) as error:
        state[FAULT] = PLAIN("refused", error=str(error))
