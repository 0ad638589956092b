"""A page that follows its room: it is drawn anew when the room has changed, and only then."""

from collections.abc import Callable

import streamlit as st

from ui.classroom.rooms import Room, rooms
from ui.fragments import fragment
from ui.watching import heartbeat

EVERY = 1_500
"""Milliseconds between two looks."""
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
