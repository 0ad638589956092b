"""What a class is asked: a chapter's question, a covered cell, a scene's task.

A link makes the question of a chapter, the walkthrough's covered cell and a scene's task again. Any
other question is made of a run that only its page has, so a room keeps it as JSON.
"""

from collections.abc import Mapping
from functools import lru_cache

from core.errors import input_error
from core.files.matrices import shorten
from core.path import PATH
from core.program.labels import parse_cell, told_cell
from core.program.patterns import Cell
from core.program.trace import Trace
from core.questions.engine import Question
from core.questions.saved import question_from_json
from stage.places import around, carried, is_inside
from ui.classroom.covered import cell_question, question_on_paper
from ui.classroom.room import Ask
from ui.classroom.room_lessons import room_in_name
from ui.classroom.rooms import rooms
from ui.classroom.scene_asked import scene_of, task_question
from ui.lessons.shelf import LinkTarget, lesson_of, place_of
from ui.page_texts import plain_ui_texts
from ui.path import HOME
from ui.question_link import LINK, question_of
from ui.walkthrough.keys import STEP_OF_LINKS
from ui.walkthrough.link_setup import setup_of_link, values_without_session

TEXTS = plain_ui_texts("asked")
COVER, RESULT = "cover", "result"
KEPT = 256
"""So many questions are kept that were made."""


def asked_question(asked: Ask | str) -> Question:
    """Return the question that was asked, or that a link asks.

    Raises `InputError` if the link asks nothing, or the question cannot be read.
    """
    return _asked(*_kept(asked))[0]


def asked_on_paper(link: str) -> Question:
    """Return the question that a link asks as a sheet prints it. Raises `InputError` likewise."""
    place = place_of(link)
    return question_on_paper(*_covered(place.params)) if _is_cover(place) else asked_question(link)


def asked_title(asked: Ask | str) -> str:
    """Return what is asked about, in a few words with a question's own marks.

    Raises `InputError` if the link asks nothing, or the question cannot be read.
    """
    return _asked(*_kept(asked))[1]


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
    if _is_cover(place):
        trace, array, cell, hidden = _covered(place.params)
        return cell_question(trace, array, cell, hidden), told_cell(trace, array, cell)
    now = scene_of(link)
    task = task_question(now.scene) if now else None
    if task is None:
        raise input_error(TEXTS, "no_question", link=shorten(repr(link)))
    return task, task.title


def _of_chapter(place: LinkTarget) -> tuple[Question, str]:
    chapter = PATH[place.page]
    title, seed = question_of(chapter.questions)(LINK, place.params[LINK])
    named = TEXTS("title_of_question", chapter=chapter.title, title=title)
    return chapter.questions[title](seed), named


def _is_cover(place: LinkTarget) -> bool:
    """Whether a link is about a cell that the walkthrough's stage covers."""
    return place.page == HOME and not place.asks and place.params.get(COVER, "none") != "none"


def _covered(params: Mapping[str, str]) -> tuple[Trace, str, Cell, list[str]]:
    """The run of a link about a cover, the cell that is asked for, and the covered arrays."""
    values = values_without_session(params)
    setup = setup_of_link(values)
    trace = setup.trace
    slices = {letter: int(values["head"]) - 1 for letter in trace.program.sliced[:1]}
    step = values["step"] or STEP_OF_LINKS
    opening = setup.opening_array, (0, *setup.opening)
    place = parse_cell(values["cell"])
    if not (place and is_inside(trace, *place)):
        at = step if step in trace else setup.opening_array
        place = at, carried(trace, at, *opening, slices)
    slices = around(trace, *place, slices)
    cover = values[COVER]
    array, cell = covered_cell(trace, cover, step, place, slices)
    return trace, array, cell, covered_arrays(trace, cover, step)


def covered_arrays(trace: Trace, cover: str, step: str) -> list[str]:
    """Return the arrays that a cover names, at the step that the stage shows."""
    return _results(trace, step) if cover == RESULT else [cover.partition(".")[0]]


def covered_cell(
    trace: Trace, cover: str, step: str, place: tuple[str, Cell], slices: Mapping[str, int]
) -> tuple[str, Cell]:
    """Return the covered cell that is asked for: the one where a person looks, or the nearest.

    `cover` says what is covered, `step` what the stage shows, `place` where a person looks there,
    and `slices` which heads are on show.
    """
    index = [int(part) for part in cover.split(".")[1:]]
    arrays = covered_arrays(trace, cover, step)
    array = place[0] if place[0] in arrays else arrays[0]
    if array not in trace:
        return array, place[1]
    cell = list(carried(trace, array, *place, slices)) if array != place[0] else list(place[1])
    if len(index) == 1 and len(cell) > 2:  # a row by itself is that row of every head
        cell[-2] = index[0]
    else:
        cell[: len(index)] = index
    return array, tuple(cell)


def _results(trace: Trace, step: str) -> list[str]:
    """The arrays that are computed where a step stands on the stage; itself if none is."""
    phases = (phase for phase in trace.program.phases if step in phase.names)
    return [name for phase in phases for name in phase.names if name in trace.steps] or [step]
