"""An exit quiz on a student's page: all of its questions, one at a time, at one's own pace."""

import streamlit as st

from ui.classroom.rooms import Ask, Room, rooms
from ui.page_texts import page_texts
from ui.prose import say

TEXTS = page_texts("join")


def question_at_own_pace(room: Room, student: str) -> Ask:
    """Draw the way to the question before and the next, and return the one where a student is."""
    state, key = st.session_state, f"quiz_at_{room.code}"
    at: int = min(state.setdefault(key, 1), len(room.asks))

    def go(number: int) -> None:
        state[key] = number

    answers = (rooms().answer_of(room.code, one.number, one.vote, student) for one in room.asks)
    done = sum(text is not None for text in answers)
    say(TEXTS("quiz_so_far", done=done, count=len(room.asks)))
    with st.container(horizontal=True, key="quiz_pages"):
        for id, number, ends in (
            ("before", at - 1, at == 1),
            ("next", at + 1, at == len(room.asks)),
        ):
            st.button(TEXTS(id), key=f"quiz_{id}", disabled=ends, on_click=go, args=(number,))
    return room.asks[at - 1]
