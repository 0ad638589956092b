"""What a session has of classes: the room that its link names, with the keys, and a teacher's own.

The browser keeps the keys in links, and then they leave its address: an address is seen by
everybody who sees the window, and stays in the browser's history. What is left in it says that the
browser has the key, so a reload finds it again, and so does a session that begins anew behind an
open page.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError, input_error
from ui.classroom.store.rates import FOUND, LOOKS, NEW_ROOMS
from ui.classroom.store.room import code_typed, no_room, screen_key
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.links.path import address_of
from ui.page_texts import plain_ui_texts
from ui.server.unavailable import UnavailableError
from ui.server.visits import visit
from ui.text import escape_markdown

TEXTS, ASK = plain_ui_texts("classroom"), plain_ui_texts("ask_class")
ROOM, KEY, SCREEN = "room", "key", "screen"
"""The link's keys for a room's code, for its teacher's key, and for its projector's."""
KEPT = "kept"
"""Stands in a link in place of a key that the browser keeps."""
OWN_ROOM, ASKED, FAULT = "class_room", "class_asked", "class_fault"
"""In the teacher's session: the room's code and key, the place that asked last, what was wrong."""
TeacherRoom = tuple[str, str]
"""A room's code and the key to it."""
Act = Callable[..., None]
"""Does what a teacher pressed: a method of the rooms, which gets the code and key, and its values.
"""
_HELD = "keys_of_links"
_COMPONENT = "kept_keys"
_component = component(Path(__file__).with_name("kept_keys.js"))


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
    return st.session_state.get("found_room") == st.query_params.get(ROOM)


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


def held_key(code: str, name: str) -> str:
    """Return the key of that name that the link has, or that the session has for it; "" if none."""
    said: str = st.query_params.get(name, "")
    return said if said != KEPT else _held().get(f"{code}.{name}", "")


def find_key(code: str, name: str, fits: Callable[[str, str], bool]) -> str | None:
    """Return the same, after the browser was asked; None until it has answered.

    A key that `fits` the room of this code leaves the link once the browser keeps it.
    """
    said, place = st.query_params.get(name, ""), f"{code}.{name}"
    if said != KEPT and not fits(code, said):
        return said
    is_known = said != KEPT or place in _held()
    is_at_rest = said == KEPT and is_known
    asked = {"place": "" if is_at_rest else place, "key": "" if said == KEPT else said}
    data = [{**asked, "visit": visit()}]
    told = _component(key=_COMPONENT, data=data, on_told_change=lambda: None).get("told")
    if isinstance(told, Mapping) and told.get("place") == place:
        key = told.get("key")
        if said == KEPT and not is_known:
            _held()[place] = key if isinstance(key, str) else ""
        elif key == said:
            _held()[place] = said
            st.query_params[name] = KEPT
    return held_key(code, name) if is_known or place in _held() else None


def _held() -> dict[str, str]:
    """The keys that the session has in place of the link, by room and name as the browser does."""
    held: dict[str, str] = st.session_state.setdefault(_HELD, {})
    return held


def key_of_session(code: str) -> str:
    """Return the key that this session has of a room; "" if it has none."""
    mine: TeacherRoom | None = st.session_state.get(OWN_ROOM)
    return mine[1] if mine and mine[0] == code else ""


def own_room(kept: Any = None) -> TeacherRoom | None:
    """Return the teacher's open room: the session's, else what the browser says that it has."""
    mine: TeacherRoom | None = st.session_state.get(OWN_ROOM)
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
        raise input_error(TEXTS, "too_many_rooms")
    code, key = rooms().create(wants_names=wants_names, shows_results=shows_results)
    FOUND.add(st.context.ip_address, code)
    return code, key


def projector_address(room: TeacherRoom) -> str:
    """Return where the projector's screen of a room is, which goes to scenes too."""
    code, key = room
    return room_address(code, **{SCREEN: screen_key(key)})


def room_address(code: str, **keys: str) -> str:
    """Return where the screen of a room is; with its key, the teacher's window."""
    return f"{address_of('room')}?{urlencode({ROOM: code, **keys})}"


@contextmanager
def refusal_kept(key: str) -> Iterator[None]:
    """Keep in the session, under a key, why what was pressed cannot be done; "" if it can."""
    st.session_state[key] = ""
    try:
        yield
    except (InputError, UnavailableError) as error:
        st.session_state[key] = ASK("refused", error=str(error))


def say_refusal(key: str) -> None:
    """Say it."""
    if fault := st.session_state.get(key):
        st.error(escape_markdown(fault))


def act_button(label: str, name: str, act: Act, *given: object, **looks: Any) -> None:
    """Draw a button that does what is given: a method of the rooms, with its values."""
    st.button(label, key=f"room_{name}", on_click=act, args=given, **looks)
