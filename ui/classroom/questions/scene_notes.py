"""What a lesson has for the teacher of a question that a scene asks, and the scene after it."""

from collections.abc import Callable

import streamlit as st

from core.files.lesson import MARKS
from core.questions.engine import Question
from ui.classroom.questions.asked import scene_of, task_question
from ui.classroom.questions.asking_class import asks
from ui.lessons.course import ScenePosition, for_teacher
from ui.lessons.scene_words import markdown
from ui.page_texts import page_texts, ui_texts
from ui.text import Markdown, escape_beside, question_markdown

TEXTS = page_texts("room")


def planned_until(now: ScenePosition) -> float:
    """Return the minute of its lesson until which a scene is planned."""
    return sum(one.minutes for one in now.lesson.scenes[: now.at + 1])


def scene_notes(link: str) -> None:
    """Draw the task, the answer and the note of the scene that a link names, if it names one."""
    if (now := scene_of(link)) is None:
        return
    scene = for_teacher(now).scene
    with st.container(border=True, key="room_scene"):
        st.markdown(TEXTS("scene", number=now.at + 1, title=escape_beside(scene.title)))
        for id, text in (
            ("scene_task", scene.task),
            ("scene_answer", scene.answer),
            ("scene_note", scene.note),
        ):
            if text:
                st.markdown(TEXTS(id, text=markdown(text)))


def next_scene(link: str, on_ask: Callable[[str], None]) -> None:
    """Draw the button that asks a class the scene after a link's, or opens it if it asks nothing.

    `on_ask` asks the class the link that it is given.
    """
    now = scene_of(link)
    if now is None or now.at + 1 >= len(now.lesson.scenes):
        return
    scene = ScenePosition(now.name, now.lesson, now.at + 1)
    title = escape_beside(scene.scene.title)
    if asks(scene.asked):
        label = TEXTS("ask_next", title=title)
        st.button(label, key="room_next", on_click=on_ask, args=(scene.asked,))
    else:
        st.link_button(TEXTS("open_next", title=title), scene.address(scene.at))


ASK = ui_texts("ask_class")


def show_scene_task(link: str, question: Question) -> None:
    """Draw the title and the task of the scene that a link names, if it names one.

    The task is left out if the question says just that.
    """
    now = None if question.is_free else scene_of(link)
    if now is not None and now.scene.task:
        task = Markdown("") if asks_task(link, question) else markdown(now.scene.task)
        title = escape_beside(now.scene.title)
        st.markdown(ASK("scene_task", title=title, task=task))


def asks_task(link: str, question: Question) -> bool:
    """Whether a question says just what the task of the scene that a link names says."""
    now = scene_of(link)
    task = task_question(now.scene) if now is not None else None
    if now is None or task is None:
        return False
    asked = question_markdown(question.prompt)
    return asked in (markdown(now.scene.task).strip(), question_markdown(task.prompt))


def scene_answer(link: str) -> Markdown:
    """Return the answer of a link's scene; empty if there is none or if it needs the stage."""
    now = scene_of(link)
    answer = now.scene.answer if now is not None else ""
    needs_stage = any(mark["place"] for mark in MARKS.finditer(answer))
    if needs_stage or not answer:
        return Markdown("")
    return TEXTS("scene_answer", text=markdown(answer))
