"""Opening a room before anything is asked, and giving it a lesson of a teacher's own."""

from typing import Any

import streamlit as st

from core.files.lesson import Lesson, write_lesson
from ui.classroom.class_session import (
    FAULT,
    OWN_ROOM,
    key_of_session,
    new_room,
    own_room,
    say_refusal,
)
from ui.classroom.questions.class_button import browser_room, class_button, way_to_screens
from ui.classroom.store.room import name_in_links
from ui.classroom.store.rooms import rooms
from ui.lessons.course import first_scene, given_name, keep_given
from ui.links.path import BESIDE, address_of, page_named
from ui.page.presenting import is_student_view, presenting
from ui.page.sharing import own_address, show_link
from ui.page_texts import chart_texts, page_texts, plain_ui_texts, ui_texts

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
ASK, PLAIN_ASK = ui_texts("ask_class"), plain_ui_texts("ask_class")
GIVEN_AT = "lesson_given_at"
"""In the teacher's session: the place whose button was pressed last."""


def open_room() -> None:
    """Draw the way to open a room, and to the screens of the one that is open."""
    st.title(TEXTS("title"), anchor=False)
    st.markdown(TEXTS("lede"))
    st.markdown(TEXTS("steps"))
    st.checkbox(TEXTS("wants_names"), key="room_wants_names")
    st.checkbox(TEXTS("exit_quiz"), key="room_exit_quiz")
    class_button("new", PLAIN("open"), _open, is_primary=True)
    say_refusal(FAULT)
    if room := own_room():
        with st.container(horizontal=True, vertical_alignment="center"):
            way_to_screens(room)
        st.markdown(TEXTS("how_to_ask"))
        with st.container(horizontal=True):
            for name in ("lessons", "practice"):
                st.page_link(page_named(name), label=BESIDE[name])


def give_lesson(lesson: Lesson, place: str, page: str = "") -> None:
    """Draw the button that gives a lesson of one's own to a class, and where it is once given.

    `place` is the button's own among those of the page. On a `page` that is named there is room
    for the link, and for its code.
    """
    if presenting() or is_student_view():
        return
    class_button(place, PLAIN_ASK("give_lesson"), lambda kept: _give(kept, lesson, place))
    if st.session_state.get(GIVEN_AT) == place:
        say_refusal(FAULT)
    if name := given_name(lesson):
        st.markdown(ASK("lesson_given", code=st.session_state[OWN_ROOM][0]))
        if not page:
            return
        if room := own_room():
            with st.container(horizontal=True, vertical_alignment="center"):
                way_to_screens(room)
        begins, asked = first_scene(name, lesson)
        root = own_address().removesuffix(address_of(page).removeprefix("./"))
        show_link(root + address_of(begins).removeprefix("./"), asked, "", ASK("given_link"))


def with_class(code: str) -> None:
    """Say of a room's lesson that it is there; who has no key is told where the notes are.

    The browser that gave the lesson gives its key again, so that a reload keeps the notes.
    """
    browser_room(code)
    id = "lesson_given" if rooms().is_teacher(code, key_of_session(code)) else "as_students"
    st.markdown(ASK(id, code=code))


def _open(_kept: Any) -> None:
    """Open another room, whether there is one or not."""
    state = st.session_state
    state[OWN_ROOM] = new_room(
        wants_names=state.room_wants_names, shows_results=not state.room_exit_quiz
    )


def _give(kept: Any, lesson: Lesson, place: str) -> None:
    state = st.session_state
    state[GIVEN_AT] = place
    code, key = state[OWN_ROOM] = own_room(kept) or new_room()
    rooms().put_lesson(code, key, write_lesson(lesson))
    keep_given(lesson, name_in_links(code))
