"""The numbers that a scene's words leave to its stage, for what is printed."""

from core.program.display import shown
from core.program.labels import parse_cell
from core.program.rounding import typeset
from stage.places import is_inside
from ui.lessons.scene_runs import run_of_scene
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("lessons")


def number_of_scene(link: str, cell: str) -> str:
    """Return the number of a cell such as `weights.0.1.0`, as the stage of a scene's link shows it.

    If only the page of the link can compute it, return where the stage has it.
    """
    place, trace = parse_cell(cell), run_of_scene(link)
    if place and trace and is_inside(trace, *place):
        return typeset(shown(trace, *place))
    name, *at = cell.split(".")
    if len(at) < 2:
        return str(TEXTS("plan_on_stage", name=name, row=0, column=int(at[-1]) + 1))
    row, column = (int(part) + 1 for part in at[-2:])
    return str(TEXTS("plan_on_stage", name=name, row=row, column=column))
