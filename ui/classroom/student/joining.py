"""The page of a student: into the room, an answer to what is asked, and how the class answered.

An exit quiz has all of its questions there, one at a time, at one's own pace.

Nothing of an answer is sent to it before the vote is closed and the teacher shows it.
"""

from functools import partial
from pathlib import Path
from time import time

import streamlit as st

from core.errors import InputError
from core.questions.answers import Choice, FreeText
from core.questions.engine import Question, parse_answer
from ui.classroom.class_session import ROOM, refusal_kept, room_of_link, was_here
from ui.classroom.following import follow_room, hear_of_room
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.results import RIGHT, UNMARKED, mark_of
from ui.classroom.questions.shown_question import scene_answer, show_asked, show_scene_task
from ui.classroom.store.room import LENGTH, code_typed
from ui.classroom.store.rooms import ANSWER, Ask, Room, rooms
from ui.classroom.student.entering import FAULT, is_in, is_waiting, say_fault, student_id
from ui.classroom.student.student_results import answer_markdown, show_results, shown_to_students
from ui.components.component import component
from ui.links.path import HOME, page_named
from ui.links.session import PERSIST
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts, plain_ui_texts
from ui.server.fragments import fragment
from ui.text import question_markdown

TEXTS, PLAIN = page_texts("join"), chart_texts("join")
ASKING = plain_ui_texts("asking")
CHANGES, DRAWN = "join_changes", "join_drawn"
"""In the session: the vote whose answer is changed, and the answer that the page shows, with its
question and vote."""
LOOK_MILLISECONDS = 2_000
"""Milliseconds between two looks at the room."""
WIDE = 640
"""The widest that the page is, in pixels."""
_begin = component(Path(__file__).with_name("own_pace.js"), "quiz_begin")
"""In the browser: another question is seen from its beginning."""


def student_page() -> None:
    """Draw the page of a student, in the room that the link names."""
    student = student_id()
    with st.container(key="student", width=WIDE):
        room = _room_of_link()
        if room is None:
            _ask_for_code()
            return
        st.title(TEXTS("room", code=room.code), anchor=False)
        if not student:
            say(TEXTS("one_moment"))
        elif is_in(room, student):
            take_part(room.code, student)
    follow = follow_room if is_waiting() else hear_of_room
    follow(room.code, room, partial(_seen_by, student), LOOK_MILLISECONDS)


def _seen_by(student: str, room: Room | None) -> object:
    """What a student's page shows of a room; answers of others change nothing on it.

    Another tab of the same student may send another answer: then the one on show is old. Who waits
    to come in asks again at each look.
    """
    if room is None:
        return None
    if is_waiting():
        return int(time())
    is_old = False
    if student and (drawn := st.session_state.get(DRAWN)):
        number, vote, given = drawn
        is_old = rooms().answer_of(room.code, number, vote, student) != given
    is_here = bool(student) and rooms().is_here(room.code, student)
    return is_here, room.seen_by_students, is_old


def _room_of_link() -> Room | None:
    """The room that the link names; None, and a message, where there is none."""
    if not st.query_params.get(ROOM):
        return None
    try:
        return room_of_link()
    except InputError as error:
        state, code = st.session_state, st.query_params[ROOM]
        if was_here():
            if code_typed(state.get("class_code", "")) == code_typed(code):
                state.class_code = ""  # it is of no use any more
            st.info(TEXTS("gone", code=code))
        else:
            state[FAULT] = PLAIN("fault", error=str(error))
        return None


def _ask_for_code() -> None:
    """A field for the code of a room, and what the page is for."""
    st.title(TEXTS("title"), anchor=False)
    say(TEXTS("how_to_join"))
    with st.form("code_form", border=False):
        st.text_input(TEXTS("code"), key="class_code", **PERSIST)
        st.form_submit_button(TEXTS("join"), type="primary", on_click=_go_to_room)
    say_fault()
    say(TEXTS("steps"))
    with st.container(horizontal=True):
        st.page_link(page_named("room"), label=TEXTS("teach"))
        st.page_link(page_named(HOME), label=TEXTS("product"))


def _go_to_room() -> None:
    state = st.session_state
    state[FAULT] = ""
    st.query_params[ROOM] = code_typed(state.class_code) or state.class_code[:LENGTH]


@fragment
def take_part(code: str, student: str) -> None:
    """What is asked now, and a student's answer."""
    room = rooms().room(code)
    st.session_state.pop(DRAWN, None)
    if room is None:
        st.rerun()
    elif room.is_closed:
        _look_back(room, student)
    elif room.now is None:
        say(TEXTS("nothing_asked"))
    elif room.is_quiz:
        _own_pace(room, student)
    else:
        _ask(room, room.now, student)


def _ask(room: Room, ask: Ask, student: str) -> None:
    """A question that is asked now, or was."""
    heading = "question" if ask.vote == 1 else "again"
    st.header(TEXTS(heading, number=ask.number), anchor=False)
    try:
        question = asked_question(ask)
    except InputError as error:
        st.error(TEXTS("fault", error=str(error)))
        return
    with st.container(key=f"question_class_{ask.number}"):
        show_scene_task(ask.link, question)
        is_told = shown_to_students(room, ask) == ANSWER
        show_asked(question, is_told=is_told)
        if is_told and (answer := scene_answer(ask.link)):
            say(answer)
        if ask.is_open:
            _vote(question, room, ask, student)
        else:
            say(TEXTS("vote_closed"))
            show_results(question, room, ask, student)


def _own_pace(room: Room, student: str) -> None:
    """An exit quiz: how many questions a student has answered, one of them, and the way on."""
    place = f"quiz_at_{room.code}"
    at = min(st.session_state.setdefault(place, 1), len(room.asks))
    answers = (rooms().answer_of(room.code, one.number, one.vote, student) for one in room.asks)
    done = sum(text is not None for text in answers)
    say(TEXTS("quiz_so_far", done=done, count=len(room.asks)))
    _ask(room, room.asks[at - 1], student)

    def go(number: int) -> None:
        st.session_state[place] = number

    with st.container(horizontal=True, key="quiz_pages"):
        for id, number, ends in (
            ("before", at - 1, at == 1),
            ("next", at + 1, at == len(room.asks)),
        ):
            st.button(TEXTS(id), key=f"quiz_{id}", disabled=ends, on_click=go, args=(number,))
    _begin(key="quiz_begin", data=[at])


def _vote(question: Question, room: Room, ask: Ask, student: str) -> None:
    """A student's answer to an open vote, to be sent or changed."""
    given = rooms().answer_of(room.code, ask.number, ask.vote, student)
    st.session_state[DRAWN] = ask.number, ask.vote, given
    vote = f"{room.code}_{ask.number}_{ask.vote}"
    if ask.vote > 1 and (before := rooms().answer_of(room.code, ask.number, 1, student)):
        say(TEXTS("answer_before", answer=answer_markdown(question, before)))
    if given is None or st.session_state.get(CHANGES) == vote:
        _form(question, room.code, ask, student, vote)
        return

    def change() -> None:
        st.session_state[CHANGES] = vote

    st.success(TEXTS("sent", answer=answer_markdown(question, given)))
    st.button(TEXTS("change"), key=f"change_{vote}", on_click=change)
    st.caption(TEXTS("until_closed"))


def _form(question: Question, code: str, ask: Ask, student: str, vote: str) -> None:
    """Where a student answers."""
    field = f"answer_{vote}"
    with st.form(f"form_{vote}", border=False):
        if isinstance(question.kind, Choice):
            st.radio(
                TEXTS("your_answer"), question.kind.options, index=None, key=field,
                format_func=question_markdown, width="stretch", **PERSIST,
            )  # fmt: skip
        else:
            st.text_input(TEXTS("your_answer"), key=field, **PERSIST)
        if isinstance(question.kind, FreeText):
            st.caption(TEXTS("free_text", most=question.kind.longest))
        st.form_submit_button(
            TEXTS("send"), key=f"send_{vote}", type="primary", on_click=_send,
            args=(question, code, ask, student, field),
        )  # fmt: skip
    say_fault()


def _send(question: Question, code: str, ask: Ask, student: str, field: str) -> None:
    """Keep an answer, or say why it is none."""
    state = st.session_state
    given = state[field]
    if given is None:
        state[FAULT] = ASKING("nothing_chosen")
        return
    with refusal_kept(FAULT):
        parse_answer(question, given)
        rooms().answer(code, ask.number, student, given, ask.vote)
        state[CHANGES] = ""


def _look_back(room: Room, student: str) -> None:
    """A room that is closed: what was asked, one question at a time."""
    say(TEXTS("over"))
    if not room.asks:
        return
    marks = {ask.number: _mark_told(room, ask, student) for ask in room.asks}
    told = [mark for mark in marks.values() if mark != UNMARKED]
    if told:
        say(TEXTS("right_in_all", right=told.count(RIGHT), count=len(told)))
    number = st.segmented_control(
        TEXTS("which_question"), list(marks), default=1, required=True, key="class_look_back",
        format_func=lambda number: PLAIN("number_marked", number=number, mark=marks[number]),
    )  # fmt: skip
    _ask(room, room.asks[number - 1], student)


def _mark_told(room: Room, ask: Ask, student: str) -> str:
    """The mark of a student's answer in the last vote, if students see what is right."""
    if shown_to_students(room, ask) != ANSWER:
        return UNMARKED
    return mark_of(ask, rooms().answer_of(room.code, ask.number, ask.vote, student))
