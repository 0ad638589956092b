"""The set of questions that belongs to a lesson, as a worksheet."""

from collections.abc import Iterator

from core.files.lesson import Lesson
from core.path import PATH
from core.practice_set import QUESTIONS
from ui.lessons.shelf import LinkTarget, place_of
from ui.path import HOME

CHAPTERS = "practice_chapters"


def practice_of(lesson: Lesson) -> dict[str, str]:
    """The keys of the link to the worksheet of a lesson.

    Its questions are over the chapters that the lesson visits and those that explain the steps of
    its scenes on the walkthrough, or over those of its own set if a scene of it has one.
    """
    places = [place_of(scene.link) for scene in lesson.scenes]
    own = [place.params[CHAPTERS] for place in places if CHAPTERS in place.params]
    steps = {step for place in places if place.page == HOME for step in _steps(place)}
    about = {place.page for place in places}
    about |= {name for name, chapter in PATH.items() if steps & set(chapter.explains)}
    chapters = own[-1] if own else ".".join(name for name in QUESTIONS if name in about)
    return {CHAPTERS: chapters, "practice_view": "sheet"}


def _steps(place: LinkTarget) -> Iterator[str]:
    """The arrays that a link to the walkthrough shows or covers."""
    for key in ("step", "cover"):
        yield place.params.get(key, "").partition(".")[0]
