"""What the scene of a lesson asks a class: its link's question, or its task, as a free text."""

from core.errors import InputError
from core.files.lesson import MARKS, Scene
from core.program.labels import as_prose, marked_token
from core.questions.engine import Question, free_question
from ui.lessons.course import ScenePosition
from ui.lessons.shelf import lesson_named, lesson_of, scene_named
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("asked")
_ENDS = ("?", "!", ".", "…")


def scene_of(link: str) -> ScenePosition | None:
    """Return the scene that a link names; None if it names none of a lesson that others have."""
    try:
        name, at = scene_named(lesson_of(link))
    except InputError:
        return None
    return ScenePosition(name, lesson_named(name), at)


def task_question(scene: Scene) -> Question | None:
    """Return a scene's task as a question that any text answers; None if the scene has no task."""
    if not scene.task:
        return None
    title, ends = scene.title.strip(), scene.title.strip().endswith(_ENDS)
    prompt = TEXTS("task", title=as_prose(title), ends=ends, task=_with_marks(scene.task))
    return free_question(as_prose(title), prompt)


def _with_marks(text: str) -> str:
    """A scene's words with a question's marks: tokens are set off, and everything else is text."""
    line, found, at = " ".join(text.split()), "", 0
    for mark in MARKS.finditer(line):
        token, said = mark["token"], mark["said"] or mark["code"] or mark["place"] or ""
        found += as_prose(line[at : mark.start()]) + (
            marked_token(token) if token else as_prose(said)
        )
        at = mark.end()
    return found + as_prose(line[at:])
