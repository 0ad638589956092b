"""Asking a question: predict first, then see the answer beside the prediction."""

from collections.abc import Mapping

import streamlit as st

from core.errors import InputError
from core.program.rounding import decimal_text, typeset
from core.questions.answers import Choice
from core.questions.engine import Question, QuestionMaker, Table, Verdict, mark, parse_answer
from ui.session import KEPT
from ui.text import escape_markdown, markdown_table


@st.fragment
def ask_each(makers: Mapping[str, QuestionMaker], page: str) -> None:
    """A page's questions by their titles, and the one that is chosen.

    The others are not drawn: what stands on a page weighs on each of its changes.
    """
    title = st.pills(
        "**Predict, then reveal**", list(makers), default=next(iter(makers)), required=True,
        key=f"{page}_questions", **KEPT,
    )  # fmt: skip
    _ask(makers[title], f"{page}_{makers[title].__name__}")


def _ask(maker: QuestionMaker, key: str) -> None:
    """One question, fresh numbers at "Another one"; the seed that made them is shown."""
    state = st.session_state
    seed = state.setdefault(f"{key}_seed", 0)
    question = maker(seed)
    with st.container(border=True, key=f"question_{key}"):
        tables = [_table(table) for table in question.tables]
        st.markdown("\n\n".join([escape_markdown(question.prompt), *tables]))
        given = _input(question, f"{key}_{seed}")
        if given:
            _answer(question, given)
        st.caption(f"Question {seed + 1}, made from seed {seed}")
        st.button(
            "Another one",
            key=f"{key}_next",
            on_click=state.update,
            args=({f"{key}_seed": seed + 1},),
        )


def _input(question: Question, key: str) -> str:
    """What a person predicts; "" as long as there is nothing."""
    if isinstance(question.kind, Choice):
        return st.radio(
            "Your prediction", question.kind.options, index=None, horizontal=True, key=key,
            format_func=escape_markdown, **KEPT,
        ) or ""  # fmt: skip
    return str(
        st.text_input("Your prediction, then Enter", key=key, max_chars=60, width=260, **KEPT)
    )


def _answer(question: Question, text: str) -> None:
    try:
        verdict = mark(question, parse_answer(question, text))
    except InputError as error:
        st.error(escape_markdown(f"{error}."))
        return
    (st.success if verdict.right else st.warning)(_verdict(verdict))
    said = verdict.mistake.hint if verdict.mistake else ""
    st.markdown(escape_markdown(question.explanation.removeprefix(said).strip()))


def _verdict(verdict: Verdict) -> str:
    said = f"You said {typeset(verdict.given)}; the answer is {typeset(verdict.answer)}."
    if verdict.right:
        return escape_markdown(f"Right. {said}")
    if verdict.mistake:
        said += f" {verdict.mistake.name.capitalize()}. {verdict.mistake.hint}"
    elif verdict.gap is not None:
        said += f" You are off by {typeset(decimal_text(verdict.gap))}."
    return escape_markdown(said)


def _table(table: Table) -> str:
    rows = [
        [name, *map(typeset, cells)] for name, cells in zip(table.rows, table.cells, strict=True)
    ]
    return f"{escape_markdown(table.title)}:\n\n{markdown_table(['', *table.columns], rows)}"
