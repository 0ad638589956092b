"""An exit quiz on a student's page: all of its questions, one at a time, at one's own pace."""

from pathlib import Path

import streamlit as st

from ui.classroom.store.rooms import Ask, Room, rooms
from ui.components.component import component
from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("join")
_begin = component(Path(__file__).with_name("own_pace.js"), "quiz_begin")
"""In the browser: another question is seen from its beginning."""


def question_at_own_pace(room: Room, student: str) -> Ask:
    """Draw how many questions a student has answered, and return the one where the student is."""
    answers = (rooms().answer_of(room.code, one.number, one.vote, student) for one in room.asks)
    done = sum(text is not None for text in answers)
    say(TEXTS("quiz_so_far", done=done, count=len(room.asks)))
    return room.asks[_at(room) - 1]


def way_on(room: Room) -> None:
    """Draw the way to the question before and the next."""
    at = _at(room)

    def go(number: int) -> None:
        st.session_state[f"quiz_at_{room.code}"] = number

    with st.container(horizontal=True, key="quiz_pages"):
        for id, number, ends in (
            ("before", at - 1, at == 1),
            ("next", at + 1, at == len(room.asks)),
        ):
            st.button(TEXTS(id), key=f"quiz_{id}", disabled=ends, on_click=go, args=(number,))
    _begin(key="quiz_begin", data=[at])


def _at(room: Room) -> int:
    """The number of the question where a student is."""
    at: int = st.session_state.setdefault(f"quiz_at_{room.code}", 1)
    return min(at, len(room.asks))
