"""Free texts on a class's screens: all of them in the teacher's window, to be let through one by
one; on the projector only those.
"""

from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from core.attention.tokens import tokenise
from core.errors import InputError
from ui.classroom.given_free_texts import GivenText
from ui.classroom.rooms import Ask, Room, rooms
from ui.classroom.scene_asked import scene_of
from ui.classroom.showing import takes_sentence
from ui.lessons.shelf import LESSON, lesson_of
from ui.page_texts import page_texts
from ui.path import HOME, address_of
from ui.session import controlled_widget
from ui.text import escape_beside

TEXTS = page_texts("room")
MOST = 100
"""So many texts are listed."""
LOW, HIGH = 110, 600
"""Pixels of a text in the list, at least, and of the list, which then scrolls."""
Act = Callable[[Callable[[str, str], object]], None]
"""Does what a teacher pressed: a function of the room's code and key."""


def list_texts(room: Room, key: str, ask: Ask, act: Act) -> None:
    """Draw the texts of a vote as they come, each with a tick that shows it to the class, and how
    many came since the last tick.
    """
    texts = rooms().texts(room.code, key, ask.number, ask.vote)
    if not texts:
        return
    st.markdown(TEXTS("texts_count", texts=len(texts), new=sum(one.is_new for one in texts)))
    st.caption(TEXTS("texts_how"))
    read = max(one.time for one in texts)
    is_long = len(texts) * LOW > HIGH
    with st.container(key="room_texts_given", height=HIGH if is_long else "content", border=False):
        for given in texts[:MOST]:
            _list_text(room, ask, given, read, act)
    if len(texts) > MOST:
        st.caption(TEXTS("texts_more", more=len(texts) - MOST))


def _list_text(room: Room, ask: Ask, given: GivenText, read: int, act: Act) -> None:
    """One text. Who ticks it has read all texts up to the time `read`."""

    def reading(done: Callable[[str, str], None]) -> None:
        def both(code: str, key: str) -> None:
            rooms().read_texts(code, key, ask.number, ask.vote, read)
            done(code, key)

        act(both)

    def let(is_shown: bool) -> None:
        reading(
            lambda code, key: rooms().let_text_through(
                code, key, ask.number, ask.vote, given, is_shown
            )
        )

    def show() -> None:
        reading(lambda code, key: rooms().show_sentence(code, key, ask.number, ask.vote, given))

    name = f"let_text_{ask.number}_{ask.vote}_{given.student}"
    with st.container(border=True, gap="small"):
        st.markdown(escape_beside(given.text))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.checkbox(
                TEXTS("show_text"), disabled=not may_be_shown(room),
                **controlled_widget(name, given.is_let_through, let),
            )  # fmt: skip
            if given.is_new:
                st.caption(TEXTS("text_new"), width="content")
            if address := sentence_address(ask.link, given.text):
                st.link_button(TEXTS("as_sentence"), address, type="tertiary")
                if takes_sentence(ask) and not room.is_closed:
                    st.button(
                        TEXTS("on_projector"), key=f"on_projector_{name}", on_click=show,
                        disabled=not may_be_shown(room),
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
    """Draw the texts that the teacher lets through, as they were typed."""
    texts = rooms().texts_let_through(room.code, ask.number, ask.vote) if may_be_shown(room) else []
    if texts:
        with st.container(key="room_texts"):
            st.markdown("\n".join(TEXTS("option", option=escape_beside(text)) for text in texts))
