"""Which step, head and cell of a run is looked at.

They live in the session under the keys `step`, `head` and `cell`, with a prefix where a page has
more than one exhibit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.program.patterns import Cell
from core.program.trace import Trace
from ui.links import parse_cell
from ui.stage import cell_id


@dataclass(frozen=True)
class View:
    """One look at a run: the step on the stage, the head on show (from 0) and the selected cell.

    The cell may be one of an operand: `name` says of which array; `row` is the step's own cell at
    the same place.
    """

    trace: Trace
    array: str
    head: int
    name: str
    cell: Cell
    row: Cell

    @property
    def selected(self) -> str:
        return cell_id(self.name, self.cell)


def look(trace: Trace, opening: tuple[str, Cell], prefix: str = "") -> View:
    """The view that the session asks for, with what is not there replaced.

    A cell that was chosen stays selected; at another step, its place does. `opening` is where an
    untouched page looks; the session's `cell` says where it is not that.
    """
    state = st.session_state
    array, head = state[f"{prefix}step"], 0
    if array not in trace:
        array = opening[0]
        if state[f"{prefix}step"]:  # "" means the opening, wherever that is
            state[f"{prefix}step"] = array
    if "h" in trace.program.sizes:
        head = min(state.get(f"{prefix}head") or 1, trace.program.sizes["h"]) - 1
    found = parse_cell(state[f"{prefix}cell"])
    if not found or not inside(trace, *found):
        before: tuple[str, Cell] | None = state.get(f"{prefix}before_cell")
        source, cell = before if before and inside(trace, *before) else opening
        found = array, _carried(trace, array, source, cell, head)
    state[f"{prefix}before_cell"] = found
    untouched = array, _carried(trace, array, *opening, head)
    state[f"{prefix}cell"] = "" if found == untouched else cell_id(*found)
    name, cell = found
    row = cell if name == array else _carried(trace, array, name, cell, head)
    return View(trace, array, head, name, cell, row)


def go(value: Mapping[str, Any], prefix: str = "") -> None:
    """Do as the stage asks: to another step, or to a cell."""
    st.session_state[f"{prefix}step"] = value["step"]
    st.session_state[f"{prefix}cell"] = value["cell"]


def start_anew(prefix: str = "") -> None:
    """Look again where an untouched page looks."""
    go({"step": "", "cell": ""}, prefix)
    st.session_state.pop(f"{prefix}before_cell", None)


def missing_cell(trace: Trace, text: str) -> bool:
    """Whether `text` names a cell that this run does not have."""
    found = parse_cell(text)
    return bool(found) and not inside(trace, *found)  # type: ignore[misc]


def inside(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether a run has that cell."""
    if array not in trace or len(cell) != trace[array].ndim:
        return False
    return all(at < size for at, size in zip(cell, trace[array].shape, strict=True))


def _carried(trace: Trace, array: str, source: str, cell: Cell, head: int) -> Cell:
    """The cell of another array at the same query, key and feature, of the head on show."""
    kept = dict(zip(trace.program.axes[source], cell, strict=True))
    kept.setdefault("j", kept.get("i", 0))
    kept.setdefault("i", kept["j"])
    sizes = trace.program.sizes
    kept |= {letter: head * sizes[letter] // sizes["h"] for letter in "hg" if letter in sizes}
    letters = zip(trace.program.axes[array], trace[array].shape, strict=True)
    return tuple(min(kept.get(letter, 0), size - 1) for letter, size in letters)
