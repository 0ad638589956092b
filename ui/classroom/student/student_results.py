"""How a class answered, in words on a student's page: as much of it as the teacher shows."""

from collections.abc import Iterator

import streamlit as st

from core.errors import InputError
from core.questions.engine import Question, mark_answer, parse_answer, written_answer
from core.questions.tries import Tries, reply
from ui.classroom.questions.results import VoteRow, vote_rows, vote_tallies
from ui.classroom.store.rooms import ANSWER, NOTHING, Ask, Room, rooms
from ui.page.asking import show_answer
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.text import Markdown, escape_beside, escape_markdown, question_markdown

TEXTS = page_texts("join")


def shown_to_students(room: Room, ask: Ask) -> str:
    """Return what students see of a question's results: NOTHING, BARS or the ANSWER."""
    if ask.is_open:
        return NOTHING
    is_over = room.is_closed and not room.shows_results
    return ANSWER if is_over else ask.shown if room.shows_results or room.is_closed else NOTHING


def show_results(question: Question, room: Room, ask: Ask, student: str) -> None:
    """Draw a student's own answer to a closed vote, and what the teacher shows of the class's.

    The results of an exit quiz are kept back until its room is closed; then each is shown. Free
    texts have none: what others wrote is sent to no student.
    """
    shown = shown_to_students(room, ask)
    given = rooms().answer_of(room.code, ask.number, ask.vote, student)
    if given is None:
        say(TEXTS("not_answered"))
    else:
        say(TEXTS("your_answer_was", answer=answer_markdown(question, given)))
    if question.is_free:
        return
    tells = shown == ANSWER
    found = tells and given is not None and _say_verdict(question, given)
    if shown != NOTHING:
        say("\n".join([TEXTS("class_answered"), "", *_bars(question, room, ask, tells)]))
    if tells:
        show_answer(question, found)


def answer_markdown(question: Question, text: str) -> Markdown:
    """What a student sent, as the student wrote it."""
    if question.is_free:
        return escape_beside(text)
    try:
        return question_markdown(written_answer(question, text))
    except InputError:
        return Markdown(escape_markdown(text))


def _say_verdict(question: Question, text: str) -> bool:
    """Say whether an answer is right, or which mistake it shows; return whether it is right."""
    try:
        given = parse_answer(question, text)
    except InputError:
        return False
    made = reply(question, Tries((given,)))
    if made is not None and made.right:
        st.success(question_markdown(made.said))
    elif made is not None:
        st.warning(TEXTS("not_right", why=question_markdown(made.why)))
    return mark_answer(question, given).right


def _bars(question: Question, room: Room, ask: Ask, tells: bool) -> Iterator[str]:
    """How many gave each answer, in both votes if there were two; which is right if it `tells`."""
    counts = vote_tallies(room.code, ask, question)
    now = counts[-1]
    if not any(count.answered for count in counts):
        yield TEXTS("nobody")
        return
    for row in vote_rows(question, counts, tells):
        yield TEXTS(
            "bar", answer=_marked(row), first=row.times[0], before=counts[0].answered,
            second=row.times[-1], after=now.answered, again=ask.vote > 1,
        )  # fmt: skip
    if now.unread:
        yield TEXTS("unread", times=now.unread, answered=now.answered)


def _marked(row: VoteRow) -> Markdown:
    """An answer, and whether it is right or which mistake it shows, if the class is told."""
    answer = question_markdown(row.text)
    if row.is_right:
        return TEXTS("is_right", answer=answer)
    if row.mistake and row.mistake.name:
        return TEXTS("shows_mistake", answer=answer, mistake=question_markdown(row.mistake.name))
    return answer
