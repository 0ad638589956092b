"""Which scene of a lesson is on, in a person's session; each whole run of a page follows its link.

A scene is begun by its link: the page is set as the scene has it, and keys that the link has beside
lie on top. On other pages the lesson waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from core.errors import InputError
from core.files.lesson import MARKS, Lesson, Scene
from ui.directions import isolated
from ui.lessons.shelf import LESSON, OWN_LESSON, LinkTarget, place_of, scene_named, shipped
from ui.page_texts import plain_ui_texts
from ui.path import address_of, page_named
from ui.presenting import presenting

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
    def place(self) -> LinkTarget:
        return place_of(self.scene.link)

    def address(self, at: int) -> str:
        """The link of a scene of this lesson, from any page."""
        page = place_of(self.lesson.scenes[at].link).page
        return f"{address_of(page)}?{LESSON}={self.name}.{at + 1}"

    def link(self, at: int) -> str:
        """The same as anybody can open it, below the product's own address."""
        place = place_of(self.lesson.scenes[at].link)
        own = self.name == OWN_LESSON
        return place.link if own else self.address(at).removeprefix("./")

    @property
    def asked(self) -> str:
        """The link with which a class is asked what the scene asks. It names the scene, except of a
        lesson that others have not.
        """
        named = "" if self.name == OWN_LESSON else f"&{LESSON}={self.name}.{self.at + 1}"
        return self.place.link + named


def current_scene() -> ScenePosition | None:
    """The scene that is on."""
    asked: str = st.session_state.get(LESSON, "")
    return _stand(asked) if asked else None


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
    asked, again = query.get(LESSON, ""), AGAIN in query
    if again:
        del query[AGAIN]
    if asked:
        try:
            found = _stand(asked)
        except InputError as error:
            messages = [TEXTS("shown_without", error=str(error))]
            del query[LESSON]
        else:
            if found.place.page != page:
                st.switch_page(page_named(found.place.page), query_params=query.to_dict())
            if again or asked != state.get(LESSON):
                _begin(asked, page)
    now = current_scene()
    here = now is not None and now.place.page == page
    state.scene_here, state.scene_params = here, now.place.params if now and here else {}
    state.scene_stage = _stage_of(now.place) if now and here else None
    if here and query.get(LESSON) != state[LESSON]:
        query[LESSON] = state[LESSON]
    return messages


def _stage_of(place: LinkTarget) -> str | None:
    """The stage that a scene is about; "" for its question, None where it names neither."""
    return "" if place.asks else place.stage or None


def leave() -> None:
    """End the lesson; the view stays."""
    st.session_state[LESSON] = ""
    st.query_params.pop(LESSON, None)


def open_own(lesson: Lesson) -> None:
    """Take a lesson of a person's own; the one that was open before ends."""
    if lesson == own_lesson():
        return
    if st.session_state.get(LESSON, "").startswith(f"{OWN_LESSON}."):
        leave()
    st.session_state.own_lesson = lesson


def own_lesson() -> Lesson | None:
    """The lesson of a person's own that was opened last."""
    lesson: Lesson | None = st.session_state.get("own_lesson")
    return lesson


def first_scene(name: str, lesson: Lesson) -> tuple[str, dict[str, str]]:
    """The page on which a lesson begins, and the keys of the link to it."""
    return place_of(lesson.scenes[0].link).page, {LESSON: f"{name}.1"}


def _begin(asked: str, page: str) -> None:
    """Begin a scene: its page is made as if it had not been opened yet."""
    state = st.session_state
    for opened in (f"opened_{page}", f"{page}_question_opened"):
        state.pop(opened, None)
    state.update({"scene_arrives": True, LESSON: asked})


def _stand(asked: str) -> ScenePosition:
    own = own_lesson()
    name, at = scene_named(asked, own)
    return ScenePosition(name, own if name == OWN_LESSON and own else shipped(name), at)


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
        "at": now.at,
        "here": place.page == page,
        "stage": "" if place.asks and presenting() else place.stage,
        "heading": place.heading,
        "control": place.control,
        "question": place.asks,
        "first": first,
        "until": now.scene.until or first,
        "begun": st.session_state.get("come", 0),
    }
