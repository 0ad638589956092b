"""*Ask the class*: the buttons that ask the next question in a teacher's room, or open one.

They ask what a link asks, the covered cell where a person looks, what the scene of a lesson asks,
or a set of questions as an exit quiz. The room's key stays in the teacher's browser and session,
and in the link of the teacher's window.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.questions.engine import Question
from core.questions.saved import question_to_json
from ui.classroom import class_session
from ui.classroom.following import follow_room
from ui.classroom.questions.asked import question_if_any, task_question, title_of_cell
from ui.classroom.questions.covered import cell_question
from ui.classroom.questions.covered_place import CoveredCell, covered_arrays, covered_cell
from ui.classroom.store.rooms import Room, rooms
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.lessons.course import ScenePosition, current_scene
from ui.links.links import Keys, to_query
from ui.links.path import address_of
from ui.links.session import in_view
from ui.links.stage_position import View
from ui.page.presenting import is_student_view, presenting
from ui.page_texts import plain_ui_texts, ui_texts
from ui.server.unavailable import UnavailableError

TEXTS, PLAIN = ui_texts("ask_class"), plain_ui_texts("ask_class")
ASK_NUMBER, ASK_QUESTION, ASK_SCENE = "ask_number", "ask_question", "ask_scene"
"""What a button asks the class, as its label says."""
QUIZ = "quiz"
"""The place of the button that opens an exit quiz."""
LinkOfView = Callable[[View], str]
"""Returns the link that shows a view, its cover too."""
LOOK_MILLISECONDS = 5_000
"""Milliseconds between two looks whether the room is over."""
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
    if presenting() or is_student_view() or not (question or question_if_any(link)):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"ask_class_{place}"):
        class_button(
            place,
            PLAIN(label),
            lambda kept: _ask(kept, link, place, question),
            for_teachers=for_teachers,
        )
        is_asked_here = st.session_state.get(class_session.ASKED) == place
        if is_asked_here and (room := class_session.own_room()):
            way_to_screens(room)
    if is_asked_here:
        class_session.say_refusal(class_session.FAULT)


def ask_scene(now: ScenePosition) -> None:
    """Draw the button that asks the question of the scene's link, or else the scene's task.

    The task goes along: nobody else may have the lesson, or its file may change.
    """
    question = None if question_if_any(now.place.link) else task_question(now.scene)
    ask_class(now.asked, "scene", ASK_SCENE, (lambda: question) if question else None)


def ask_covered(view: View, keys: Keys, prefix: str, link: LinkOfView | None = None) -> None:
    """Draw the button for what is covered on a stage, if it can be asked.

    `keys` are those of the page's link, and the stage's begin with `prefix`. `link` makes the link
    where these do not. What the scene of a lesson asks by itself has its button there.
    """
    cover = st.session_state.get(f"{prefix}cover", "")
    if not cover or _is_asked_by_scene(f"{prefix}cover"):
        return
    trace, page = view.trace, st.session_state.page
    array, cell = covered_cell(trace, cover, view.array, (view.name, view.cell), view.slices)
    covered = CoveredCell(trace, array, cell, covered_arrays(trace, cover, view.array))
    if not covered.can_be_asked:
        return
    title = title_of_cell(page, covered)
    ask_class(
        link(view) if link else _link(page, view, keys, prefix),
        f"{prefix}cover",
        ASK_QUESTION if trace[array].dtype == bool else ASK_NUMBER,
        lambda: replace(cell_question(trace, array, cell, covered.hidden), title=title),
    )


def ask_quiz(links: Sequence[str]) -> None:
    """Draw the button that opens an exit quiz of these links, and the way to its screens.

    It is a room of its own, in which all of them are open at once. The button is for who has opened
    a class.
    """
    if presenting() or is_student_view():
        return
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", key="ask_quiz"):
        label = PLAIN("ask_quiz", count=len(links))
        class_button(QUIZ, label, lambda _: _ask_all(links), for_teachers=True)
        is_asked_here = state.get(class_session.ASKED) == QUIZ
        if is_asked_here and class_session.OWN_ROOM in state:
            way_to_screens(state[class_session.OWN_ROOM])
    if is_asked_here:
        class_session.say_refusal(class_session.FAULT)


def _ask(kept: Any, link: str, place: str, question: Callable[[], Question] | None) -> None:
    """Ask it in the teacher's room, or in a new one."""
    state = st.session_state
    state[class_session.ASKED] = place
    saved = question_to_json(question()) if question else ""
    code, key = state[class_session.OWN_ROOM] = (
        class_session.own_room(kept) or class_session.new_room()
    )
    rooms().ask(code, key, link, saved)


def _ask_all(links: Sequence[str]) -> None:
    """Ask them in a new room, whether there is one or not: an exit quiz has no other questions."""
    state = st.session_state
    state[class_session.ASKED] = QUIZ
    code, key = state[class_session.OWN_ROOM] = class_session.new_room(shows_results=False)
    rooms().ask_all(code, key, [(link, "") for link in links])


def _link(page: str, view: View, keys: Keys, prefix: str) -> str:
    place = {f"{prefix}step": view.array, f"{prefix}cell": view.selected}
    # A link is about the stage of its first key.
    return f"{address_of(page)}?{urlencode(place | to_query(keys, in_view(keys)) | place)}"


def _is_asked_by_scene(cover: str) -> bool:
    """Whether the scene that is on asks this cover itself."""
    now = current_scene()
    if now is None or cover not in st.session_state.get("scene_params", {}):
        return False
    question = question_if_any(now.asked)
    return question is not None and not question.is_free


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
            with class_session.refusal_kept(class_session.FAULT):
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
                state[class_session.OWN_ROOM] = code, told

    room = _to_keep()
    data = {"label": "", "room": room, "wants": "" if room else code, **answer(key)}
    _button(key=key, data=[data], width="content", on_press_change=found)


def _to_keep() -> dict[str, str] | None:
    """The session's room, as the browser keeps it."""
    room: class_session.TeacherRoom | None = st.session_state.get(class_session.OWN_ROOM)
    return {"code": room[0], "key": room[1]} if room else None


def way_to_screens(room: class_session.TeacherRoom) -> None:
    """Draw the room's code, and the links of the projector's screen and the teacher's window.

    They go when the room is closed or deleted.
    """
    code, key = room
    st.markdown(TEXTS("room", code=code))
    st.link_button(TEXTS("open_projector"), class_session.projector_address(room))
    st.link_button(TEXTS("open_window"), class_session.room_address(code, key=key))
    follow_room(code, rooms().room(code), _is_over, LOOK_MILLISECONDS)


def _is_over(room: Room | None) -> bool:
    return room is None or room.is_closed
