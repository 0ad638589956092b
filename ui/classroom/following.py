"""A page that follows its room: it is drawn anew when the room has changed, and only then.

The projector's window goes from the room's screen to the scene of a question and back by itself:
each of the two looks at the room. Where it goes is made here, of the room's own link. A scene's
page has the numbers that it covers, so only a window with the projector's key is led there.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError
from ui.classroom.class_session import ROOM, SCREEN, find_key, is_projector, room_of_link
from ui.classroom.news import ADDRESS
from ui.classroom.store.room import code_typed
from ui.classroom.store.rooms import ANSWER, Ask, Room, rooms
from ui.components.component import component
from ui.lessons.shelf import LESSON, LinkTarget, lesson_of, place_of
from ui.links.navigation import go_to
from ui.links.path import HOME, page_named
from ui.page.presenting import is_student_view, presenting
from ui.server.fragments import fragment
from ui.server.watching import heartbeat

LOOK_MILLISECONDS = 1_500
"""Milliseconds between two looks."""
SELDOM = 20_000
"""Milliseconds between two looks of a page that hears what is new."""
NEWS = "room_news"
_news = component(Path(__file__).with_name("room_news.js"), NEWS)
See = Callable[[Room | None], object]
"""What a page shows of a room, to be compared with what it showed before."""
PROJECTOR_LOOKS = 700
"""Milliseconds between two looks of a projector at its room."""
LED = "led"
"""The key of a link that says to which scene a projector was led, in short."""
SENTENCE = "text"
"""The key of a link to the walkthrough for its sentence."""
Place = tuple[str, dict[str, str]]
"""A page, and the keys of a link to it."""


def version_of(room: Room | None) -> object:
    """Return what is another after each change of a room, an answer's too."""
    return room and room.version


def follow_room(
    code: str, room: Room | None, see: See = version_of, every: int = LOOK_MILLISECONDS
) -> None:
    """Have the page drawn anew once it sees the room otherwise than now, while it is in front."""
    _look(code, see(room), see, every)


@fragment
def _look(code: str, seen: object, see: See, every: int) -> None:
    if see(rooms().room(code)) != seen:
        st.rerun()
    heartbeat("room_beat", every, lambda: None)


def hear_of_room(code: str, room: Room | None, see: See, every: int = LOOK_MILLISECONDS) -> None:
    """Have a student's page drawn anew in the same way. It looks once the server says that students
    see the room otherwise, and SELDOM by itself; `every` so many milliseconds if it hears nothing.
    """
    _hear(code, see(room), see, every)


@fragment
def _hear(code: str, seen: object, see: See, every: int) -> None:
    room = rooms().room(code)
    if see(room) != seen:
        st.rerun()
    asked = urlencode({ROOM: code, "seen": room.digest if room else ""})
    heard = (st.session_state.get(NEWS) or {}).get("look")
    data = {"address": f"{ADDRESS}?{asked}", "every": every, "seldom": SELDOM, "heard": heard}
    _news(key=NEWS, data=[data], on_look_change=lambda: None)


def has_scene(ask: Ask) -> bool:
    """Whether a question has something to show in its place: a stage, or a scene of a lesson."""
    return _scene(ask) is not None


def covers_something(ask: Ask) -> bool:
    """Whether the scene of a question has a cover, which the shown answer lifts."""
    target = _scene(ask)
    return target is not None and bool(_covers(target))


def scene_on_show(room: Room | None) -> Place | None:
    """Return where the projector of a room is to be; None if that is the room's own screen.

    A text that the teacher puts there is the walkthrough's sentence. Once
    the answer is shown, nothing of the scene is covered.
    """
    if room is None or room.is_closed or not room.shows_scene or room.now is None:
        return None
    ask, target = room.now, _scene(room.now)
    if target is None:
        return None
    keys = dict(target.params)
    if ask.shown == ANSWER and not ask.is_open:
        keys |= dict.fromkeys(_covers(target), "none")
    if lesson := lesson_of(ask.link):
        keys[LESSON] = lesson
    if room.scene_text and takes_sentence(ask):
        keys[SENTENCE] = room.scene_text
    return target.page, keys | {"present": "1", ROOM: room.code}


def takes_sentence(ask: Ask) -> bool:
    """Whether a question's scene is on the walkthrough, which shows any sentence."""
    target = _scene(ask)
    return target is not None and target.page == HOME


def lead_to_scene(room: Room) -> None:
    """Lead the projector's window to the scene that the room has on show, if it has one."""
    if is_projector(room) and (place := scene_on_show(room)) is not None:
        _go(place)


def is_led_by_room() -> bool:
    """Whether the page is a room's scene on the projector: the room says what is on it."""
    query = st.query_params
    return ROOM in query and (presenting() or SCREEN in query) and not is_student_view()


def follow_room_of_scene(page: str) -> None:
    """On a page that is a room's scene on the projector: follow the room."""
    if not is_led_by_room():
        return
    code = code_typed(st.query_params[ROOM])
    if find_key(code, SCREEN, rooms().is_projector) is not None:
        _follow(page)


@fragment
def _follow(page: str) -> None:
    try:
        room = room_of_link()
    except InputError:
        room = None
    place = scene_on_show(room) if room is not None and is_projector(room) else None
    if place is None:
        own = {key: text for key, text in st.query_params.items() if key in (ROOM, SCREEN)}
        go_to(page_named("room"), own)
    elif place[0] != page or st.query_params.get(LED) != _in_short(place):
        _go(place)
    heartbeat("room_beat", PROJECTOR_LOOKS, lambda: None)


def _go(place: Place) -> None:
    """Go to a page as if this session had not been there: all is as the link has it.

    The link itself says where it leads. What a session remembers would be wrong where something
    comes in between.
    """
    (page, keys), state = place, st.session_state
    for opened in (f"opened_{page}", f"{page}_question_opened"):
        state.pop(opened, None)
    state.scene_arrives = True
    led = {LED: _in_short(place), SCREEN: st.query_params[SCREEN]}
    go_to(page_named(page), keys | led)


def _in_short(place: Place) -> str:
    page, keys = place
    return sha256(f"{page}?{urlencode(keys)}".encode()).hexdigest()[:8]


def _covers(target: LinkTarget) -> list[str]:
    """The keys of a link that cover something."""
    return [n for n, value in target.params.items() if n.endswith("cover") and value != "none"]


def _scene(ask: Ask) -> LinkTarget | None:
    """Where the link of a question leads, if that is more than a page or the question itself."""
    try:
        target = place_of(ask.link)
    except InputError:  # what it led to is no longer there
        return None
    return target if target.params and not target.asks else None
