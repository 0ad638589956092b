"""Which cell is asked for where a stage covers something: of a view, or of a link alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import InputError
from core.program.labels import cell_id, parse_cell
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.places import around, carried, is_inside
from ui.chapters.walkthrough.keys import STEP_OF_LINKS, setup_of_link, values_without_session
from ui.classroom.questions.covered import can_be_asked
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LinkTarget, place_of
from ui.links.links import values_of_link
from ui.links.path import HOME, keys_of

RESULT, NO_COVER = "result", "none"


@dataclass(frozen=True)
class CoveredCell:
    """A run, the cell that is asked for in it, and the arrays that are covered."""

    trace: Trace
    array: str
    cell: Cell
    hidden: list[str]

    @property
    def can_be_asked(self) -> bool:
        """Whether the cell is there and has a number or a mask's answer that a step computes."""
        inside = is_inside(self.trace, self.array, self.cell)
        return inside and can_be_asked(self.trace, self.array, self.cell)


def covered_of(place: LinkTarget) -> CoveredCell | None:
    """Return what a link covers on the stage that it is about.

    None if it covers nothing there, or if only its page can make the run. Raises `InputError` for
    a link to the walkthrough that does not run.
    """
    prefix = place.stage.removesuffix("stage")
    cover = place.params.get(f"{prefix}cover", NO_COVER) if place.stage else NO_COVER
    if place.asks or cover == NO_COVER:
        return None
    opening: tuple[str, Cell]
    if place.page == HOME:
        values = values_without_session(place.params)
        setup = setup_of_link(values)
        trace, opening = setup.trace, (setup.opening_array, (0, *setup.opening))
        step = values["step"] or STEP_OF_LINKS
        at = step if step in trace else setup.opening_array
    else:
        found = run_of_scene(place.link)
        if found is None:
            return None
        trace, values = found, values_of_link(keys_of(place.page), place.params)[0]
        step = values[f"{prefix}step"]
        at = step if step in trace else trace.program.names[0]
        opening = at, _last_row(trace, at)
    slices = {letter: int(values[f"{prefix}head"]) - 1 for letter in trace.program.sliced[:1]}
    looked = parse_cell(values[f"{prefix}cell"])
    if not (looked and is_inside(trace, *looked)):
        looked = at, carried(trace, at, *opening, slices)
    slices = around(trace, *looked, slices)
    array, cell = covered_cell(trace, cover, step, looked, slices)
    return CoveredCell(trace, array, cell, covered_arrays(trace, cover, step))


def asked_cell(link: str) -> CoveredCell | None:
    """Return the covered cell that a link asks for, if it asks for one."""
    try:
        found = covered_of(place_of(link))
    except InputError:
        return None
    return found if found and found.can_be_asked else None


def cell_to_show(place: LinkTarget) -> dict[str, str]:
    """Return the link's key for the cell that a chapter's link asks for, if it names no cell.

    An untouched page looks where only the page knows; with the key, it looks at what is asked.
    """
    key = f"{place.stage.removesuffix('stage')}cell"
    if place.page == HOME or key in place.params:
        return {}
    found = asked_cell(place.link)
    return {key: cell_id(found.array, found.cell)} if found else {}


def _last_row(trace: Trace, array: str) -> Cell:
    """The first cell of an array's last row, of its first head."""
    shape = trace[array].shape
    return tuple(size - 1 if axis == len(shape) - 2 else 0 for axis, size in enumerate(shape))


def covered_arrays(trace: Trace, cover: str, step: str) -> list[str]:
    """Return the arrays that a cover names, at the step that the stage shows.

    A result is what is computed where the step stands on the stage; itself if nothing is.
    """
    if cover != RESULT:
        return [cover.partition(".")[0]]
    phases = (phase for phase in trace.program.phases if step in phase.names)
    return [name for phase in phases for name in phase.names if name in trace.steps] or [step]


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
