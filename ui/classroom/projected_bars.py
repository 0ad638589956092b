"""Bars of votes for a projector: HTML, which is as large as its room and does not blink."""

import html
from collections.abc import Sequence

import streamlit as st

from core.questions.engine import Question
from core.questions.tally import Tally
from core.questions.texts import plain_text
from ui.classroom.results import vote_bars
from ui.page_texts import chart_texts

PLAIN = chart_texts("room")


def project_bars(question: Question, tallies: Sequence[Tally], *, marks_right: bool) -> None:
    """Draw a row for each answer, with a bar for each vote; `marks_right` ticks the right one."""
    answers, votes = vote_bars(question, tallies, marks_right)
    if answers:
        with st.container(key="room_bars"):
            st.html(_table(answers, votes, [vote.answered for vote in tallies]))


def _table(
    answers: Sequence[tuple[str, bool]], votes: Sequence[Sequence[int]], counts: Sequence[int]
) -> str:
    most = max((times for vote in votes for times in vote), default=0) or 1
    titles = [PLAIN("vote_title", number=n, count=count) for n, count in enumerate(counts, start=1)]
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles)
    rows = []
    for n, (text, is_right) in enumerate(answers):
        looks = ' class="right"' if is_right else ""
        name = html.escape(plain_text(text)) + " ✓" * is_right
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
