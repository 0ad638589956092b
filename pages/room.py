"""What does the class say?

A room of a class: the projector's screen, or with the room's key the teacher's window.
"""

import streamlit as st

from core.errors import InputError
from ui.classroom.class_session import (
    KEY,
    ROOM,
    SCREEN,
    find_key,
    room_address,
    room_of_link,
    was_here,
)
from ui.classroom.following import PROJECTOR_LOOKS, follow_room, lead_to_scene
from ui.classroom.store.rooms import Room, rooms
from ui.classroom.teacher.housekeeping import say_deleted
from ui.classroom.teacher.opening import open_room
from ui.classroom.teacher.projector import projector
from ui.classroom.teacher.teaching import minutes_seen, teachers_window
from ui.page.frame import act_on_page, say_link_faults
from ui.page_texts import chart_texts, page_texts
from ui.text import escape_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")


def room_on_show() -> Room | None:
    """The room of the link, or in its place what is wrong with the link."""
    try:
        return room_of_link()
    except InputError as error:
        if was_here():
            say_deleted(st.query_params[ROOM], is_teacher=KEY in st.query_params)
        else:
            st.title(TEXTS("title"), anchor=False)
            st.error(escape_markdown(PLAIN("refused", error=str(error))))
            st.button(TEXTS("to_opening"), key="to_opening", on_click=st.query_params.clear)
        return None


def show(room: Room) -> None:
    """The projector's screen, or with the room's key in the link the teacher's window."""
    key = find_key(room.code, KEY, rooms().is_teacher)
    if key is None:
        st.title(TEXTS("title"), anchor=False)
    elif key and rooms().is_teacher(room.code, key):
        teachers_window(room, key)
        follow_room(room.code, room, minutes_seen)
    elif KEY in st.query_params:
        st.title(TEXTS("title"), anchor=False)
        st.warning(TEXTS("wrong_key"))
        st.link_button(TEXTS("open_projector"), room_address(room.code))
    else:
        find_key(room.code, SCREEN, rooms().is_projector)
        lead_to_scene(room)
        projector(room)
        follow_room(room.code, room, every=PROJECTOR_LOOKS)


act_on_page()
say_link_faults()
if ROOM not in st.query_params:
    open_room()
elif room := room_on_show():
    show(room)
