"""Editing matrices: a table to type into, a box to paste into, a file; undo and reset.

An edit that cannot be used is explained beside the box and changes nothing.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from core.attention.masks import LOWER_RIGHT
from core.attention.setups import EDITABLE, PINNABLE, Setup
from core.errors import InputError, input_error
from core.files.text import parse_matrix
from core.files.uploads import read_matrix_file
from core.program.labels import axis_labels, cell_name
from core.program.patterns import Cell
from stage.places import is_inside
from ui.links import parse_cell
from ui.page_texts import chart_texts, page_texts
from ui.text import escape_markdown
from ui.uploads import file_in
from ui.walkthrough.examples import leave_example

MOST_UNDO = 50
"""The most changes that can be undone; each may hold a matrix of 64 × 64 for every head."""
TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
TABLE, PASTE, FILE = TEXTS("table"), TEXTS("paste"), TEXTS("file")
INPUTS = tuple(n for n in EDITABLE if n not in PINNABLE)
GIVEN = {f"pinned.{name}": name for name in PINNABLE}
"""Results that a downloaded run started from, by their names in its file."""
FILE_TYPES = ["csv", "tsv", "txt", "json", "npy", "npz"]


def take_back() -> None:
    """Draw the two buttons that take edits back, while there are any."""
    state = st.session_state
    if state.undo:
        st.button(TEXTS("undo"), on_click=undo, key="undo_edit")
    if state.edits:
        st.button(TEXTS("reset"), on_click=reset, key="reset_edits")


def own_numbers(setup: Setup, head: int) -> None:
    """Draw fields for a whole matrix: typed, pasted or from a file."""
    if st.session_state.cover:
        st.info(TEXTS("covered"))
        return
    names = [*EDITABLE, *(["mask"] if setup.settings["mask"] == "custom" else [])]
    name = st.selectbox(TEXTS("matrix"), names, key="edit_name")
    how = st.segmented_control(
        TEXTS("how"), [TABLE, PASTE, FILE], default=TABLE, key="edit_how", required=True
    )
    st.caption(TEXTS("edit_note"))
    try:
        _editor(setup, name, how, head)
    except InputError as error:
        st.error(escape_markdown(f"{error}."))


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
    return [c for c in found if len(c) == 2 and c[0] < shape[0] and c[1] < shape[1]]


def _editor(setup: Setup, name: str, how: str, head: int) -> None:
    if how == TABLE:
        _table(setup, name, head)
    elif how == PASTE:
        text = st.text_area(
            TEXTS("pasted"), key="edit_text", height=160, persist_state="session",
            placeholder=f"1, 0.5, -2\n0, 1, 3\n\n{TEXTS('formats')}",
        )  # fmt: skip
        if st.button(TEXTS("use_pasted"), key="edit_paste"):
            _apply(setup, {name: parse_matrix(text)}, head)
    else:
        st.file_uploader(TEXTS("upload"), FILE_TYPES, key="edit_file")
        upload = file_in("edit_file")
        if upload is not None and st.button(TEXTS("use_upload"), key="edit_load"):
            wanted = (*INPUTS, *GIVEN, "mask")
            arrays = read_matrix_file(upload.name, upload.getvalue(), wanted=wanted)
            _apply(setup, matrices_by_name(arrays, name, setup.settings["mask"] == "custom"), head)


def matrices_by_name(
    arrays: Mapping[str, np.ndarray], chosen: str, painted: bool
) -> dict[str, np.ndarray]:
    """Return which array each matrix of a file is for; one without a name is for the chosen one.

    The mask of a file counts if the mask is drawn; results count if the file has no inputs.
    """
    if len(arrays) == 1 and not set(arrays) & set(EDITABLE):
        return {chosen: next(iter(arrays.values()))}
    known = {GIVEN.get(n, n): a for n, a in arrays.items()}
    inputs = any(name in INPUTS for name in known)
    used = {
        name: array
        for name, array in known.items()
        if name in INPUTS
        or (name in PINNABLE and (not inputs or name not in arrays))
        or (name == "mask" and painted)
    }
    ignored = [n for n in arrays if GIVEN.get(n, n) not in used and n != "mask"]
    if ignored or not used:
        raise InputError(
            PLAIN("file_holds", names=", ".join(ignored or arrays)),
            PLAIN("file_may_hold", inputs=", ".join(INPUTS), results=", ".join(PINNABLE)),
            PLAIN("file_remedy"),
        )
    return used


def _table(setup: Setup, name: str, head: int) -> None:
    trace = setup.trace
    array = trace[name]
    own = head * len(array) // trace.program.sizes["h"] if array.ndim == 3 else 0
    matrix = array[own] if array.ndim == 3 else array
    labels, columns = axis_labels(trace, name)[-2:]
    numbered = [f"{n + 1} {label}" if label != str(n + 1) else label
                for n, label in enumerate(columns)]  # fmt: skip
    rows = [
        {"": label, **dict(zip(numbered, row, strict=True))}
        for label, row in zip(labels, matrix.tolist(), strict=True)
    ]
    changed: list[dict[str, Any]] = st.data_editor(
        rows, key=f"edit_table_{name}_{own}_{matrix.shape}", hide_index=True, disabled=[""]
    )
    if st.button(TEXTS("use_table"), key="edit_use"):
        values = np.array([[row[c] for c in numbered] for row in changed], dtype=object)
        if any(value is None for value in values.ravel()):
            raise input_error(PLAIN, "empty_cell")
        _apply(setup, {name: values.astype(matrix.dtype)}, head)


def _apply(setup: Setup, arrays: Mapping[str, np.ndarray], head: int) -> None:
    if "mask" in arrays:
        check_mask(arrays["mask"], setup.trace["mask"].shape)
    given = {n: a.astype(bool) if n == "mask" else a for n, a in arrays.items()}
    keep_edits(_with_or_without_example(setup, given, head))
    st.rerun()


def _with_or_without_example(setup: Setup, given: Mapping[str, np.ndarray], head: int) -> Setup:
    """The setup with these arrays; an example that has no matrices for them is left."""
    try:
        return setup.edited(given, head)
    except InputError:
        if not setup.preset:
            raise
        edited = setup.left().edited(given, head)
        leave_example()
        return edited


def check_mask(mask: np.ndarray, shape: Cell) -> None:
    if not np.isin(mask, (0, 1)).all():
        raise input_error(PLAIN, "mask_numbers")
    if mask.shape != shape:
        sizes = [" × ".join(map(str, s)) for s in (mask.shape, shape)]
        raise InputError(
            PLAIN("mask_size", size=sizes[0]), PLAIN("mask_size_limit", size=sizes[1]),
            PLAIN("mask_size_remedy"),
        )  # fmt: skip
