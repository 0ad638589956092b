"""What a link asks a class: a chapter's question, or a covered cell of the walkthrough.

A room keeps links and answers only. The question is made from its link whenever it is needed.
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
from stage.places import around, carried, is_inside
from ui.classroom.covered import cell_question
from ui.lessons.shelf import LinkTarget, place_of
from ui.page_texts import plain_ui_texts
from ui.path import HOME
from ui.question_link import LINK, question_of
from ui.walkthrough.keys import STEP_OF_LINKS
from ui.walkthrough.link_setup import setup_of_link, values_without_session

TEXTS = plain_ui_texts("asked")
COVER, RESULT = "cover", "result"
KEPT = 256
"""So many questions are kept that were made."""


def asked_question(link: str) -> Question:
    """Return the question that a link asks. Raises `InputError` if the link asks nothing."""
    return _asked(link)[0]


def asked_title(link: str) -> str:
    """Return what a link asks about, in a few words with a question's own marks.

    Raises `InputError` if the link asks nothing.
    """
    return _asked(link)[1]


@lru_cache(maxsize=KEPT)
def _asked(link: str) -> tuple[Question, str]:
    """The question of a link, and its title."""
    place = place_of(link)
    if place.page in PATH and place.asks:
        return _of_chapter(place)
    if place.page == HOME and place.params.get(COVER, "none") != "none":
        return _of_cover(place.params)
    raise input_error(TEXTS, "no_question", link=shorten(repr(link)))


def _of_chapter(place: LinkTarget) -> tuple[Question, str]:
    chapter = PATH[place.page]
    title, seed = question_of(chapter.questions)(LINK, place.params[LINK])
    named = TEXTS("title_of_question", chapter=chapter.title, title=title)
    return chapter.questions[title](seed), named


def _of_cover(params: Mapping[str, str]) -> tuple[Question, str]:
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
    array, cell = _covered(trace, cover, step, place, slices)
    covered = _results(trace, step) if cover == RESULT else [array]
    return cell_question(trace, array, cell, covered), told_cell(trace, array, cell)


def _covered(
    trace: Trace, cover: str, step: str, place: tuple[str, Cell], slices: Mapping[str, int]
) -> tuple[str, Cell]:
    """The covered cell that is asked for: the one where a person looks, or else the nearest."""
    name, *rest = cover.split(".")
    index = [int(part) for part in rest]
    arrays = _results(trace, step) if cover == RESULT else [name]
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
