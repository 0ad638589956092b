"""What a class answered: the votes, counted, and the usual mistakes."""

from collections.abc import Container, Sequence

import streamlit as st

from core.program.numbers.rounding import typeset
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, WrongAnswer
from core.questions.tally import Tally, tally
from ui.classroom.store.rooms import Ask, rooms
from ui.page_texts import page_texts
from ui.text import Markdown, question_markdown

TEXTS = page_texts("room")


def vote_tallies(code: str, ask: Ask, question: Question) -> list[Tally]:
    """Return the answers of each vote that there was, counted."""
    votes = range(1, ask.vote + 1)
    return [tally(question, rooms().answers(code, ask.number, vote)) for vote in votes]


def answer_text(question: Question) -> str:
    """Return the right answer as the question writes it, a number with the sign −."""
    text = question.kind.text(question.answer)
    return typeset(text) if isinstance(question.kind, NumberAnswer) else text


def show_mistakes(
    question: Question,
    tallies: Sequence[Tally],
    among: Container[WrongAnswer | None] | None = None,
) -> None:
    """Say which usual mistakes were made in the last vote, in which number, and how often.

    Of a number, only those `among` these, if any are given. Of a choice the bars have the options,
    so only the mistakes are said.
    """
    last = tallies[-1]
    if not last.answered:  # the count says so
        return
    st.markdown(TEXTS("right", count=last.right, answered=last.answered))
    is_choice = isinstance(question.kind, Choice)
    made = [("", *mistake) for mistake in last.mistakes] if is_choice else [
        (each.text, each.mistake.name, each.times)
        for each in last.given
        if each.mistake and (among is None or each.mistake in among)
    ]  # fmt: skip
    lines = [
        TEXTS("mistake", given=question_markdown(given), name=question_markdown(name), count=count)
        for given, name, count in made
    ]
    most = None if is_choice else last.most_given
    if most and not most.is_right:
        lines.append(TEXTS("most_given", text=question_markdown(most.text), count=most.times))
    if lines:
        st.markdown("\n".join(Markdown(f"- {line}") for line in lines))
