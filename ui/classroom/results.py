"""What a class answered: bars of one vote, or of two next to each other, and the usual mistakes."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.questions.answers import Choice
from core.questions.engine import Question
from core.questions.tally import Tally, tally, two_votes
from ui.chart import draw_chart
from ui.charts.votes import Bar, votes_figure
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


def show_bars(
    question: Question, tallies: Sequence[Tally], places: Sequence[Any], *, marks_right: bool
) -> None:
    """Draw the bars of each vote in its place; `marks_right` says which answer is right."""
    drawn = vote_bars(question, tallies, marks_right)
    most = max((times for bars in drawn for _, times, _ in bars), default=0)
    for number, (place, bars) in enumerate(zip(places, drawn, strict=True), start=1):
        title = PLAIN("vote_title", number=number, count=tallies[number - 1].answered)
        with place:
            draw_chart(votes_figure(title, bars, most), key=f"room_bars_{number}")


def vote_bars(
    question: Question, tallies: Sequence[Tally], marks_right: bool
) -> list[tuple[Bar, ...]]:
    """Return the bars of each vote, with the same answers in the same order in both.

    If a class typed many numbers, the rare ones are one bar; the right one stays by itself.
    """
    both = two_votes(tallies[0], tallies[-1])
    if not isinstance(question.kind, Choice):
        both = tuple(sorted(both, key=lambda one: -max(one.first, one.second)))
    kept = [one for n, one in enumerate(both) if n < MOST_BARS or (marks_right and one.is_right)]
    rest = [one for one in both if one not in kept]
    votes = []
    for vote in range(len(tallies)):
        bars = [
            (one.text, (one.first, one.second)[vote], marks_right and one.is_right) for one in kept
        ]
        others = sum((one.first, one.second)[vote] for one in rest)
        votes.append((*bars, *([(PLAIN("other_answers"), others, False)] if rest else [])))
    return votes


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
