"""The walk through a setup's trace: stage, "this number", and what can be done with the view."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import InputError
from core.explanations import explain
from core.labels import repeated
from core.patterns import Cell
from core.programs import Trace
from core.setups import EDITABLE, Setup
from ui.checking import torch_check
from ui.controls import controls, flipped, link_values, read_link, write_link
from ui.editing import edit_cell, edit_panel, paint_cells
from ui.examples import example_note
from ui.frame import presenting
from ui.inspector import inspector
from ui.links import parse_cell, query
from ui.sharing import download_panel, share_panel
from ui.stage import stage, stage_data
from ui.text import escape_markdown


@st.fragment
def walkthrough() -> None:
    """Controls and stage. A change of a control reruns these, and not the rest of the page."""
    read_link()
    walk(controls())


@st.fragment
def walk(setup: Setup) -> None:
    """The stage beside "this number". A click or a key reruns this fragment alone."""
    state = st.session_state
    setup = _with_latest_edits(setup)
    trace = setup.trace
    array, cell = _place(trace)
    notes = st.container()
    head = _head(trace, array, cell)
    other, changed = flipped(setup, state.get("compare"))
    data = stage_data(
        trace,
        array,
        cell,
        head=head,
        badge=_badge(trace),
        other=other.run(**changed) if other else None,
        present=presenting(),
        editable=EDITABLE,
        paint=setup.settings["mask"] == "custom",
    )
    wide, narrow = st.columns([2, 1])
    with wide:
        stage("stage", data, lambda kind, value: _handle(setup, kind, value))
        if note := repeated(trace):
            st.markdown(escape_markdown(note))
        with st.container(horizontal=True, vertical_alignment="center"):
            edit_panel(setup, head)
            share_panel(query(link_values()))
            download_panel(trace, array, data)
            torch_check(trace)
    with narrow:
        inspector(explain(trace, array, cell))
    example_note(setup.preset)
    for message in state.messages:
        notes.warning(escape_markdown(message))
    state.messages = []
    write_link()


def _with_latest_edits(setup: Setup) -> Setup:
    """The setup with what has been edited since the controls made it, where that fits."""
    latest = st.session_state.edits
    if latest is setup.edits:
        return setup
    edited = replace(setup, edits=latest)
    try:
        _ = edited.trace
    except InputError:
        return setup
    return edited


def _place(trace: Trace) -> tuple[str, Cell]:
    """The step and the cell to show. A cell that is not there is said, and another one chosen."""
    state = st.session_state
    array = state.step
    found = parse_cell(state.cell)
    if found and found[0] in trace and _inside(trace, *found):
        return array, found[1] if found[0] == array else _carried(trace, array, *found)
    if state.cell:
        state.messages.append(
            f"There is no cell {state.cell[:30]!r} here: another one is selected instead."
        )
        state.cell = ""
    return array, _carried(trace, array, "scores", _opening(trace))


def _inside(trace: Trace, array: str, cell: Cell) -> bool:
    shape = trace[array].shape
    return len(cell) == len(shape) and all(a < n for a, n in zip(cell, shape, strict=True))


def _opening(trace: Trace) -> Cell:
    """Where an untouched page looks: a pair of neighbours in the middle of the first head."""
    row = min(2, trace["scores"].shape[1] - 1)
    return (st.session_state.head - 1, row, max(row - 1, 0))


def _carried(trace: Trace, array: str, source: str, cell: Cell) -> Cell:
    """The cell of another array at the same head, query, key and feature."""
    kept = dict(zip(trace.program.axes[source], cell, strict=True))
    kept.setdefault("j", kept.get("i", 0))
    kept.setdefault("i", kept["j"])
    letters = zip(trace.program.axes[array], trace[array].shape, strict=True)
    return tuple(min(kept.get(letter, 0), size - 1) for letter, size in letters)


def _head(trace: Trace, array: str, cell: Cell) -> int:
    """The head to show: the cell's own, or else the one that was chosen."""
    letter, heads = trace.program.axes[array][0], trace.program.sizes["h"]
    if letter == "h":
        return cell[0]
    return int(min(st.session_state.head, heads)) - 1


def _badge(trace: Trace) -> str:
    names = [n for n in trace.pinned if n != "mask"]
    return f"starts from given {', '.join(sorted(names))}" if names else ""


def _handle(setup: Setup, kind: str, value: Mapping[str, Any]) -> None:
    """Do what a person did on the stage."""
    state = st.session_state
    if kind == "go":
        found = parse_cell(value["cell"])
        state.step = found[0] if found else value["step"]
        state.cell = value["cell"] or state.cell
    elif kind == "edit":
        edit_cell(setup, value["cell"], value["text"])
    elif kind == "paint":
        paint_cells(setup, value["cells"], bool(value["visible"]))
