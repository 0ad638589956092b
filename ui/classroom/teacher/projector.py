"""The projector's screen: how to join, the question, how many answered, and what is shown of it.

It knows no key, and until the answer is shown it is sent nothing that gives it away.
"""

from base64 import b64encode
from contextlib import AbstractContextManager
from itertools import accumulate
from pathlib import Path
from unicodedata import east_asian_width
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError
from core.questions.answers import Choice
from core.questions.engine import Question
from core.questions.tries import answer_said
from core.texts import core_texts
from ui.classroom.class_session import ROOM, is_projector
from ui.classroom.questions import shown_question
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.results import show_bars, show_mistakes, vote_rows, vote_tallies
from ui.classroom.store.rooms import ANSWER, NOTHING, Ask, Room, rooms
from ui.classroom.teacher.free_texts import show_texts_let_through
from ui.components.component import component
from ui.directions import isolated
from ui.links.path import address_of
from ui.page.asking import worked_markdown
from ui.page.presenting import blank_on_demand
from ui.page.sharing import is_this_machines_own, link_code
from ui.page_texts import chart_texts, page_texts
from ui.text import question_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
_fit = component(Path(__file__).with_name("fit.js"), "room_fit")
"""In the browser: matrices, bars and workings are as large as the window has room for."""
ROOM_FOR_NAMES = 400
"""Characters of names that a projector of 1280 × 720 has room for; wide ones count twice."""
Place = AbstractContextManager[object]
_code = component(Path(__file__).with_name("join_code.js"), texts=core_texts("stage"))
"""In the browser: the QR code over the whole window."""


def projector(room: Room) -> None:
    """Draw the screen of a room."""
    _fit(key="room_fit", data=[{}])
    blank_on_demand()
    with st.container(key="room_screen"):
        if room.is_closed and room.now is None:
            st.title(TEXTS("closed"), anchor=False)
        elif room.now is None or room.is_quiz:
            with st.container(key="room_waiting"):
                _waiting(room)
        else:
            said, side = st.columns([5, 2], gap="medium")
            _asked(room, room.now, said, side, st.container(key="room_below"))


def _waiting(room: Room) -> None:
    """Nothing is asked yet, or each student goes on alone: how to join, and how many have."""
    said, side = st.columns(2, vertical_alignment="center", gap="large")
    with said:
        st.title(TEXTS("join_title"), anchor=False)
        st.markdown(TEXTS("joined", count=room.joined))
        if room.asks:
            st.markdown(finished_of(room))
        _names(room)
    with side:
        invite(room.code)


def _names(room: Room) -> None:
    """The names that the teacher has let through, as many as there is room for next to the code."""
    if names := rooms().names_let_through(room.code):
        # a Chinese character is as wide as two
        widths = (sum(1 + (east_asian_width(c) in "WF") for c in f", {name}") for name in names)
        ends = accumulate(widths)
        shown = names[: max(1, sum(end <= ROOM_FOR_NAMES for end in ends))]
        more = len(names) - len(shown)
        st.markdown(TEXTS("names_here", names=", ".join(map(isolated, shown)), more=more))


def _asked(room: Room, ask: Ask, said: Place, side: Place, below: Place) -> None:
    """The question and how many answered; then the results as far as they are shown. Bars are
    `below` both, as wide as the screen.
    """
    try:
        question = asked_question(ask)
    except InputError as error:
        st.error(TEXTS("refused", error=str(error)))
        return
    is_shown = ask.shown != NOTHING and not ask.is_open
    is_told = is_shown and ask.shown == ANSWER
    is_counted = is_shown and not question.is_free
    tallies = vote_tallies(room.code, ask, question) if is_counted else []
    with said:
        heading = "question" if ask.vote == 1 else "question_again"
        st.title(TEXTS(heading, number=ask.number), anchor=False)
        shown_question.show_scene_task(ask.link, question)
        with st.container(key="room_free" if question.is_free else "room_words"):
            shown_question.show_words(question)
            answer = shown_question.scene_answer(ask.link) if is_told else ""
            if answer:
                st.markdown(answer)
        if question.is_free:
            show_texts_let_through(room, ask)
        else:
            _step(question, has_options=not tallies, is_told=is_told)
    if tallies:
        with below:
            show_bars(question, tallies, marks_right=is_told)
    with side, st.container(key="room_side"):
        with st.container(key="room_count"):
            st.markdown(count_of(room, ask))
        if is_told and tallies and not answer:
            st.markdown(TEXTS("answer", answer=question_markdown(answer_said(question))))
        if is_told and tallies:
            have_bars = [row.mistake for row in vote_rows(question, tallies, True)]
            show_mistakes(question, tallies, have_bars)
        if room.is_closed:
            st.markdown(TEXTS("closed"))
        else:
            answered = rooms().answered(room.code, ask.number, ask.vote)
            join_line(room.code, with_picture=ask.is_open and not answered)
            if room.shows_scene and not is_projector(room):
                st.caption(TEXTS("scene_elsewhere"))
        _names(room)


def _step(question: Question, *, has_options: bool, is_told: bool) -> None:
    """The step that is asked for, the options of a choice, and the working once it `is_told`.

    Bars have the options too, so these are left out then.
    """
    with st.container(key="room_step"):
        shown_question.show_matrices(question, is_told=is_told)
        if has_options and isinstance(question.kind, Choice):
            options = map(question_markdown, question.kind.options)
            with st.container(key="room_options"):
                st.markdown("\n".join(TEXTS("option", option=option) for option in options))
        if is_told and question.working:
            with st.container(key="room_working"):
                st.markdown(worked_markdown(question.working))


def count_of(room: Room, ask: Ask) -> str:
    """Return how many of those who joined have answered, and whether they still can."""
    count = rooms().answered(room.code, ask.number, ask.vote)
    return TEXTS("answered", count=count, joined=room.joined, second=ask.vote > 1, open=ask.is_open)


def finished_of(room: Room) -> str:
    """Return how many of those who joined have answered all questions of an exit quiz."""
    finished = rooms().finished(room.code)
    return TEXTS("quiz_count", finished=finished, joined=room.joined, questions=len(room.asks))


def root_address() -> str:
    """Return the address of the product as this browser, on the page of a room, has it."""
    return (st.context.url or "").partition("?")[0].removesuffix(address_of("room"))


def join_address() -> str:
    """Return where students join."""
    return root_address() + address_of("join")


def invite(code: str) -> None:
    """Draw the address, the code and the QR code; if others cannot open the address, what to do."""
    address = join_address()
    st.markdown(TEXTS("join_at", address=address.partition("://")[2]))
    with st.container(key="room_code"):
        st.markdown(TEXTS("code", code=code))
    if is_this_machines_own(address):
        st.warning(TEXTS("this_computer"))
    elif picture := _picture(code):
        st.image(picture, alt=PLAIN("qr_alt"), width="stretch")


def join_line(code: str, *, with_picture: bool) -> None:
    """Draw the address and the code in little room, and the way to the QR code in the full window.

    `with_picture` draws the QR code below them too.
    """
    address = join_address()
    short = address.partition("://")[2]
    with st.container(key="room_code"):
        st.markdown(TEXTS("join_line", address=short, code=code))
    if is_this_machines_own(address):
        if with_picture:
            st.caption(TEXTS("this_computer"))
        return
    if not (picture := _picture(code)):
        return
    if with_picture:
        st.image(picture, alt=PLAIN("qr_alt"), width="stretch")
    data = {
        "label": PLAIN("show_code"),
        "how": PLAIN("join_how"),
        "address": short,
        "code": code,
        "picture": f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}",
        "alt": PLAIN("qr_alt"),
    }
    _code(key="join_code", data=[data])


def _picture(code: str) -> str | None:
    """The QR code, which has the address with the room's code."""
    return link_code(f"{join_address()}?{urlencode({ROOM: code})}")
