"""The teacher's window: what comes in, what the class sees next, the question and its answer, and
how long the class has lasted.
"""

from collections.abc import Callable
from functools import partial
from math import ceil
from time import time

import streamlit as st

from core.program.labels import as_prose
from core.questions.answers import Choice
from core.questions.engine import Question, free_question
from core.questions.saved import question_to_json
from core.questions.tries import answer_said
from ui.classroom.class_session import (
    OWN_ROOM,
    Act,
    act_button,
    projector_address,
    refusal_kept,
    say_refusal,
)
from ui.classroom.following import covers_something, has_scene
from ui.classroom.questions import shown_question
from ui.classroom.questions.asked import asked_question, asked_title, scene_of
from ui.classroom.questions.results import show_bars, show_mistakes, vote_tallies
from ui.classroom.questions.sheet import show_quiz, show_sheet
from ui.classroom.store.given_texts import line_given
from ui.classroom.store.rooms import ANSWER, BARS, NOTHING, Ask, Room, rooms
from ui.classroom.teacher.free_texts import list_texts
from ui.classroom.teacher.housekeeping import closing, students
from ui.classroom.teacher.projector import count_of, finished_of, invite
from ui.links.path import HOME, address_of
from ui.links.session import controlled_widget
from ui.page.asking import show_answer
from ui.page_texts import page_texts
from ui.text import Markdown, escape_markdown, question_markdown

TEXTS = page_texts("room")
FAULT, OWN_QUESTION = "room_fault", "room_own_question"


def teachers_window(room: Room, key: str) -> None:
    """Draw the window of a room for who has its key. From now on the room is this session's."""
    st.session_state[OWN_ROOM] = room.code, key
    act = partial(_act, room, key)
    with st.container(horizontal=True, vertical_alignment="center", key="window_head"):
        st.title(TEXTS("window_title", code=room.code), anchor=False, width="content")
        st.markdown(so_far(room), width="content")
        st.link_button(TEXTS("open_projector"), projector_address((room.code, key)))
    if room.asks and not room.shows_results:
        st.markdown(finished_of(room))
    say_refusal(FAULT)
    if room.is_closed:
        _end(room, key, act)
    if room.now is not None:
        _asked(room, key, room.now, act)
    elif not room.is_closed:
        st.markdown(TEXTS("nothing_asked"))
        with st.container(width=360):
            invite(room.code)
    _names(room, key, act)
    students(room, key, act)
    if not room.is_closed:
        _ask_own(act)
        _end(room, key, act)


def _act(room: Room, key: str, done: Callable[..., object], *given: object) -> None:
    """Do what a teacher pressed, with what is given for it; what cannot be done is said."""
    with refusal_kept(FAULT):
        done(room.code, key, *given)


def _end(room: Room, key: str, act: Act) -> None:
    """The sheet, its files, and the end of a room; of a closed one they are what is left to do."""
    if room.is_closed:
        st.header(TEXTS("closed_title"), anchor=False)
        closing(room, key, act)
        show_sheet(room)
        return
    if room.asks:
        with st.expander(TEXTS("sheet"), key="room_sheet"):
            show_sheet(room)
    closing(room, key, act)


def _asked(room: Room, key: str, ask: Ask, act: Act) -> None:
    """The question that the class sees: what a teacher does and what comes in, and what to read."""
    question = asked_question(ask)
    with st.container(key="window_columns"):
        doing, reading = st.columns([1, 1], gap="medium")
        with doing:
            _choose(room, ask, act)
            with st.container(key="window_count"):
                st.markdown(count_of(room, ask))
            _buttons(room, ask, question, act)
            _scene_switch(room, ask, act)
            if not room.is_closed:
                shown_question.next_scene(ask.link, partial(act, rooms().ask))
            if question.is_free:
                list_texts(room, key, ask, act)
            else:
                tallies = vote_tallies(room.code, ask, question)
                show_bars(question, tallies, marks_right=True)
                show_mistakes(question, tallies)
            if not room.shows_results:
                show_quiz(room)
        with reading, st.container(key="window_reading"):
            _question(question, ask)


def _question(question: Question, ask: Ask) -> None:
    """What only a teacher reads of a question, then the question, which the class sees too."""
    title = asked_title(ask)
    named = TEXTS("question_title", number=ask.number, title=question_markdown(title))
    st.header(named, anchor=False)
    if not question.is_free:
        st.markdown(TEXTS("answer", answer=question_markdown(answer_said(question))))
        with st.expander(TEXTS("working"), key="room_answer"):
            show_answer(question, found=True)
    shown_question.scene_notes(ask.link)
    with st.container(key="question_room"):
        if title != question.prompt and not shown_question.asks_task(ask.link, question):
            shown_question.show_words(question)
        shown_question.show_matrices(question, is_told=ask.shown == ANSWER)
        if isinstance(question.kind, Choice):
            options = (question_markdown(one) for one in question.kind.options)
            st.markdown("\n".join(TEXTS("option", option=one) for one in options))


def _choose(room: Room, ask: Ask, act: Act) -> None:
    """The questions so far, to go back to."""

    def go(number: int | None) -> None:
        if number is not None:
            act(rooms().go_to, number)

    st.segmented_control(
        TEXTS("questions"), [one.number for one in room.asks], required=True,
        **controlled_widget("room_question", ask.number, go),
    )  # fmt: skip


def _buttons(room: Room, ask: Ask, question: Question, act: Act) -> None:
    """What a teacher does with a question; each button keeps its place and its key.

    A free text has no results but those that are let through. Its answer is the scene's, and lifts
    what the scene covers. Results are not on show while the scene is: those that were shown come
    back with the question. While an exit quiz is open there is nothing to press: students go on
    alone.
    """
    if room.is_quiz:
        st.caption(TEXTS("kept_back"))
        return
    store = rooms()

    def show_bars(code: str, key: str) -> None:
        store.close_vote(code, key)
        store.show(code, key, BARS)

    has_results = ask.shown != NOTHING
    has_bars = has_results and not room.shows_scene
    can_reopen = not (ask.is_open or room.is_closed or ask.answer_was_shown)
    can_vote_again = not (ask.is_open or ask.vote > 1 or room.is_closed)
    bars: tuple[object, ...] = (show_bars,)
    if has_results:  # they are hidden, or come back in place of the scene
        bars = (store.show_scene, False) if room.shows_scene else (store.show, NOTHING)
    offered: list[tuple[str, str, tuple[object, ...], bool]] = [
        ("close_vote", "open_vote", (store.reopen_vote,), True)
        if can_reopen
        else ("close_vote", "close_vote", (store.close_vote,), ask.is_open),
        ("vote_again", "vote_again", (store.open_second_vote,), can_vote_again),
    ]
    if not question.is_free:
        offered.append(("show_bars", "hide_bars" if has_bars else "show_bars", bars, True))
    if not question.is_free or covers_something(ask) or shown_question.scene_answer(ask.link):
        is_shown = ask.shown == ANSWER
        offered.append(("show_answer", "show_answer", (store.show, ANSWER), not is_shown))
    with st.container(horizontal=True, key="room_buttons"):
        for name, id, done, enabled in offered:
            look = "primary" if id == "close_vote" else "secondary"
            act_button(TEXTS(id), name, act, *done, disabled=not enabled, type=look)


def _scene_switch(room: Room, ask: Ask, act: Act) -> None:
    """What the projector has: the question, or the scene that it is about."""
    if room.is_closed or not has_scene(ask):
        return
    shows = room.shows_scene
    label = TEXTS("show_question" if shows else "show_scene")
    act_button(label, "show_scene", act, rooms().show_scene, not shows)


def _names(room: Room, key: str, act: Act) -> None:
    """The names that students gave, each to be let through to the class."""
    if not room.wants_names:
        return
    shown = set(rooms().names_let_through(room.code))
    with st.expander(TEXTS("names"), key="room_names"):
        st.caption(TEXTS("names_how"))
        for student, name in rooms().names(room.code, key).items():

            def let(is_shown: bool, student: str = student) -> None:
                act(rooms().let_through, student, is_shown)

            st.checkbox(
                escape_markdown(name), **controlled_widget(f"let_{student}", name in shown, let)
            )


def _ask_own(act: Act) -> None:
    """A field for a question of the teacher's own, which students answer with a free text."""
    with (
        st.expander(TEXTS("own_question"), key="room_own"),
        st.form("room_own_form", border=False, clear_on_submit=False),
    ):
        st.text_input(TEXTS("own_label"), key=OWN_QUESTION)
        st.caption(TEXTS("own_how"))
        st.form_submit_button(TEXTS("own_ask"), on_click=act, args=(_ask,))


def _ask(code: str, key: str) -> None:
    """Ask what is in the field, and empty it. Its link leads to nothing in particular."""
    text = as_prose(line_given("question", st.session_state[OWN_QUESTION]))
    rooms().ask(code, key, address_of(HOME), question_to_json(free_question(text, text)))
    st.session_state[OWN_QUESTION] = ""


def minute_of(room: Room) -> int:
    """Return the minute that a class is in, from 1; 0 before its first question and after its end.

    Minutes count from the moment in which the first question was asked.
    """
    if room.is_closed or not room.asks:
        return 0
    return max(0, int((time() - room.asks[0].asked) // 60)) + 1


def minutes_seen(room: Room | None) -> object:
    """What the teacher's window shows of a room that changes: its state, and its minute."""
    return room and (room.version, minute_of(room))


def so_far(room: Room) -> Markdown:
    """Return how many students there are and which minute it is, of how many that are planned, and
    how late it is by the plan.
    """
    scene, minute = scene_of(room.now.link) if room.now else None, minute_of(room)
    planned, until, late = "", "", 0
    if scene is not None:  # the minute in which it is planned to end is not late
        end = shown_question.planned_until(scene)
        planned, until, late = f"{scene.lesson.minutes:g}", f"{end:g}", max(0, minute - ceil(end))
    return TEXTS(
        "so_far", joined=room.joined, closed=room.is_closed, shut=not room.lets_in,
        minute=minute, planned=planned, until=until, late=late,
    )  # fmt: skip
