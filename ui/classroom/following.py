"""A page that follows its room: it is drawn anew when the room has changed, and only then."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from ui.classroom.class_session import ROOM
from ui.classroom.news import ADDRESS
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.server.fragments import fragment
from ui.server.watching import heartbeat

EVERY = 1_500
"""Milliseconds between two looks."""
SELDOM = 20_000
"""Milliseconds between two looks of a page that hears what is new."""
NEWS = "room_news"
_news = component(Path(__file__).with_name("room_news.js"), NEWS)
See = Callable[[Room | None], object]
"""What a page shows of a room, to be compared with what it showed before."""


def version_of(room: Room | None) -> object:
    """Return what is another after each change of a room, an answer's too."""
    return room and room.version


def follow_room(code: str, room: Room | None, see: See = version_of, every: int = EVERY) -> None:
    """Have the page drawn anew once it sees the room otherwise than now, while it is in front."""
    _look(code, see(room), see, every)


@fragment
def _look(code: str, seen: object, see: See, every: int) -> None:
    if see(rooms().room(code)) != seen:
        st.rerun()
    heartbeat("room_beat", every, lambda: None)


def hear_of_room(code: str, room: Room | None, see: See, every: int = EVERY) -> None:
    """Have a student's page drawn anew in the same way. It looks once the server says that students
    see the room otherwise, and SELDOM by itself; `every` so many milliseconds if it hears nothing.
    """
    _hear(code, see(room), see, every)


@fragment
def _hear(code: str, seen: object, see: See, every: int) -> None:
    room = rooms().room(code)
    if see(room) != seen:
        st.rerun()
    asked = urlencode({ROOM: code, "seen": room.digest if room else ""})
    heard = (st.session_state.get(NEWS) or {}).get("look")
    data = {"address": f"{ADDRESS}?{asked}", "every": every, "seldom": SELDOM, "heard": heard}
    _news(key=NEWS, data=[data], on_look_change=lambda: None)
