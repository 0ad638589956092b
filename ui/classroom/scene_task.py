"""What the scene of a lesson asks a class to do, with the question that it leads to."""

import streamlit as st

from core.files.lesson import MARKS
from core.questions.engine import Question
from ui.classroom.scene_asked import scene_of
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
        task = Markdown(markdown(now.scene.task))
        is_asked = task.strip() == question_markdown(question.prompt)
        title = escape_beside(now.scene.title)
        st.markdown(TEXTS("scene_task", title=title, task=Markdown("") if is_asked else task))


def scene_answer(link: str) -> Markdown:
    """Return the answer of a link's scene; empty if there is none or if it needs the stage."""
    now = scene_of(link)
    answer = now.scene.answer if now is not None else ""
    needs_stage = any(mark["place"] for mark in MARKS.finditer(answer))
    if needs_stage or not answer:
        return Markdown("")
    return ROOM("scene_answer", text=markdown(answer))
