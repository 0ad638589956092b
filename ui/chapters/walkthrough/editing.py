"""Edits: numbers typed into cells of the stage, a painted mask; undo and reset."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from core.attention.masks import LOWER_RIGHT
from core.attention.setups import EDITABLE, Setup
from core.errors import InputError, input_error
from core.files.text import parse_matrix
from core.program.labels import cell_name
from core.program.patterns import Cell
from stage.document.places import is_inside
from ui.links.links import parse_cell
from ui.page_texts import chart_texts, page_texts

MOST_UNDO = 50
"""The most changes that can be undone; each may hold a matrix of 64 × 64 for every head."""
TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")


def take_back() -> None:
    """Draw the two buttons that take edits back, while there are any."""
    state = st.session_state
    if state.undo:
        st.button(TEXTS("undo"), on_click=undo, key="undo_edit")
    if state.edits:
        st.button(TEXTS("reset"), on_click=reset, key="reset_edits")


def keep_edits(setup: Setup) -> None:
    """Make a setup's edits the current ones; the change can be undone.

    If they first make fewer queries than keys, the queries are taken as the last tokens.
    Edits that wait until they fit go on waiting.
    """
    state = st.session_state
    if setup.has_corner and not state.good.has_corner:
        state.corner = LOWER_RIGHT  # fewer queries than keys: the earlier ones are cached
    waiting = {name: a for name, a in state.edits.items() if name not in state.good.edits}
    _put_edits({**setup.edits, **{n: a for n, a in waiting.items() if n not in setup.edits}})


def undo() -> None:
    state = st.session_state
    if state.undo:
        *earlier, edits = state.undo
        state.undo, state.edits = earlier, edits


def reset() -> None:
    _put_edits({})


def _put_edits(edits: Mapping[str, np.ndarray]) -> None:
    state = st.session_state
    state.undo = [*state.undo, state.edits][-MOST_UNDO:]
    state.edits = edits


def edit_cell(setup: Setup, cell: str, text: str) -> None:
    """Take a number typed into a cell of the stage; a message says why if it cannot be used."""
    state = st.session_state
    found = parse_cell(cell)
    if not found or found[0] not in EDITABLE:
        return
    name, at = found
    array = np.array(setup.trace[name])
    if not is_inside(setup.trace, name, at):
        return
    try:
        number = parse_matrix(text)
        if number.size != 1:
            raise input_error(PLAIN, "no_number", text=repr(text[:20]))
        array[at] = number.item()
        keep_edits(setup.edited({name: array}))
    except InputError as error:
        state.refused = PLAIN("refused", cell=cell_name(setup.trace, name, at), error=str(error))


def paint_cells(setup: Setup, cells: list[str], visible: bool) -> None:
    """Set cells of the custom mask."""
    if setup.settings["mask"] != "custom":
        return
    mask = np.array(setup.trace["mask"])
    for cell in _mask_cells(cells, mask.shape):
        mask[cell] = visible
    keep_edits(setup.edited({"mask": mask}))


def _mask_cells(cells: list[str], shape: Cell) -> list[Cell]:
    found = [parsed[1] for parsed in map(parse_cell, cells) if parsed and parsed[0] == "mask"]
    return [c for c in found if len(c) == len(shape) and all(map(int.__lt__, c, shape))]
