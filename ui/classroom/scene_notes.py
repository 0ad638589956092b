"""What a lesson has for the teacher of a question that a scene asks, and the scene after it."""

from collections.abc import Callable

import streamlit as st

from core.errors import InputError
from ui.classroom.class_button import asks
from ui.lessons.course import ScenePosition, for_teacher
from ui.lessons.scene_markup import markdown
from ui.lessons.shelf import lesson_named, lesson_of, scene_named
from ui.page_texts import page_texts
from ui.text import escape_beside

TEXTS = page_texts("room")


def scene_of(link: str) -> ScenePosition | None:
    """Return the scene that a link names; None if it names none of a built-in lesson."""
    try:
        name, at = scene_named(lesson_of(link))
    except InputError:
        return None
    return ScenePosition(name, lesson_named(name), at)


def scene_notes(link: str, on_ask: Callable[[str], None]) -> None:
    """Draw the scene's task, answer, note and minutes, and the way to the next scene.

    `on_ask` asks the class the link that it is given.
    """
    if (now := scene_of(link)) is None:
        return
    now = for_teacher(now)
    scene, scenes = now.scene, now.lesson.scenes
    with st.container(border=True, key="room_scene"):
        title = escape_beside(scene.title)
        planned = sum(one.minutes for one in scenes[: now.at + 1])
        st.markdown(TEXTS("scene", number=now.at + 1, title=title, minutes=f"{planned:g}"))
        for id, text in (
            ("scene_task", scene.task),
            ("scene_answer", scene.answer),
            ("scene_note", scene.note),
        ):
            if text:
                st.markdown(TEXTS(id, text=markdown(text)))
        if now.at + 1 < len(scenes):
            _next(ScenePosition(now.name, now.lesson, now.at + 1), on_ask)


def _next(scene: ScenePosition, on_ask: Callable[[str], None]) -> None:
    """Ask the class the next scene, or open it where it asks nothing."""
    title = escape_beside(scene.scene.title)
    if asks(scene.asked):
        label = TEXTS("ask_next", title=title)
        st.button(label, key="room_next", on_click=on_ask, args=(scene.asked,))
    else:
        st.link_button(TEXTS("open_next", title=title), scene.address(scene.at))
