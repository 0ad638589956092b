"""Free texts on a class's screens: all of them in the teacher's window, to be found and shown to
the class; on the projector only those that are.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from urllib.parse import urlencode

import streamlit as st

from core.attention.tokens import tokenise
from core.errors import InputError
from ui.classroom.class_session import Act, act_button
from ui.classroom.following import takes_sentence
from ui.classroom.questions.asked import scene_of
from ui.classroom.store.given_texts import GivenText, same_text
from ui.classroom.store.rooms import Ask, Room, rooms
from ui.lessons.shelf import LESSON, lesson_of
from ui.links.path import HOME, address_of
from ui.links.session import controlled_widget
from ui.page_texts import page_texts
from ui.text import escape_beside

TEXTS = page_texts("room")
MOST_LISTED_TEXTS = 100
"""So many texts are listed."""
FEW = 5
"""Texts that are found without a search."""
LOW, HIGH = 44, 600
"""Pixels of a text in the list, at least, and of the list, which then scrolls."""
FIND = "room_find_text"


def list_texts(room: Room, key: str, ask: Ask, act: Act) -> None:
    """Draw the texts of a vote as they come, each with a tick that shows it to the class, and how
    many came since the last tick. Equal texts are one. Several are let through at once.
    """
    texts = rooms().texts(room.code, key, ask.number, ask.vote)
    if not texts:
        return
    read = max(one.time for one in texts)  # who lets a text through has read all that are drawn

    def let(done: Callable[..., None], *given: object) -> None:
        def after_reading(code: str, key: str) -> None:
            rooms().read_texts(code, key, ask.number, ask.vote, read)
            done(code, key, ask.number, ask.vote, *given)

        act(after_reading)

    count, new = sum(one.times for one in texts), sum(one.is_new for one in texts)
    st.markdown(TEXTS("texts_count", texts=count, different=len(texts), new=new))
    st.caption(TEXTS("texts_how"))
    found = _found(texts) if len(texts) > FEW else texts
    if len(texts) > 1:
        _let_several(room, found, let)
    is_long = len(found) * LOW > HIGH
    with st.container(
        key="room_texts_given", height=HIGH if is_long else "content", border=False, gap="xxsmall"
    ):
        for given in found[:MOST_LISTED_TEXTS]:
            _list_text(room, ask, given, let)
    if len(found) > MOST_LISTED_TEXTS:
        st.caption(TEXTS("texts_more", more=len(found) - MOST_LISTED_TEXTS))


def _found(texts: list[GivenText]) -> list[GivenText]:
    """A field, and the texts that have in them what is in the field."""
    sought = same_text(st.text_input(TEXTS("find_text"), key=FIND))
    found = [one for one in texts if sought in one.means]
    if sought:
        st.markdown(TEXTS("texts_found", found=len(found), different=len(texts)))
    return found


def _let_several(room: Room, found: Sequence[GivenText], let: Act) -> None:
    """Buttons that show the texts of the list to the class, or hide them, at once."""
    listed = found[:MOST_LISTED_TEXTS]  # no other is read
    with st.container(horizontal=True, key="room_let_texts"):
        for id, is_shown in (("show_texts", True), ("hide_texts", False)):
            some = [one for one in listed if one.is_let_through != is_shown]
            label, is_off = TEXTS(id, count=len(some)), not (some and may_be_shown(room))
            act_button(label, id, let, rooms().let_texts_through, some, is_shown, disabled=is_off)


def _list_text(room: Room, ask: Ask, given: GivenText, let: Act) -> None:
    """One text, in a line of its own."""
    name = f"let_text_{ask.number}_{ask.vote}_{sha256(given.means.encode()).hexdigest()[:16]}"
    text = escape_beside(given.text)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.checkbox(
            TEXTS("show_text", text=text, times=given.times, new=given.is_new),
            disabled=not may_be_shown(room),
            width="stretch",
            **controlled_widget(
                name, given.is_let_through, partial(let, rooms().let_texts_through, [given])
            ),
        )
        if address := sentence_address(ask.link, given.text):
            st.link_button(TEXTS("as_sentence"), address, type="tertiary")
            if takes_sentence(ask) and not room.is_closed:
                st.button(
                    TEXTS("on_projector"), key=f"on_projector_{name}", on_click=let,
                    args=(rooms().show_sentence, given), disabled=not may_be_shown(room),
                )  # fmt: skip


def sentence_address(link: str, text: str) -> str:
    """Return where the walkthrough has a text as its sentence, in the scene that asked for it if
    that is one of the walkthrough; "" if the text is no sentence.
    """
    try:
        tokenise(text)
    except InputError:
        return ""
    now = scene_of(link)
    scene = {LESSON: lesson_of(link)} if now and now.place.page == HOME else {}
    return f"{address_of(HOME)}?{urlencode({**scene, 'text': text})}"


def may_be_shown(room: Room) -> bool:
    """Whether a class may see texts: not those of an exit quiz before its room is closed."""
    return room.shows_results or room.is_closed


def show_texts_let_through(room: Room, ask: Ask) -> None:
    """Draw the texts that the teacher lets through, as most wrote each, and how many did."""
    texts = rooms().texts_let_through(room.code, ask.number, ask.vote) if may_be_shown(room) else []
    if texts:
        with st.container(key="room_texts"):
            lines = (
                TEXTS("text_shown", text=escape_beside(text), times=times) for text, times in texts
            )
            st.markdown("\n".join(lines))
