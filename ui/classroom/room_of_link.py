"""The room that a page's link names; looks at codes are counted, so that guessing is slow."""

import streamlit as st

from core.errors import input_error
from ui.classroom.kept_keys import held_key
from ui.classroom.store.codes import code_typed
from ui.classroom.store.rates import FOUND, LOOKS
from ui.classroom.store.room import no_room
from ui.classroom.store.rooms import Room, rooms
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
ROOM, KEY, SCREEN = "room", "key", "screen"
"""The link's keys for a room's code, for its teacher's key, and for its projector's."""


def room_of_link() -> Room:
    """Return the room of the link. Raises `InputError` if there is none, or for too many tries."""
    code = st.query_params.get(ROOM, "")
    count_look(code)
    room = rooms().room(code)
    if room is None:
        raise no_room(code[:12])
    st.session_state.found_room = code
    FOUND.add(st.context.ip_address, room.code)
    return room


def is_projector(room: Room) -> bool:
    """Whether the link is the one of the room's projector, which gets scenes with their numbers."""
    return rooms().is_projector(room.code, held_key(room.code, SCREEN))


def was_here() -> bool:
    """Whether this visit has seen the room of the link, which is now gone."""
    found: bool = st.session_state.get("found_room") == st.query_params.get(ROOM)
    return found


def count_look(code: str) -> None:
    """Count a look at a code, if this visit has not looked at it just before, and nobody of its
    network has found it yet.

    Raises `InputError` for too many.
    """
    state, address = st.session_state, st.context.ip_address
    if state.get("looked_at_room") != code:
        if not (FOUND.has(address, code_typed(code)) or LOOKS.allows(address)):
            raise input_error(TEXTS, "too_often")
        state.looked_at_room = code
