"""A page that follows its room: it is drawn anew when the room has changed, and only then."""

import streamlit as st

from ui.classroom.rooms import Room, rooms
from ui.fragments import fragment
from ui.watching import heartbeat

EVERY = 1_500
"""Milliseconds between two looks."""


def follow_room(code: str, room: Room | None) -> None:
    """Have the page drawn anew once the room is another than this one, while it is in front."""
    _look(code, room and room.version)


@fragment
def _look(code: str, seen: int | None) -> None:
    room = rooms().room(code)
    if (room and room.version) != seen:
        st.rerun()
    heartbeat("room_beat", EVERY, lambda: None)
