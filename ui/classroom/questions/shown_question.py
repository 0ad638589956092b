"""What a class is asked, as it is shown: the prompt, the step as a picture or tables, and what the
scene of a lesson has for it: the task, the answer, the note, and the scene after it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from core.files.lesson import MARKS
from core.program import formulas as f
from core.questions.engine import Question
from core.questions.step_picture import StepPicture
from ui.classroom.questions.asked import question_if_any, scene_of, task_question
from ui.components.component import THEME, component
from ui.lessons.course import ScenePosition, for_teacher
from ui.lessons.scene_words import markdown
from ui.page.asking import question_tables
from ui.page_texts import page_texts, plain_ui_texts, ui_texts
from ui.text import Markdown, escape_beside, question_markdown

ASKED = plain_ui_texts("asked")
_picture = component(Path(__file__).with_name("step_picture.js"), before=THEME)
TEXTS = page_texts("room")
ASK = ui_texts("ask_class")


def show_asked(question: Question, *, is_told: bool = False) -> None:
    """Draw what is asked, and the matrices that it is about."""
    show_words(question)
    show_matrices(question, is_told=is_told)


def show_words(question: Question) -> None:
    """Draw what is asked, in words."""
    with st.container(key="asked_words"):
        st.markdown(question_markdown(question.prompt))


def show_matrices(question: Question, *, is_told: bool = False) -> None:
    """Draw the step that is asked for, or the question's tables, if it has any.

    Once it `is_told` the picture has the result's numbers. Before, nothing is sent of which the
    answer could be read.
    """
    picture = question.picture_after if is_told else question.picture
    if picture is None and not question.tables:
        return
    with st.container(key="asked_matrices"):
        if picture is None:
            st.markdown("\n\n".join(question_tables(question)))
        else:
            _picture(key="step_picture", data=[picture_data(picture)])


def picture_data(picture: StepPicture) -> dict[str, Any]:
    """Return a picture as the browser takes it, with what is said of it and of each matrix."""
    data = picture.data()
    label = ASKED("picture", formula=f.plain_formula(picture.result.caption))
    matrices = [*data["operands"], data["result"]]
    told = [matrix | _told(matrix["name"], matrix["head"]) for matrix in matrices]
    return data | {"label": label, "operands": told[:-1], "result": told[-1]}


def _told(name: str, head: int) -> dict[str, str]:
    """What is said of a matrix, and its head in its caption."""
    label = ASKED("head", name=name, number=head) if head else name
    return {"label": label, "head": ASKED("picture_head", number=head) if head else ""}


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
    if question_if_any(scene.asked):
        label = TEXTS("ask_next", title=title)
        st.button(label, key="room_next", on_click=on_ask, args=(scene.asked,))
    else:
        st.link_button(TEXTS("open_next", title=title), scene.address(scene.at))


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
