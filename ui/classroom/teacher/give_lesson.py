"""*Give it to a class*: a lesson of a teacher's own goes into a room, and has a short link."""

from typing import Any

import streamlit as st

from core.errors import InputError
from core.files.lesson import Lesson, write_lesson
from ui.classroom.questions.class_button import (
    browser_room,
    class_button,
    new_room,
    own_room,
    way_to_screens,
)
from ui.classroom.store.codes import name_in_links
from ui.classroom.store.rooms import rooms
from ui.classroom.teachers_room import FAULT, ROOM, key_of_session
from ui.lessons.course import first_scene, given_name, keep_given
from ui.links.path import address_of
from ui.page.presenting import is_student_view, presenting
from ui.page.sharing import own_address, show_link
from ui.page_texts import plain_ui_texts, ui_texts
from ui.server.unavailable import UnavailableError
from ui.text import escape_markdown

TEXTS, PLAIN = ui_texts("ask_class"), plain_ui_texts("ask_class")
GIVEN_AT = "lesson_given_at"
"""In the teacher's session: the place whose button was pressed last."""


def give_lesson(lesson: Lesson, place: str, page: str = "") -> None:
    """Draw the button that gives a lesson of one's own to a class, and where it is once given.

    `place` is the button's own among those of the page. On a `page` that is named there is room
    for the link, and for its code.
    """
    if presenting() or is_student_view():
        return
    class_button(place, PLAIN("give_lesson"), lambda kept: _give(kept, lesson, place))
    state = st.session_state
    if (fault := state.get(FAULT)) and state.get(GIVEN_AT) == place:
        st.error(escape_markdown(fault))
    if name := given_name(lesson):
        st.markdown(TEXTS("lesson_given", code=state[ROOM][0]))
        if not page:
            return
        if room := own_room():
            with st.container(horizontal=True, vertical_alignment="center"):
                way_to_screens(room)
        begins, asked = first_scene(name, lesson)
        root = own_address().removesuffix(address_of(page).removeprefix("./"))
        show_link(root + address_of(begins).removeprefix("./"), asked, "", TEXTS("given_link"))


def with_class(code: str) -> None:
    """Say of a room's lesson that it is there; who has no key is told where the notes are.

    The browser that gave the lesson gives its key again, so that a reload keeps the notes.
    """
    browser_room(code)
    id = "lesson_given" if rooms().is_teacher(code, key_of_session(code)) else "as_students"
    st.markdown(TEXTS(id, code=code))


def _give(kept: Any, lesson: Lesson, place: str) -> None:
    state = st.session_state
    state[GIVEN_AT], state[FAULT] = place, ""
    try:
        code, key = state[ROOM] = own_room(kept) or new_room()
        rooms().put_lesson(code, key, write_lesson(lesson))
        keep_given(lesson, name_in_links(code))
    except (InputError, UnavailableError) as error:
        state[FAULT] = PLAIN("refused", error=str(error))
