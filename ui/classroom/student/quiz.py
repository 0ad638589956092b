"""A set of questions as an exit quiz: a room of its own, in which all of them are open at once."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.errors import InputError
from ui.classroom.questions.class_button import (
    ASKED,
    FAULT,
    PLAIN,
    ROOM,
    class_button,
    new_room,
    way_to_screens,
)
from ui.classroom.store.rooms import rooms
from ui.page.presenting import is_student_view, presenting
from ui.server.unavailable import UnavailableError
from ui.text import escape_markdown

PLACE = "quiz"


def ask_quiz(links: Sequence[str]) -> None:
    """Draw the button that opens an exit quiz of these links, and the way to its screens.

    It is for who has opened a class.
    """
    if presenting() or is_student_view():
        return
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", key="ask_quiz"):
        class_button(
            PLACE,
            PLAIN("ask_quiz", count=len(links)),
            partial(_ask, links),
            for_teachers=True,
        )
        if state.get(ASKED) == PLACE and ROOM in state:
            way_to_screens(state[ROOM])
    if fault := state.get(FAULT) if state.get(ASKED) == PLACE else "":
        st.error(escape_markdown(fault))


def _ask(links: Sequence[str], kept: Any) -> None:
    """Ask them in a new room, whether there is one or not: an exit quiz has no other questions."""
    state = st.session_state
    state[ASKED], state[FAULT] = PLACE, ""
    try:
        code, key = state[ROOM] = new_room(shows_results=False)
        rooms().ask_all(code, key, [(link, "") for link in links])
    except (InputError, UnavailableError) as error:
        state[FAULT] = PLAIN("refused", error=str(error))
