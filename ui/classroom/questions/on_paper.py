"""What several links ask, as one sheet prints it: no task shows a number that another asks for."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import InputError
from core.program.numbers.rounding import CELL_DECIMALS, rounded
from core.program.paper.printed_run import AskedNumber, PrintedRun, printed_run, said_number
from core.questions.engine import Question
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.covered import question_on_paper
from ui.classroom.questions.covered_place import CoveredCell, covered_of
from ui.lessons.scene_runs import run_of_scene
from ui.lessons.shelf import place_of
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("asked")


@dataclass(frozen=True)
class PaperTask:
    """A question of a sheet, and its run as printed: None if only a page can make the run."""

    question: Question
    run: PrintedRun | None


def tasks_on_paper(links: Mapping[int, str]) -> dict[int, PaperTask]:
    """Return what links ask that has an answer, by its number on the sheet."""
    questions = {number: _question(link) for number, link in links.items()}
    cells = {number: cell for number, link in links.items() if (cell := _cell(link))}
    said = {n: said_number(cell.trace, cell.array, cell.cell) for n, cell in cells.items()}
    asked = {
        said[n]: AskedNumber(
            TEXTS("of_task", number=n),
            rounded(float(cell.trace[cell.array][cell.cell]), CELL_DECIMALS),
        )
        for n, cell in cells.items()
    }
    found: dict[int, PaperTask] = {}
    # What comes earlier in a run comes first: the answer to another task may be made of it.
    for n in sorted(cells, key=lambda n: cells[n].trace.program.names.index(cells[n].array)):
        cell = cells[n]
        others = asked | {said[n]: AskedNumber(TEXTS("this_task"), asked[said[n]].answer)}
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


def _cell(link: str) -> CoveredCell | None:
    """The covered cell that a link asks for, if it asks for one."""
    try:
        covered = covered_of(place_of(link))
    except InputError:
        return None
    return covered if covered and covered.can_be_asked else None
