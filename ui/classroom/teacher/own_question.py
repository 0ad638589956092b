"""A question of the teacher's own, which students answer with a free text."""

from collections.abc import Callable

import streamlit as st

from core.program.labels import as_prose
from core.questions.engine import free_question
from core.questions.saved import question_to_json
from ui.classroom.store.given_texts import line_given
from ui.classroom.store.rooms import Room, rooms
from ui.links.path import HOME, address_of
from ui.page_texts import page_texts

TEXTS = page_texts("room")
FIELD = "room_own_question"
LINK = address_of(HOME)
"""What it leads to: nothing in particular."""


def ask_own(room: Room, act: Callable[[Callable[[str, str], object]], None]) -> None:
    """Draw a field for a question, if the room takes any; `act` does what is pressed."""
    if room.is_closed:
        return
    with (
        st.expander(TEXTS("own_question"), key="room_own"),
        st.form("room_own_form", border=False, clear_on_submit=False),
    ):
        st.text_input(TEXTS("own_label"), key=FIELD)
        st.caption(TEXTS("own_how"))
        st.form_submit_button(TEXTS("own_ask"), on_click=act, args=(_ask,))


def _ask(code: str, key: str) -> None:
    """Ask what is in the field, and empty it. Raises `InputError`."""
    text = as_prose(line_given("question", st.session_state[FIELD]))
    rooms().ask(code, key, LINK, question_to_json(free_question(text, text)))
    st.session_state[FIELD] = ""
