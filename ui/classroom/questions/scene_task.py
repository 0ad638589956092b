"""What the scene of a lesson asks a class to do, with the question that it leads to."""

import streamlit as st

from core.files.lesson import MARKS
from core.questions.engine import Question
from ui.classroom.questions.asked import scene_of, task_question
from ui.lessons.scene_markup import markdown
from ui.page_texts import page_texts, ui_texts
from ui.text import Markdown, escape_beside, question_markdown

TEXTS, ROOM = ui_texts("ask_class"), page_texts("room")


def show_scene_task(link: str, question: Question) -> None:
    """Draw the title and the task of the scene that a link names, if it names one.

    The task is left out if the question says just that.
    """
    now = None if question.is_free else scene_of(link)
    if now is not None and now.scene.task:
        task = Markdown("") if asks_task(link, question) else markdown(now.scene.task)
        title = escape_beside(now.scene.title)
        st.markdown(TEXTS("scene_task", title=title, task=task))


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
    return ROOM("scene_answer", text=markdown(answer))
