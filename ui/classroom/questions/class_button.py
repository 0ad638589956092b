"""*Ask the class*: the button that opens a teacher's room, and asks the next question in it.

The room's key stays in the teacher's browser and session, and in the link of the teacher's window.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError, input_error
from core.questions.engine import Question
from core.questions.saved import question_to_json
from ui.classroom import teachers_room
from ui.classroom.following import follow_room
from ui.classroom.questions.asked import asked_question
from ui.classroom.room_of_link import ROOM as LINK_ROOM
from ui.classroom.room_of_link import SCREEN
from ui.classroom.store.codes import screen_key
from ui.classroom.store.rates import FOUND, NEW_ROOMS
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.links.path import address_of
from ui.page.presenting import is_student_view, presenting
from ui.page_texts import plain_ui_texts, ui_texts
from ui.server.unavailable import UnavailableError
from ui.text import escape_markdown

TEXTS, PLAIN = ui_texts("ask_class"), plain_ui_texts("ask_class")
ROOM, ASKED, FAULT = teachers_room.ROOM, teachers_room.ASKED, teachers_room.FAULT
EVERY = 5_000
"""Milliseconds between two looks whether the room is over."""
ASK_NUMBER, ASK_QUESTION, ASK_SCENE = "ask_number", "ask_question", "ask_scene"
"""What a button asks the class, as its label says."""
TeacherRoom = tuple[str, str]
"""A room's code and the key to it."""
_button = component(Path(__file__).with_name("class_button.js"))


def ask_class(
    link: str,
    place: str,
    label: str,
    question: Callable[[], Question] | None = None,
    *,
    for_teachers: bool = False,
) -> None:
    """Draw the button that asks a class what the link asks, and the way to the class's screens.

    `place` is the button's own among those of the page; `label` says what it asks. `question` makes
    the question where the link alone does not; it is made when the button is pressed.
    `for_teachers` is as in `class_button`. A student's view and a projector's have no button, nor
    has a link that asks nothing.
    """
    if presenting() or is_student_view() or not (question or asks(link)):
        return
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", key=f"ask_class_{place}"):
        class_button(
            place,
            PLAIN(label),
            lambda kept: _ask(kept, link, place, question),
            for_teachers=for_teachers,
        )
        if state.get(ASKED) == place and (room := own_room()):
            way_to_screens(room)
    if fault := state.get(FAULT) if state.get(ASKED) == place else "":
        st.error(escape_markdown(fault))


def class_button(
    place: str,
    label: str,
    on_press: Callable[[Any], None],
    *,
    is_primary: bool = False,
    for_teachers: bool = False,
) -> None:
    """Draw a button of a class; `on_press` is told the room that the browser has.

    One `for_teachers` is seen only in a browser that has opened a class.
    """
    key = f"class_button_{place}"

    def pressed() -> None:
        if told := read_event(key, "press"):
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
                state[ROOM] = code, told

    room = _to_keep()
    data = {"label": "", "room": room, "wants": "" if room else code, **answer(key)}
    _button(key=key, data=[data], width="content", on_press_change=found)


def _to_keep() -> dict[str, str] | None:
    """The session's room, as the browser keeps it."""
    room: TeacherRoom | None = st.session_state.get(ROOM)
    return {"code": room[0], "key": room[1]} if room else None


def own_room(kept: Any = None) -> TeacherRoom | None:
    """Return the teacher's open room: the session's, else what the browser says that it has."""
    mine: TeacherRoom | None = st.session_state.get(ROOM)
    told = (kept.get("code"), kept.get("key")) if isinstance(kept, Mapping) else ()
    for code, key in filter(None, (mine, told)):
        if isinstance(code, str) and isinstance(key, str) and rooms().is_teacher(code, key):
            opened = rooms().room(code)
            if opened and not opened.is_closed:
                return code, key
    return None


def new_room(*, wants_names: bool = False, shows_results: bool = True) -> TeacherRoom:
    """Make a room. Raises `InputError` if there are too many, or too many of one address."""
    if not NEW_ROOMS.allows(st.context.ip_address):
        raise input_error(plain_ui_texts("classroom"), "too_many_rooms")
    code, key = rooms().create(wants_names=wants_names, shows_results=shows_results)
    FOUND.add(st.context.ip_address, code)
    return code, key


def asks(link: str) -> bool:
    """Whether a class can be asked what the link leads to."""
    try:
        asked_question(link)
    except InputError:
        return False
    return True


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


def projector_address(room: TeacherRoom) -> str:
    """Return where the projector's screen of a room is, which goes to scenes too."""
    code, key = room
    return room_address(code, **{SCREEN: screen_key(key)})


def room_address(code: str, **keys: str) -> str:
    """Return where the screen of a room is; with its key, the teacher's window."""
    return f"{address_of('room')}?{urlencode({LINK_ROOM: code, **keys})}"


def _ask(kept: Any, link: str, place: str, question: Callable[[], Question] | None) -> None:
    """Ask it in the teacher's room, or in a new one."""
    state = st.session_state
    state[ASKED], state[FAULT] = place, ""
    try:
        saved = question_to_json(question()) if question else ""
        code, key = state[ROOM] = own_room(kept) or new_room()
        rooms().ask(code, key, link, saved)
    except (InputError, UnavailableError) as error:
        state[FAULT] = PLAIN("refused", error=str(error))
