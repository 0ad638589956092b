"""The button of a class, and the way to the screens of the room that it opened.

The room's key stays in the teacher's browser and session, and in the link of the teacher's window.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from ui.classroom.class_session import (
    FAULT,
    OWN_ROOM,
    TeacherRoom,
    projector_address,
    refusal_kept,
    room_address,
)
from ui.classroom.following import follow_room
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.page_texts import ui_texts
from ui.server.unavailable import UnavailableError

TEXTS = ui_texts("ask_class")
EVERY = 5_000
"""Milliseconds between two looks whether the room is over."""
_button = component(Path(__file__).with_name("class_button.js"))


def class_button(
    place: str,
    label: str,
    on_press: Callable[[Any], None],
    *,
    is_primary: bool = False,
    for_teachers: bool = False,
) -> None:
    """Draw a button of a class; `on_press` is told the room that the browser has.

    What it refuses is kept as the session's FAULT. One `for_teachers` is seen only in a browser
    that has opened a class.
    """
    key = f"class_button_{place}"

    def pressed() -> None:
        if told := read_event(key, "press"):
            with refusal_kept(FAULT):
                on_press(told.get("room"))

    looks = {"label": label, "primary": is_primary, "teachers": for_teachers}
    data = looks | {"room": _to_keep(), **answer(key)}
    _button(key=key, data=[data], width="content", on_press_change=pressed)


def browser_room(code: str) -> None:
    """Keep the session's room in the browser; a session without one takes that of the code.

    Nothing is drawn.
    """
    key, state = f"class_button_{code}", st.session_state

    def found() -> None:
        room = read_event(key, "press").get("room")
        told = room.get("key") if isinstance(room, Mapping) else None
        with suppress(UnavailableError):  # which the page says that is drawn next
            if isinstance(told, str) and rooms().is_teacher(code, told):
                state[OWN_ROOM] = code, told

    room = _to_keep()
    data = {"label": "", "room": room, "wants": "" if room else code, **answer(key)}
    _button(key=key, data=[data], width="content", on_press_change=found)


def _to_keep() -> dict[str, str] | None:
    """The session's room, as the browser keeps it."""
    room: TeacherRoom | None = st.session_state.get(OWN_ROOM)
    return {"code": room[0], "key": room[1]} if room else None


def way_to_screens(room: TeacherRoom) -> None:
    """Draw the room's code, and the links of the projector's screen and the teacher's window.

    They go when the room is closed or deleted.
    """
    code, key = room
    st.markdown(TEXTS("room", code=code))
    st.link_button(TEXTS("open_projector"), projector_address(room))
    st.link_button(TEXTS("open_window"), room_address(code, key=key))
    follow_room(code, rooms().room(code), _is_over, EVERY)


def _is_over(room: Room | None) -> bool:
    return room is None or room.is_closed
