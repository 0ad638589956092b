"""Which scene of a lesson is on, in a person's session; each whole run of a page follows its link.

A scene is begun by its link: the page is set as the scene has it, and keys that the link has beside
lie on top. On other pages the lesson waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import InputError
from core.files.lesson import MARKS, Lesson, Scene, without_answers, write_lesson
from ui.classroom.class_session import count_look, key_of_session
from ui.classroom.following import is_led_by_room
from ui.classroom.questions.covered_place import cell_to_show
from ui.classroom.store.room import room_in_name
from ui.classroom.store.rooms import rooms
from ui.directions import isolated
from ui.lessons import shelf
from ui.links.links import STUDENT
from ui.links.navigation import go_to
from ui.links.path import address_of, page_named
from ui.page.presenting import presenting
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("lessons")
AGAIN = "again"
"""A link's key, for once: the scene that is on is begun anew."""


@dataclass(frozen=True)
class ScenePosition:
    """A scene of a lesson, by its place from 0."""

    name: str
    lesson: Lesson
    at: int

    @property
    def scene(self) -> Scene:
        return self.lesson.scenes[self.at]

    @property
    def place(self) -> shelf.LinkTarget:
        return shelf.place_of(self.scene.link)

    def address(self, at: int) -> str:
        """The link of a scene of this lesson, from any page."""
        page = shelf.place_of(self.lesson.scenes[at].link).page
        return f"{address_of(page)}?{shelf.LESSON}={self.name}.{at + 1}"

    def link(self, at: int) -> str:
        """The same as anybody can open it, below the product's own address."""
        place = shelf.place_of(self.lesson.scenes[at].link)
        own = self.name == shelf.OWN_LESSON
        return place.link if own else self.address(at).removeprefix("./")

    @property
    def asked(self) -> str:
        """The link with which a class is asked what the scene asks. It names the scene, except of a
        lesson that others have not: one's own that is in no room. It names the cell too.
        """
        place = self.place
        cell = "".join(f"&{key}={name}" for key, name in cell_to_show(place).items())
        own = self.name == shelf.OWN_LESSON
        return place.link + cell + ("" if own else f"&{shelf.LESSON}={self.name}.{self.at + 1}")


def current_scene() -> ScenePosition | None:
    """The scene that is on, as the run of its page found it."""
    return st.session_state.get("scene_position")


def scene_here() -> bool:
    """Whether the scene that is on is one of this page."""
    return bool(st.session_state.get("scene_here"))


def cells_named(stage: str) -> list[str]:
    """The cells of a stage that the words of the scene on this page name, as far as they say it."""
    now = current_scene()
    if now is None or not scene_here() or now.place.stage not in ("", stage):
        return []
    marks = MARKS.finditer(now.scene.words)
    return [mark["place"] for mark in marks if mark["place"] and "." in mark["place"]]


def arrive(page: str) -> list[str]:
    """Follow the link to its scene, which may be on another page; what is wrong with it, if any."""
    state, query = st.session_state, st.query_params
    messages: list[str] = []
    asked, again = query.get(shelf.LESSON, ""), AGAIN in query
    if again:
        del query[AGAIN]
    try:
        _take_of_link(asked, query.get(shelf.PACKED, ""))
        asked, state[shelf.LESSON] = _as_given(asked), _as_given(state.get(shelf.LESSON, ""))
        found = _stand(asked or state.get(shelf.LESSON, ""))
    except InputError as error:
        messages, found = [TEXTS("shown_without", error=str(error))], None
        leave()
    if asked and found:
        if found.place.page != page:
            go_to(page_named(found.place.page), query.to_dict())
        if again or asked != state.get(shelf.LESSON):
            _begin(asked, page)
    state.scene_position = found
    here = found is not None and found.place.page == page
    state.scene_here, state.scene_params = here, found.place.params if found and here else {}
    state.scene_stage = _stage_of(found.place) if found and here else None
    _write_link(scene_keys(found) if found and here else {})
    return messages


def _take_of_link(asked: str, packed: str) -> None:
    """Open the lesson that a link brings. Raises `InputError`."""
    if not asked.startswith(f"{shelf.OWN_LESSON}.") or not packed:
        return
    lesson = shelf.lesson_of_link(packed)
    if lesson != own_lesson():
        st.session_state.update({"own_lesson": lesson, shelf.LESSON: ""})


def _as_given(asked: str) -> str:
    """The same scene by its name of today; one of one's own lesson as others can open it, if it is
    in a room.
    """
    asked = shelf.as_named_now(asked)
    name, _, number = asked.partition(".")
    own = own_lesson() if name == shelf.OWN_LESSON else None
    given = given_name(own) if own else ""
    return f"{given}.{number}" if given else asked


def scene_keys(now: ScenePosition) -> dict[str, str]:
    """What a link has to say so that it opens this scene."""
    return {shelf.LESSON: f"{now.name}.{now.at + 1}", **keys_along(now.name, now.lesson)}


def keys_along(name: str, lesson: Lesson) -> dict[str, str]:
    """What every link to a lesson's scenes has: of a person's own the lesson itself, if it fits."""
    packed = shelf.packed_lesson(lesson) if name == shelf.OWN_LESSON else ""
    return {shelf.PACKED: packed} if packed else {}


def for_students(query: Mapping[str, str]) -> dict[str, str]:
    """A link's query as a class gets it: a lesson that it brings has no answers and no notes."""
    own = own_lesson() if shelf.PACKED in query else None
    along = keys_along(shelf.OWN_LESSON, without_answers(own)) if own else {}
    return {**query, **along, "role": STUDENT}


def _write_link(keys: Mapping[str, str]) -> None:
    """Put the scene into the address, or take it out."""
    query = st.query_params
    for key in (shelf.LESSON, shelf.PACKED):
        if key not in keys:
            query.pop(key, None)
        elif query.get(key) != keys[key]:
            query[key] = keys[key]


def _stage_of(place: shelf.LinkTarget) -> str | None:
    """The stage that a scene is about; "" for its question, None where it names neither."""
    return "" if place.asks else place.stage or None


def leave() -> None:
    """End the lesson; the view stays."""
    st.session_state[shelf.LESSON] = ""
    _write_link({})


def open_own(lesson: Lesson) -> None:
    """Take a lesson of a person's own; the one that was open before ends."""
    if lesson == own_lesson():
        return
    if st.session_state.get(shelf.LESSON, "").startswith(f"{shelf.OWN_LESSON}."):
        leave()
    st.session_state.own_lesson = lesson


def own_lesson() -> Lesson | None:
    """The lesson of a person's own that was opened last."""
    return st.session_state.get("own_lesson")


def first_scene(name: str, lesson: Lesson) -> tuple[str, dict[str, str]]:
    """The page on which a lesson begins, and the keys of the link to it."""
    return shelf.place_of(lesson.scenes[0].link).page, scene_keys(ScenePosition(name, lesson, 0))


def keep_given(lesson: Lesson, name: str) -> None:
    """Remember under which name a lesson of one's own was given to a class."""
    st.session_state.lesson_given = lesson, name


def given_name(lesson: Lesson) -> str:
    """The name under which a lesson of one's own is with the class; "" if it is not."""
    given, name = st.session_state.get("lesson_given", (None, ""))
    code = room_in_name(name)
    mine = lesson == given and key_of_session(code)
    return name if mine and rooms().lesson(code) == write_lesson(lesson).encode() else ""


def for_teacher(now: ScenePosition) -> ScenePosition:
    """A scene with its answer and its note, if its lesson is of a room that is this teacher's."""
    code = room_in_name(now.name)
    whole = shelf.lesson_in_room(now.name, key_of_session(code)) if code else now.lesson
    return replace(now, lesson=whole)


def _begin(asked: str, page: str) -> None:
    """Begin a scene: its page is made as if it had not been opened yet."""
    state = st.session_state
    for opened in (f"opened_{page}", f"{page}_question_opened"):
        state.pop(opened, None)
    state.update({"scene_arrives": True, shelf.LESSON: asked})


def _stand(asked: str) -> ScenePosition | None:
    """The scene of that name, None of none. Raises `InputError`."""
    if not asked:
        return None
    own = own_lesson()
    if code := room_in_name(asked.partition(".")[0]):
        count_look(code)
    name, at = shelf.scene_named(asked, own)
    return for_teacher(ScenePosition(name, shelf.lesson_named(name, own), at))


def told_to_browser(now: ScenePosition, page: str) -> Mapping[str, object]:
    """What the browser has to know of a scene to lead on from it."""
    scenes, place = now.lesson.scenes, now.place
    first = place.params.get(f"{place.stage.removesuffix('stage')}step", "")
    return {
        "title": now.lesson.title,
        "scenes": [
            {"title": isolated(scene.title), "address": now.address(at), "minutes": scene.minutes}
            for at, scene in enumerate(scenes)
        ],
        "along": keys_along(now.name, now.lesson),
        "at": now.at,
        "here": place.page == page,
        "alone": is_led_by_room(),
        "stage": "" if place.asks and presenting() else place.stage,
        "heading": place.heading,
        "control": place.control,
        "question": place.asks,
        "first": first,
        "until": now.scene.until or first,
        "begun": st.session_state.get("come", 0),
    }
