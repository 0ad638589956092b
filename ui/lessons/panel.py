"""The scene that is on, beside what a page shows: its words, the way on, its answer and note."""

from pathlib import Path

import streamlit as st

from ui.classroom.questions.class_button import ask_scene
from ui.classroom.store.room import room_in_name
from ui.classroom.teacher.opening import give_lesson, with_class
from ui.components.component import component
from ui.lessons.course import current_scene, first_scene, leave, told_to_browser
from ui.lessons.scene_words import markdown
from ui.lessons.shelf import LESSON_NAMES, OWN_LESSON, packed_lesson, shipped
from ui.links.path import page_named
from ui.page.presenting import is_student_view, presenting
from ui.page.prose import say
from ui.page_texts import ui_texts
from ui.text import escape_beside

TEXTS = ui_texts("lessons")
FIRST = LESSON_NAMES[0]
"""The front page's own guide."""
_component = component(
    Path(__file__).with_name("panel.js"), "lesson", html='<div class="course"></div>'
)


def guide() -> None:
    """For whoever begins on the front page: the lesson that begins at the beginning."""
    page, asked = first_scene(FIRST, shipped(FIRST))
    with st.container(key="from_nothing", width="content"):
        st.page_link(page_named(page), label=TEXTS("from_nothing"), query_params=asked)


def scene_panel(page: str) -> None:
    """The scene that is on, if any; on another page than its own, the way back to it."""
    now = current_scene()
    if now is None:
        return
    told = told_to_browser(now, page)
    with st.container(key="lesson_side"):
        with st.container(key="lesson", gap="small"):
            title, number = escape_beside(now.lesson.title), now.at + 1
            if told["here"]:
                count = len(now.lesson.scenes)
                st.caption(TEXTS("scene_of", title=title, number=number, count=count))
                st.markdown(TEXTS("scene_title", title=escape_beside(now.scene.title)))
                st.markdown(markdown(now.scene.words))
                if now.scene.task:
                    st.markdown(TEXTS("do", task=markdown(now.scene.task)))
            else:
                st.caption(TEXTS("waits", title=title, number=number))
            _component(key="lesson_way", data=[told])
        if told["here"]:
            ask_scene(now)
        if presenting() or is_student_view():  # what the class sees has no answers and no notes
            return
        if told["here"] and now.scene.answer:
            # A browser keeps what stands open by its key: each scene's is another.
            with st.expander(TEXTS("answer"), key=f"lesson_answer_{now.at}"):
                st.markdown(markdown(now.scene.answer))
        if told["here"] and now.scene.note:
            with st.expander(TEXTS("teachers_note"), key=f"lesson_note_{now.at}"):
                st.markdown(markdown(now.scene.note))
        if now.name == OWN_LESSON:
            if not packed_lesson(now.lesson):
                say(TEXTS("own"))
            give_lesson(now.lesson, "give_scene")
        elif code := room_in_name(now.name):
            with_class(code)
        st.button(TEXTS("leave"), key="lesson_leave", type="tertiary", on_click=leave)
