"""A room in its teacher's window: its students, what takes them out of the class, and its end."""

from datetime import datetime, tzinfo

import streamlit as st

from ui.classroom.class_session import Act, act_button, room_address
from ui.classroom.questions.sheet import answers_file, sheet_file, zone_of_browser
from ui.classroom.store.room import HOURS_KEPT
from ui.classroom.store.rooms import Room, rooms
from ui.classroom.store.students import StudentPlace
from ui.classroom.teacher.projector import root_address
from ui.directions import isolated
from ui.page_texts import chart_texts, page_texts

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
CHOSEN = "room_chosen"


def students(room: Room, key: str, act: Act) -> None:
    """Draw the students of a room; nothing of them is read before the fold is open."""
    with st.expander(TEXTS("students"), key="room_students", on_change="rerun") as panel:
        if not panel.open:
            return
        store = rooms()
        places, removed = store.places(room.code, key), store.removed(room.code, key)
        empty = sum(place.is_empty for place in places)
        there = sum(place.is_there for place in places)
        st.markdown(TEXTS("students_count", count=len(places), there=there, empty=empty))
        if not room.is_closed:
            label = TEXTS("let_nobody_in" if room.lets_in else "let_in")
            how = PLAIN("let_nobody_in_how")
            act_button(label, "lets_in", act, store.let_in, not room.lets_in, help=how)
        st.caption(TEXTS("students_empty"))
        act_button(TEXTS("clear_empty"), "clear_empty", act, store.clear_empty, disabled=not empty)
        _remove(places, act)
        if removed:
            act_button(TEXTS("let_back", count=removed), "let_back", act, store.let_back)


def closing(room: Room, key: str, act: Act) -> None:
    """Draw the end of a room. The file is offered first, and always before anything is deleted."""
    with st.container(horizontal=True, vertical_alignment="center", key="room_end"):
        if room.asks:
            root, zone = root_address(), zone_of_browser()
            st.download_button(
                TEXTS("download"), lambda: sheet_file(room, root, zone),
                f"class-{room.code}.csv", "text/csv", key="room_csv", on_click="ignore",
            )  # fmt: skip
            st.download_button(
                TEXTS("download_answers"), lambda: answers_file(room, key),
                f"answers-{room.code}.csv", "text/csv", key="room_answers_csv", on_click="ignore",
            )  # fmt: skip
        if not room.is_closed:
            with st.popover(TEXTS("close_room"), key="close_room"):
                st.markdown(TEXTS("closing"))
                act_button(TEXTS("close_now"), "close", act, rooms().close_room, type="primary")
        with st.popover(TEXTS("delete_room"), key="delete_room"):
            st.markdown(TEXTS("deleting"))
            act_button(TEXTS("delete_now"), "delete", act, rooms().delete_room)
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


def _remove(places: list[StudentPlace], act: Act) -> None:
    """Choose students, one by one or all that are found, and remove them."""
    zone, by_id = zone_of_browser(), {place.student: place for place in places}
    chosen = st.multiselect(
        TEXTS("choose_students"), by_id, key=CHOSEN, filter_mode="contains",
        placeholder=PLAIN("choose_students_how"),
        format_func=lambda student: _label(by_id[student], zone),
    )  # fmt: skip

    def remove() -> None:
        act(rooms().remove, chosen)
        st.session_state[CHOSEN] = []

    st.caption(TEXTS("removing"))
    st.button(
        TEXTS("remove_students", count=len(chosen)), key="room_remove", disabled=not chosen,
        on_click=remove,
    )  # fmt: skip


def _label(place: StudentPlace, zone: tzinfo) -> str:
    """A student in the list: the number, the name, and the time of joining, to be found by it."""
    time = f"{datetime.fromtimestamp(place.joined, zone):%H:%M:%S}"
    return PLAIN("student_of_list", number=place.number, name=isolated(place.name), time=time)
