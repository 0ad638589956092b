"""The set of questions that belongs to a lesson, as a worksheet and as an exit quiz."""

from collections.abc import Iterator

from core.files.lesson import Lesson
from core.path import PATH
from core.questions.engine import QuestionMaker
from ui.lessons.shelf import LinkTarget, place_of
from ui.links.path import HOME

CHAPTERS, QUESTIONS = "practice_chapters", "practice_questions"


def practice_of(lesson: Lesson) -> dict[str, str]:
    """The keys of the link to the worksheet of a lesson.

    It asks what the lesson touches, or over the chapters of its own set if a scene has one. Of a
    chapter that a scene visits it asks all questions. Of one that explains a step of a scene on
    the walkthrough it asks those that do not go beyond that step.
    """
    places = [place_of(scene.link) for scene in lesson.scenes]
    view = {"practice_view": "sheet"}
    if own := [place.params[CHAPTERS] for place in places if CHAPTERS in place.params]:
        return {CHAPTERS: own[-1], **view}
    pages = {place.page for place in places}
    steps = {step for place in places if place.page == HOME for step in _steps(place)}
    touched = {
        name: [one.name for one in chapter.questions.values() if _touches(name, one, pages, steps)]
        for name, chapter in PATH.items()
    }
    chapters = [name for name, makers in touched.items() if makers]
    makers = dict.fromkeys(maker for makers in touched.values() for maker in makers)
    return {CHAPTERS: ".".join(chapters), QUESTIONS: ".".join(makers), **view}


def _touches(name: str, maker: QuestionMaker, pages: set[str], steps: set[str]) -> bool:
    """Whether a lesson with these pages, and these steps of the walkthrough, touches a question.

    The walkthrough has all steps, so of its questions those count whose answers are seen there.
    """
    if name == HOME:
        return {seen.array for seen in maker(0).evidence} <= steps
    return name in pages or (not maker.beyond and bool(steps & {*PATH[name].explains}))


def _steps(place: LinkTarget) -> Iterator[str]:
    """The arrays that a link to the walkthrough shows or covers."""
    for key in ("step", "cover"):
        yield place.params.get(key, "").partition(".")[0]
