"""The numbers that a scene's words leave to its stage, for what is printed."""

from functools import lru_cache

from core.errors import InputError
from core.path import PATH
from core.program.display import shown
from core.program.families import Family
from core.program.labels import parse_cell
from core.program.rounding import typeset
from core.program.trace import Trace
from stage.places import is_inside
from ui.lessons.shelf import LinkTarget, place_of
from ui.page_texts import plain_ui_texts
from ui.path import HOME
from ui.walkthrough.link_setup import setup_of_link, values_without_session

TEXTS = plain_ui_texts("lessons")


def number_of_scene(link: str, cell: str) -> str:
    """Return the number of a cell such as `weights.0.1.0`, as the stage of a scene's link shows it.

    If only the page of the link can compute it, return where the stage has it.
    """
    place, trace = parse_cell(cell), _run(link)
    if place and trace and is_inside(trace, *place):
        return typeset(shown(trace, *place))
    name, *at = cell.split(".")
    if len(at) < 2:
        return str(TEXTS("plan_on_stage", name=name, row=0, column=int(at[-1]) + 1))
    row, column = (int(part) + 1 for part in at[-2:])
    return str(TEXTS("plan_on_stage", name=name, row=row, column=column))


@lru_cache(maxsize=64)
def _run(link: str) -> Trace | None:
    """The run that a link opens; None of a page that alone can make it, and where none runs."""
    try:
        place = place_of(link)
        if family := _family_of(place):
            chosen = {key: place.params[key] for key in family.toggle if key in place.params}
            return family.run(**chosen)
        if place.page != HOME:
            return None
        return setup_of_link(values_without_session(place.params)).trace
    except InputError:
        return None


def _family_of(place: LinkTarget) -> Family | None:
    """The family whose toggles decide all that the stage of a link shows; None if there is none."""
    families = PATH[place.page].families.values() if place.page in PATH else ()
    return next((f for f in families if f.prefix and f"{f.prefix}stage" == place.stage), None)
