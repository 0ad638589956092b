"""Bars of one vote, or of two next to each other: HTML as large as its room, without a blink."""

import html
from collections.abc import Sequence
from string import ascii_uppercase

import streamlit as st

from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, parse_answer
from core.questions.tally import Tally, two_votes
from core.questions.texts import plain_text
from ui.classroom.results import answer_text
from ui.page_texts import chart_texts

PLAIN = chart_texts("room")
MOST_BARS = 5
"""Of numbers that a class typed; the others are counted together."""


def show_bars(question: Question, tallies: Sequence[Tally], *, marks_right: bool) -> None:
    """Draw a row for each answer, with a bar for each vote; `marks_right` ticks the right one."""
    answers, votes = vote_bars(question, tallies, marks_right)
    if answers:
        with st.container(key="room_bars"):
            st.html(_table(answers, votes, [vote.answered for vote in tallies]))


def vote_bars(
    question: Question, tallies: Sequence[Tally], marks_right: bool
) -> tuple[tuple[tuple[str, bool], ...], list[tuple[int, ...]]]:
    """Return the answers and whether each is marked as right; and how often, vote by vote.

    Numbers are in their order, and a marked one is written as the question does; options have
    their letters. If a class typed many numbers, the rare ones are counted together at the end,
    but for a marked one.
    """
    both = two_votes(tallies[0], tallies[-1])
    is_choice = isinstance(question.kind, Choice)
    often = both if is_choice else sorted(both, key=lambda one: -max(one.first, one.second))
    kept = [one for n, one in enumerate(often) if is_choice or n < MOST_BARS]
    shown = [one for one in both if one in kept or (marks_right and one.is_right)]
    rest = [one for one in both if one not in shown]
    if isinstance(question.kind, NumberAnswer):
        shown.sort(key=lambda one: parse_answer(question, one.text))
    texts = [answer_text(question) if marks_right and one.is_right else one.text for one in shown]
    if is_choice:
        texts = [
            f"{letter}\u2002{text}" for letter, text in zip(ascii_uppercase, texts, strict=False)
        ]
    answers = [(text, marks_right and one.is_right) for text, one in zip(texts, shown, strict=True)]
    first = [one.first for one in shown] + [sum(one.first for one in rest)] * bool(rest)
    second = [one.second for one in shown] + [sum(one.second for one in rest)] * bool(rest)
    answers += [(PLAIN("other_answers"), False)] * bool(rest)
    return tuple(answers), [tuple(first), tuple(second)][: len(tallies)]


def _table(
    answers: Sequence[tuple[str, bool]], votes: Sequence[Sequence[int]], counts: Sequence[int]
) -> str:
    most = max((times for vote in votes for times in vote), default=0) or 1
    titles = [PLAIN("vote_title", number=n, count=count) for n, count in enumerate(counts, start=1)]
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles)
    rows = []
    for n, (text, is_right) in enumerate(answers):
        looks = ' class="right"' if is_right else ""
        name = html.escape(plain_text(text)) + "\u00a0✓" * is_right
        bars = "".join(
            f'<td><div><i style="width: {75 * vote[n] / most:.2f}%"></i><b>{vote[n]}</b></div></td>'
            for vote in votes
        )
        rows.append(f'<tr{looks}><th scope="row">{name}</th>{bars}</tr>')
    corner = html.escape(PLAIN("bars_corner"))
    return (
        f'<table class="vote-bars"><thead><tr><td>{corner}</td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
