"""What a class answered: the votes, counted, the usual mistakes, and what is right.

The answers of one vote, or of two next to each other, are rows that every screen names alike. Their
bars are HTML as large as its room, without a blink.
"""

import html
from collections.abc import Container, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import streamlit as st

from core.errors import InputError
from core.program.numbers.rounding import typeset
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, WrongAnswer, mark_answer, parse_answer
from core.questions.tally import Tally, TwoCounts, tally, two_votes
from core.questions.texts import plain_text
from ui.classroom.questions.asked import question_if_any
from ui.classroom.store.rooms import Ask, rooms
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, question_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
MOST_BARS = 5
"""Of numbers that a class typed; the others are one row, in which they are named."""
MOST_NAMED = 10
"""Numbers that such a row names."""
LONG = 16
"""Characters of a name that may take more than one line."""
RIGHT, WRONG, UNANSWERED, UNMARKED = "right", "wrong", "unanswered", "unmarked"


def vote_tallies(code: str, ask: Ask, question: Question) -> list[Tally]:
    """Return the answers of each vote that there was, counted."""
    votes = range(1, ask.vote + 1)
    return [tally(question, rooms().answers(code, ask.number, vote)) for vote in votes]


def mark_of(ask: Ask, text: str | None) -> str:
    """Return RIGHT or WRONG for an answer, UNANSWERED for None; UNMARKED where nothing is right.

    That is a free text, or a question that can no longer be made.
    """
    question = question_if_any(ask)
    if question is None or question.is_free:
        return UNMARKED
    if text is None:
        return UNANSWERED
    try:
        return RIGHT if mark_answer(question, parse_answer(question, text)).right else WRONG
    except InputError:
        return WRONG


def answer_text(question: Question) -> str:
    """Return the right answer as the question writes it, a number with the sign −."""
    text = question.kind.text(question.answer)
    return typeset(text) if isinstance(question.kind, NumberAnswer) else text


def show_mistakes(
    question: Question, tallies: Sequence[Tally], among: Container[WrongAnswer | None] | None = None
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


@dataclass(frozen=True)
class VoteRow:
    """An answer as the projector, the teacher's window and the phones name it.

    `times` says how often it was given, vote by vote. `is_right` and `mistake` say what it is if
    the class is told.
    """

    text: str
    times: tuple[int, ...]
    is_right: bool = False
    mistake: WrongAnswer | None = None


def vote_rows(question: Question, tallies: Sequence[Tally], tells: bool) -> list[VoteRow]:
    """Return a row for each answer; which is right, and which mistake each shows, if it `tells`.

    Numbers are in their order, and the right one is written as the question does if it `tells`.
    Options have their letters. If a class typed many numbers, the rare ones are one row at the end,
    but for a right one that is told.
    """
    both = two_votes(tallies[0], tallies[-1])
    if isinstance(question.kind, Choice):
        letters = zip(ascii_uppercase, both, strict=False)
        return [_row(f"{letter}\u2002{one.text}", [one], tallies, tells) for letter, one in letters]
    often = sorted(both, key=lambda one: -max(one.first, one.second))
    kept = often if len(often) == MOST_BARS + 1 else often[:MOST_BARS]  # the last one has a name
    shown = [one for one in both if one in kept or (tells and one.is_right)]
    rest = [one for one in both if one not in shown]
    if isinstance(question.kind, NumberAnswer):
        for some in (shown, rest):
            some.sort(key=lambda one: parse_answer(question, one.text))
    right = answer_text(question)
    rows = [
        _row(right if tells and one.is_right else one.text, [one], tallies, tells) for one in shown
    ]
    if rest:
        names, more = [one.text for one in rest[:MOST_NAMED]], len(rest[MOST_NAMED:])
        rows.append(_row(PLAIN("other_answers", names=names, more=more), rest, tallies, False))
    return rows


def _row(text: str, counts: Sequence[TwoCounts], tallies: Sequence[Tally], tells: bool) -> VoteRow:
    """One answer, or several together, in each vote that there was."""
    times = sum(one.first for one in counts), sum(one.second for one in counts)
    right, mistake = tells and counts[0].is_right, counts[0].mistake if tells else None
    return VoteRow(text, times[: len(tallies)], right, mistake)


def show_bars(question: Question, tallies: Sequence[Tally], *, marks_right: bool) -> None:
    """Draw each row with a bar for each vote; `marks_right` ticks the right one."""
    if rows := vote_rows(question, tallies, marks_right):
        with st.container(key="room_bars"):
            st.html(_table(rows, [vote.answered for vote in tallies]))


def _table(rows: Sequence[VoteRow], counts: Sequence[int]) -> str:
    most = max((times for row in rows for times in row.times), default=0) or 1
    titles = [PLAIN("vote_title", number=n, count=count) for n, count in enumerate(counts, start=1)]
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles)
    lines = []
    for row in rows:
        right = ' class="right"' * row.is_right
        name = html.escape(plain_text(row.text)) + "\u00a0✓" * row.is_right
        bars = "".join(
            f'<td><div><i style="flex-basis: {100 * times / most:.2f}%"></i><b>{times}</b></div>'
            "</td>"
            for times in row.times
        )
        lines.append(f'<tr{right}><th scope="row">{name}</th>{bars}</tr>')
    corner = html.escape(PLAIN("bars_corner"))
    looks = "vote-bars" + " long" * any(len(plain_text(row.text)) > LONG for row in rows)
    return (
        f'<table class="{looks}"><thead><tr><td>{corner}</td>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
