"""The end of a room: its sheet as a file, closing it, and deleting what is kept."""

from collections.abc import Callable

import streamlit as st

from ui.classroom.class_session import room_address
from ui.classroom.questions.sheet import sheet_file, zone_of_browser
from ui.classroom.store.room import HOURS_KEPT
from ui.classroom.store.rooms import Room, rooms
from ui.classroom.teacher.answers_file import answers_file
from ui.classroom.teacher.invitation import root_address
from ui.page_texts import page_texts

TEXTS = page_texts("room")
Act = Callable[..., None]
"""Does what a teacher pressed: functions of the room's code and key, in order."""


def closing(room: Room, key: str, act: Act) -> None:
    """Draw the end of a room. The file is offered first, and always before anything is deleted."""
    with st.container(horizontal=True, vertical_alignment="center", key="room_end"):
        if room.asks:
            _download(room)
            st.download_button(
                TEXTS("download_answers"), lambda: answers_file(room, key),
                f"answers-{room.code}.csv", "text/csv", key="room_answers_csv",
                on_click="ignore",
            )  # fmt: skip
        if not room.is_closed:
            with st.popover(TEXTS("close_room"), key="close_room"):
                st.markdown(TEXTS("closing"))
                st.button(
                    TEXTS("close_now"), key="room_close", type="primary", on_click=act,
                    args=(rooms().close_room,),
                )  # fmt: skip
        with st.popover(TEXTS("delete_room"), key="delete_room"):
            st.markdown(TEXTS("deleting"))
            st.button(
                TEXTS("delete_now"), key="room_delete", on_click=act, args=(rooms().delete_room,)
            )
        with st.popover(TEXTS("own_link"), key="own_link"):
            st.markdown(TEXTS("own_link_said"))
            st.code(root_address() + room_address(room.code, key=key), language=None)
    st.caption(TEXTS("kept", hours=HOURS_KEPT))


def say_deleted(code: str, *, is_teacher: bool) -> None:
    """Draw what is left of a room that was deleted while it was open here."""
    st.title(TEXTS("gone", code=code), anchor=False)
    if is_teacher:
        st.success(TEXTS("deleted", code=code))
        st.button(TEXTS("to_opening"), key="to_opening", on_click=st.query_params.clear)


def _download(room: Room) -> None:
    root, zone = root_address(), zone_of_browser()
    st.download_button(
        TEXTS("download"),
        lambda: sheet_file(room, root, zone),
        f"class-{room.code}.csv",
        "text/csv",
        key="room_csv",
        on_click="ignore",
    )
