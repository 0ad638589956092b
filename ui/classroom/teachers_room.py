"""In the teacher's session: the room's code and key, the place that asked last, what was wrong."""

import streamlit as st

ROOM, ASKED, FAULT = "class_room", "class_asked", "class_fault"


def key_of_session(code: str) -> str:
    """Return the key that this session has of a room; "" if it has none."""
    mine: tuple[str, str] | None = st.session_state.get(ROOM)
    return mine[1] if mine and mine[0] == code else ""
