"""The projector's screen: how to join, the question, how many answered, and what is shown of it.

It knows no key, and until the answer is shown it is sent nothing that gives it away.
"""

from contextlib import AbstractContextManager
from pathlib import Path

import streamlit as st

from core.questions.answers import Choice
from core.questions.tries import answer_said
from stage.assets import module
from ui.classroom.asked import asked_question
from ui.classroom.invitation import invite, show_code
from ui.classroom.results import show_bars, show_mistakes, vote_tallies
from ui.classroom.rooms import ANSWER, NOTHING, Ask, Room, rooms
from ui.classroom.scene_task import show_scene_task
from ui.classroom.step_picture import show_asked
from ui.page_texts import page_texts
from ui.presenting import blank_on_demand
from ui.text import question_markdown

TEXTS = page_texts("room")
_fit = st.components.v2.component("room_fit", js=module(Path(__file__).parent / "fit.js"))
"""In the browser: everything is as large as the window has room for."""
Place = AbstractContextManager[object]


def projector(room: Room) -> None:
    """Draw the screen of a room."""
    _fit(key="room_fit", data=[{}])
    blank_on_demand()
    with st.container(key="room_screen"):
        if room.is_closed and room.now is None:
            st.title(TEXTS("closed"), anchor=False)
        elif room.now is None:
            with st.container(key="room_waiting"):
                _waiting(room)
        else:
            said, side = st.columns([7, 2], gap="medium")
            _asked(room, room.now, said, side)


def _waiting(room: Room) -> None:
    """Nothing is asked yet: how to join, and how many have."""
    said, side = st.columns(2, vertical_alignment="center", gap="large")
    with said:
        st.title(TEXTS("join_title"), anchor=False)
        st.markdown(TEXTS("joined", count=room.joined))
        _names(room)
    with side:
        invite(room.code)


def _names(room: Room) -> None:
    """The names that the teacher has let through."""
    if names := rooms().names_let_through(room.code):
        st.markdown(TEXTS("names_here", names=", ".join(names)))


def _asked(room: Room, ask: Ask, said: Place, side: Place) -> None:
    """The question and how many answered; then the results as far as they are shown."""
    question = asked_question(ask.link)
    is_shown = ask.shown != NOTHING and not ask.is_open
    is_told = is_shown and ask.shown == ANSWER
    tallies = vote_tallies(room.code, ask, question) if is_shown else []
    with said:
        st.title(TEXTS("question", number=ask.number), anchor=False)
        show_scene_task(ask.link)
        show_asked(question, is_told=is_told)
        if is_shown:
            show_bars(question, tallies, marks_right=is_told, large=True)
        elif isinstance(question.kind, Choice):
            options = map(question_markdown, question.kind.options)
            st.markdown("\n".join(TEXTS("option", option=option) for option in options))
    with side, st.container(key="room_side"):
        with st.container(key="room_count"):
            st.markdown(count_of(room, ask))
        if is_told:
            st.markdown(question_markdown(answer_said(question)))
            show_mistakes(tallies)
        if room.is_closed:
            st.markdown(TEXTS("closed"))
        elif is_shown:
            show_code(room.code)
        else:
            invite(room.code)
        _names(room)


def count_of(room: Room, ask: Ask) -> str:
    """Return how many of those who joined have answered, and whether they still can."""
    count = rooms().answered(room.code, ask.number, ask.vote)
    return TEXTS("answered", count=count, joined=room.joined, second=ask.vote > 1, open=ask.is_open)
