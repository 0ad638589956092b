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
from ui.stage import cell_id, stage, stage_data
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
    array, head = state.step, min(state.head, trace.program.sizes["h"]) - 1
    name, selected = _selected(trace, array, head)
    notes = st.container()
    other, changed = flipped(setup, state.get("compare"))
    data = stage_data(
        trace,
        array,
        selected if name == array else _carried(trace, array, name, selected, head),
        selected=cell_id(name, selected),
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
        inspector(explain(trace, name, selected))
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


def _selected(trace: Trace, array: str, head: int) -> tuple[str, Cell]:
    """The cell that is selected: the one chosen, or the step's at the place of the one before.

    A cell of a link that is not there is said, and another one selected.
    """
    state = st.session_state
    found = parse_cell(state.cell)
    if found and not _inside(trace, *found):
        if state.cell == st.session_state.linked_cell:
            state.messages.append(f"There is no cell {state.cell!r} here: another one is selected.")
        found, state.cell = None, ""
    if not found:
        before = state.get("before_cell")
        source: tuple[str, Cell] = (
            before if before and _inside(trace, *before) else ("scores", _opening(trace))
        )
        found = array, _carried(trace, array, *source, head)
    state.before_cell = found
    return found


def _inside(trace: Trace, array: str, cell: Cell) -> bool:
    if array not in trace or len(cell) != trace[array].ndim:
        return False
    return all(at < size for at, size in zip(cell, trace[array].shape, strict=True))


def _opening(trace: Trace) -> Cell:
    """Where an untouched page looks: a pair of neighbours in the middle of a head."""
    row = min(2, trace["scores"].shape[1] - 1)
    return (0, row, max(row - 1, 0))


def _carried(trace: Trace, array: str, source: str, cell: Cell, head: int) -> Cell:
    """The cell of another array at the same query, key and feature, of the head on show."""
    kept = dict(zip(trace.program.axes[source], cell, strict=True))
    kept.setdefault("j", kept.get("i", 0))
    kept.setdefault("i", kept["j"])
    sizes = trace.program.sizes
    kept |= {letter: head * sizes[letter] // sizes["h"] for letter in "hg"}
    letters = zip(trace.program.axes[array], trace[array].shape, strict=True)
    return tuple(min(kept.get(letter, 0), size - 1) for letter, size in letters)


def _badge(trace: Trace) -> str:
    names = [n for n in trace.pinned if n != "mask"]
    return f"starts from given {', '.join(sorted(names))}" if names else ""


def _handle(setup: Setup, kind: str, value: Mapping[str, Any]) -> None:
    """Do what a person did on the stage."""
    state = st.session_state
    if kind == "go":
        state.step, state.cell = value["step"], value["cell"]
    elif kind == "edit":
        edit_cell(setup, value["cell"], value["text"])
    elif kind == "paint":
        paint_cells(setup, value["cells"], bool(value["visible"]))
