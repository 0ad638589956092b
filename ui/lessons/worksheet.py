"""A lesson's own worksheet: what its scenes ask to be worked out, and the key to it."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial

from core.files.lesson import Lesson, Scene
from core.questions.engine import Question
from core.questions.texts import plain_text
from stage.paper.question_paper import question_key, question_sheet
from ui.classroom.questions.on_paper import PaperTask, tasks_on_paper
from ui.lessons.course import ScenePosition
from ui.lessons.printed_words import printed_words
from ui.lessons.scene_numbers import number_on_paper
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("lessons")
LEAST = 3
"""Scenes that ask for a number or a choice: a lesson with fewer has no sheet of its own."""


@dataclass(frozen=True)
class AskedOnPaper:
    """A question of a scene: its heading, what the scene says, and the question.

    The prompt is "" if the heading asks just that.
    """

    heading: str
    words: str
    question: Question


@lru_cache(maxsize=64)
def has_worksheet(name: str, lesson: Lesson) -> bool:
    """Return whether a lesson has a worksheet of its own."""
    return len(_asked(name, lesson)) >= LEAST


def lesson_sheet(name: str, lesson: Lesson) -> str:
    """Return the sheet as an HTML page: each task with the numbers that it needs, and room."""
    asked = _asked(name, lesson)
    numbered, before = [(one.heading, one.question) for one in asked], [one.words for one in asked]
    return question_sheet(_title(lesson), TEXTS("sheet_about"), numbered, before)


def lesson_key(name: str, lesson: Lesson) -> str:
    """Return the key as an HTML page: each answer, and how it is made."""
    numbered = [(one.heading, one.question) for one in _asked(name, lesson)]
    return question_key(_title(lesson), TEXTS("key_about"), numbered)


def _title(lesson: Lesson) -> str:
    return str(TEXTS("sheet_title", title=lesson.title))


def _asked(name: str, lesson: Lesson) -> list[AskedOnPaper]:
    """The questions of the scenes that cover a number or ask a page's question."""
    scenes = dict(enumerate(lesson.scenes, start=1))
    tasks = tasks_on_paper({n: ScenePosition(name, lesson, n - 1).asked for n in scenes})
    return [_on_paper(number, scenes[number], task) for number, task in tasks.items()]


def _on_paper(number: int, scene: Scene, task: PaperTask) -> AskedOnPaper:
    written = partial(number_on_paper, task.run)
    asked = printed_words(scene.task or scene.title, scene.link, written)
    is_heading = plain_text(task.question.prompt) == plain_text(asked)
    return AskedOnPaper(
        TEXTS("sheet_task", number=number, task=plain_text(asked)),
        printed_words(scene.words, scene.link, written),
        replace(task.question, prompt="") if is_heading else task.question,
    )
