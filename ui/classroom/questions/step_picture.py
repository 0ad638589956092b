"""What a class is asked, as it is shown: the prompt, and the step as a picture or tables."""

from pathlib import Path
from typing import Any

import streamlit as st

from core.program import formulas as f
from core.questions.engine import Question
from core.questions.step_picture import StepPicture
from ui.components.component import THEME, component
from ui.page.asking import question_tables
from ui.page_texts import plain_ui_texts
from ui.text import question_markdown

TEXTS = plain_ui_texts("asked")
_picture = component(Path(__file__).with_name("step_picture.js"), before=THEME)


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
    label = TEXTS("picture", formula=f.plain_formula(picture.result.caption))
    matrices = [*data["operands"], data["result"]]
    told = [matrix | _told(matrix["name"], matrix["head"]) for matrix in matrices]
    return data | {"label": label, "operands": told[:-1], "result": told[-1]}


def _told(name: str, head: int) -> dict[str, str]:
    """What is said of a matrix, and its head in its caption."""
    label = TEXTS("head", name=name, number=head) if head else name
    return {"label": label, "head": TEXTS("picture_head", number=head) if head else ""}
