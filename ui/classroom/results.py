"""What a class answered: bars of one vote, or of two next to each other, and the usual mistakes."""

from collections.abc import Sequence
from string import ascii_uppercase

import streamlit as st

from core.questions.answers import Choice
from core.questions.engine import Question
from core.questions.tally import Tally, tally, two_votes
from ui.chart import draw_chart
from ui.charts.votes import votes_figure
from ui.classroom.rooms import Ask, rooms
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, question_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
MOST_BARS = 5
"""Of numbers that a class typed; the others are counted together."""


def vote_tallies(code: str, ask: Ask, question: Question) -> list[Tally]:
    """Return the answers of each vote that there was, counted."""
    votes = range(1, ask.vote + 1)
    return [tally(question, rooms().answers(code, ask.number, vote)) for vote in votes]


def show_bars(question: Question, tallies: Sequence[Tally], *, marks_right: bool) -> None:
    """Draw the bars of each vote; `marks_right` says which answer is right."""
    answers, times = vote_bars(question, tallies, marks_right)
    votes = tuple(
        (PLAIN("vote_title", number=n, count=given.answered), row)
        for n, (given, row) in enumerate(zip(tallies, times, strict=True), start=1)
    )
    chart = votes_figure(answers, votes)
    if answers:
        draw_chart(chart, key="room_bars")


def vote_bars(
    question: Question, tallies: Sequence[Tally], marks_right: bool
) -> tuple[tuple[tuple[str, bool], ...], list[tuple[int, ...]]]:
    """Return the answers and whether each is marked as right; and how often, vote by vote.

    Answers are in the order of the first vote, new ones after them; options have their letters.
    If a class typed many numbers, the rare ones are counted together, but for a marked one.
    """
    both = two_votes(tallies[0], tallies[-1])
    is_choice = isinstance(question.kind, Choice)
    often = both if is_choice else sorted(both, key=lambda one: -max(one.first, one.second))
    kept = [one for n, one in enumerate(often) if is_choice or n < MOST_BARS]
    shown = [one for one in both if one in kept or (marks_right and one.is_right)]
    rest = [one for one in both if one not in shown]
    texts = [one.text for one in shown]
    if is_choice:
        texts = [f"{letter} {text}" for letter, text in zip(ascii_uppercase, texts, strict=False)]
    answers = [(text, marks_right and one.is_right) for text, one in zip(texts, shown, strict=True)]
    first = [one.first for one in shown] + [sum(one.first for one in rest)] * bool(rest)
    second = [one.second for one in shown] + [sum(one.second for one in rest)] * bool(rest)
    answers += [(PLAIN("other_answers"), False)] * bool(rest)
    return tuple(answers), [tuple(first), tuple(second)][: len(tallies)]


def show_mistakes(tallies: Sequence[Tally]) -> None:
    """Say which usual mistakes were made in the last vote, and how many made each."""
    last = tallies[-1]
    lines = [TEXTS("right", count=last.right, answered=last.answered)]
    lines += [
        TEXTS("mistake", name=question_markdown(name), count=count) for name, count in last.mistakes
    ]
    most = last.most_given
    if most and not most.is_right and most.times > 1:
        lines.append(TEXTS("most_given", text=question_markdown(most.text), count=most.times))
    st.markdown("\n".join(Markdown(f"- {line}") for line in lines))
