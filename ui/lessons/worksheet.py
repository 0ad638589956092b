"""A lesson's worksheets: what its scenes ask to be worked out, with the key to it, and the set of
questions that belongs to it, which is an exit quiz too.

On a lesson's own sheet no task shows a number that another asks for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from core.errors import InputError
from core.files.lesson import Lesson
from core.path import PATH
from core.program.numbers.rounding import CELL_DECIMALS, rounded
from core.program.paper.copies import said_number
from core.program.paper.printed_run import AskedNumber, PrintedRun, printed_run
from core.questions.engine import Question, QuestionMaker
from core.questions.texts import plain_text
from stage.paper.question_paper import question_key, question_sheet
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.covered import question_on_paper
from ui.classroom.questions.covered_place import asked_cell
from ui.lessons.course import ScenePosition
from ui.lessons.scene_words import number_on_paper, printed_words, run_of_scene
from ui.lessons.shelf import LinkTarget, place_of
from ui.links.path import HOME
from ui.page_texts import plain_ui_texts

TEXTS, ASKED = plain_ui_texts("lessons"), plain_ui_texts("asked")
CHAPTERS, QUESTIONS = "practice_chapters", "practice_questions"
LEAST = 3
"""Scenes that ask for a number or a choice: a lesson with fewer has no sheet of its own."""


@dataclass(frozen=True)
class PaperTask:
    """A question of a sheet, and its run as printed: None if only a page can make the run."""

    question: Question
    run: PrintedRun | None


@lru_cache(maxsize=64)
def has_worksheet(name: str, lesson: Lesson) -> bool:
    """Return whether a lesson has a worksheet of its own."""
    return len(_asked(name, lesson)) >= LEAST


def lesson_sheet(name: str, lesson: Lesson) -> str:
    """Return the sheet as an HTML page: each task with the numbers that it needs, and room."""
    asked = _asked(name, lesson)
    numbered, before = [one[:2] for one in asked], [words for _, _, words in asked]
    return question_sheet(_title(lesson), TEXTS("sheet_about"), numbered, before)


def lesson_key(name: str, lesson: Lesson) -> str:
    """Return the key as an HTML page: each answer, and how it is made."""
    numbered = [one[:2] for one in _asked(name, lesson)]
    return question_key(_title(lesson), TEXTS("key_about"), numbered)


def _title(lesson: Lesson) -> str:
    return str(TEXTS("sheet_title", title=lesson.title))


def _asked(name: str, lesson: Lesson) -> list[tuple[str, Question, str]]:
    """The questions of the scenes that cover a number or ask a page's question, each between its
    heading and what the scene says. The prompt is "" if the heading asks just that.
    """
    scenes = dict(enumerate(lesson.scenes, start=1))
    tasks = tasks_on_paper({n: ScenePosition(name, lesson, n - 1).asked for n in scenes})
    found: list[tuple[str, Question, str]] = []
    for number, task in tasks.items():
        scene, written = scenes[number], partial(number_on_paper, task.run)
        asked = plain_text(printed_words(scene.task or scene.title, scene.link, written))
        is_heading = plain_text(task.question.prompt) == asked
        question = replace(task.question, prompt="") if is_heading else task.question
        heading = TEXTS("sheet_task", number=number, task=asked)
        found.append((heading, question, printed_words(scene.words, scene.link, written)))
    return found


def tasks_on_paper(links: Mapping[int, str]) -> dict[int, PaperTask]:
    """Return what links ask that has an answer, by its number on the sheet."""
    questions = {number: _question(link) for number, link in links.items()}
    cells = {number: cell for number, link in links.items() if (cell := asked_cell(link))}
    said = {n: said_number(cell.trace, cell.array, cell.cell) for n, cell in cells.items()}
    asked = {
        said[n]: AskedNumber(
            ASKED("of_task", number=n),
            rounded(float(cell.trace[cell.array][cell.cell]), CELL_DECIMALS),
        )
        for n, cell in cells.items()
    }
    found: dict[int, PaperTask] = {}
    # What comes earlier in a run comes first: the answer to another task may be made of it.
    for n in sorted(cells, key=lambda n: cells[n].trace.program.names.index(cells[n].array)):
        cell = cells[n]
        others = asked | {said[n]: AskedNumber(ASKED("this_task"), asked[said[n]].answer)}
        run = printed_run(cell.trace, cell.array, cell.cell, others)
        found[n] = PaperTask(question_on_paper(run, cell.array, cell.cell, cell.hidden), run)
        if isinstance(answer := found[n].question.answer, float):
            asked[said[n]] = AskedNumber(asked[said[n]].text, rounded(answer, CELL_DECIMALS))
    for n, question in questions.items():
        if question and not question.is_free and n not in found:
            trace = run_of_scene(links[n])
            found[n] = PaperTask(question, PrintedRun(trace, trace, asked) if trace else None)
    return {n: found[n] for n in links if n in found}


def _question(link: str) -> Question | None:
    try:
        return asked_question(link)
    except InputError:
        return None


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
