"""The set of questions that belongs to a lesson, as a worksheet."""

from core.files.lesson import Lesson
from core.practice_set import QUESTIONS
from ui.lessons.shelf import place_of

CHAPTERS = "practice_chapters"


def practice_of(lesson: Lesson) -> dict[str, str]:
    """The keys of the link to the worksheet of a lesson.

    Its questions are over the chapters that the lesson visits, or over those of its own set if a
    scene of it has one.
    """
    places = [place_of(scene.link) for scene in lesson.scenes]
    own = [place.params[CHAPTERS] for place in places if CHAPTERS in place.params]
    visited = {place.page for place in places}
    chapters = own[-1] if own else ".".join(name for name in QUESTIONS if name in visited)
    return {CHAPTERS: chapters, "practice_view": "sheet"}
