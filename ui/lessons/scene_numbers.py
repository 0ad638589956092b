"""The numbers that a scene's words leave to its stage, for what is printed."""

from core.program.labels import parse_cell
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.paper.printed_run import PrintedRun
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.places import is_inside
from ui.lessons.scene_runs import run_of_scene
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("lessons")


def number_of_scene(link: str, cell: str) -> str:
    """Return the number of a cell such as `weights.0.1.0`, as the stage of a scene's link shows it.

    If only the page of the link can compute it, return where the stage has it.
    """
    found = _cell(link, cell)
    return typeset(shown(*found)) if found else _where(cell)


def number_on_paper(run: PrintedRun | None, link: str, cell: str) -> str:
    """Return the same as the tables of a sheet have it, which are of `run`.

    A number in scientific notation stays, because words beside it may explain it.
    """
    if run is None or (found := _cell(link, cell)) is None:
        return _where(cell)
    _, array, at = found
    exact = shown(run.exact, array, at)
    is_kept = "e" in exact and not run.instead_of(array, at)
    return typeset(exact if is_kept else run.text(array, at))


def _cell(link: str, cell: str) -> tuple[Trace, str, Cell] | None:
    """The run of a scene's link and a cell of it; None if only the page can compute it."""
    place, trace = parse_cell(cell), run_of_scene(link)
    return (trace, *place) if place and trace and is_inside(trace, *place) else None


def _where(cell: str) -> str:
    """Where the stage has a cell."""
    name, *at = cell.split(".")
    if len(at) < 2:
        return str(TEXTS("plan_on_stage", name=name, row=0, column=int(at[-1]) + 1))
    row, column = (int(part) + 1 for part in at[-2:])
    return str(TEXTS("plan_on_stage", name=name, row=row, column=column))
