"""What a class is asked: a chapter's question, a covered cell, a scene's task.

A link makes the question of a chapter, a covered cell whose run it names, and a scene's task again.
Any other question is made of a run that only its page has, so a room keeps it as JSON.
"""

from functools import lru_cache

from core.errors import InputError, input_error
from core.files.lesson import Scene
from core.files.matrices import shorten
from core.path import PATH
from core.program.labels import as_prose, told_cell
from core.questions.engine import Question, free_question
from core.questions.saved import question_from_json
from ui.classroom.questions.covered import cell_question
from ui.classroom.questions.covered_place import CoveredCell, covered_of
from ui.classroom.store.room import Ask, room_in_name
from ui.classroom.store.rooms import rooms
from ui.lessons.course import ScenePosition
from ui.lessons.scene_words import asked_words
from ui.lessons.shelf import LinkTarget, lesson_named, lesson_of, place_of, scene_named
from ui.links.path import HOME, page_named
from ui.links.question_link import LINK, question_of
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("asked")
KEPT = 256
"""So many questions are kept that were made."""
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
    prompt = TEXTS("task", title=as_prose(title), ends=ends, task=asked_words(scene.task))
    return free_question(as_prose(title), prompt)


def asked_question(asked: Ask | str) -> Question:
    """Return the question that was asked, or that a link asks.

    Raises `InputError` if the link asks nothing, or the question cannot be read.
    """
    return _asked(*_kept(asked))[0]


def question_if_any(asked: Ask | str) -> Question | None:
    """Return the same; None in place of an error."""
    try:
        return asked_question(asked)
    except InputError:
        return None


def asked_title(asked: Ask | str) -> str:
    """Return what is asked about, in a few words with a question's own marks.

    Raises `InputError` if the link asks nothing, or the question cannot be read.
    """
    return _asked(*_kept(asked))[1]


def title_of_cell(page: str, covered: CoveredCell) -> str:
    """Return what is asked about a covered cell; except on the walkthrough, its page is named."""
    title = told_cell(covered.trace, covered.array, covered.cell)
    if page == HOME:
        return title
    named = PATH[page].title if page in PATH else page_named(page).title
    return TEXTS("of_page", page=named, title=title)


def _kept(asked: Ask | str) -> tuple[str, str, bytes | None]:
    """The link, the saved question if any, and the lesson if the link names that of a room."""
    link, saved = (asked, "") if isinstance(asked, str) else (asked.link, asked.question)
    code = "" if saved else room_in_name(lesson_of(link).partition(".")[0])
    return link, saved, rooms().lesson(code) if code else None


@lru_cache(maxsize=KEPT)
def _asked(link: str, saved: str, _lesson: bytes | None) -> tuple[Question, str]:
    """The question of a link, or the saved one, and its title. Another `_lesson` has others."""
    if saved:
        question = question_from_json(saved)
        return question, question.title
    place = place_of(link)
    if place.page in PATH and place.asks:
        return _of_chapter(place)
    covered = covered_of(place)
    now = scene_of(link)
    task = task_question(now.scene) if now else None
    if covered and (covered.can_be_asked or task is None):
        question = cell_question(covered.trace, covered.array, covered.cell, covered.hidden)
        return question, title_of_cell(place.page, covered)
    if task is None:
        raise input_error(TEXTS, "no_question", link=shorten(repr(link)))
    return task, task.title


def _of_chapter(place: LinkTarget) -> tuple[Question, str]:
    chapter = PATH[place.page]
    title, seed = question_of(chapter.questions)(LINK, place.params[LINK])
    named = TEXTS("title_of_question", chapter=chapter.title, title=title)
    return chapter.questions[title](seed), named
