"""Editing matrices: a table to type into, a box to paste into, a file; undo and reset.

An edit that cannot be used is explained beside the box and changes nothing.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from core.attention.masks import LOWER_RIGHT
from core.attention.setups import EDITABLE, PINNABLE, Setup
from core.errors import InputError
from core.files.text import parse_matrix
from core.files.uploads import read_matrix_file
from core.program.labels import axis_labels, cell_name
from core.program.patterns import Cell
from stage.places import is_inside
from ui.links import parse_cell
from ui.text import escape_markdown
from ui.uploads import file_in
from ui.walkthrough.examples import leave_example

MOST_UNDO = 50
"""How many changes can be taken back; each may hold a matrix of 64 × 64 for every head."""
TABLE, PASTE, FILE = "type into a table", "paste", "upload a file"
INPUTS = tuple(n for n in EDITABLE if n not in PINNABLE)
GIVEN = {f"pinned.{name}": name for name in PINNABLE}
"""Results that a downloaded run started from, by their names in its file."""
FILE_TYPES = ["csv", "tsv", "txt", "json", "npy", "npz"]


def take_back() -> None:
    """The two buttons that take edits back, while there are any."""
    state = st.session_state
    if state.undo:
        st.button("Undo", on_click=undo, key="undo_edit")
    if state.edits:
        st.button("Reset", on_click=reset, key="reset_edits")


def own_numbers(setup: Setup, head: int) -> None:
    """Fields for a whole matrix of one's own: typed, pasted or from a file."""
    if st.session_state.cover:
        st.info("Something is covered: a table of numbers would give it away. Cover nothing first.")
        return
    names = [*EDITABLE, *(["mask"] if setup.settings["mask"] == "custom" else [])]
    name = st.selectbox("Matrix", names, key="edit_name")
    how = st.segmented_control(
        "How", [TABLE, PASTE, FILE], default=TABLE, key="edit_how", required=True
    )
    st.caption(
        "X and the matrices W are inputs. Q, K, V and scores are results: one that is given is "
        "taken as it is, and what it would be made of no longer changes it. Of several heads, the "
        "one on show is edited; a file may hold the matrices of all."
    )
    try:
        _editor(setup, name, how, head)
    except InputError as error:
        st.error(escape_markdown(f"{error}."))


def keep_edits(setup: Setup) -> None:
    """Make a setup's edits the current ones; what was before can be undone.

    Where they first make fewer queries than keys, the queries are taken as the last tokens.
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
    """Take a number typed into a cell of the stage; a message says why where it cannot be."""
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
            raise InputError(f"{text[:20]!r} is no number", "a cell takes one", "type it alone")
        array[at] = number.item()
        keep_edits(setup.edited({name: array}))
    except InputError as error:
        state.refused = f"{cell_name(setup.trace, name, at)} stays as it was. {error}."


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
            "Numbers", key="edit_text", height=160, persist_state="session",
            placeholder="1, 0.5, -2\n0, 1, 3\n\nCSV, tabs, Python, NumPy, PyTorch or MATLAB",
        )  # fmt: skip
        if st.button("Use these numbers", key="edit_paste"):
            _apply(setup, {name: parse_matrix(text)}, head)
    else:
        st.file_uploader("File", FILE_TYPES, key="edit_file")
        upload = file_in("edit_file")
        if upload is not None and st.button("Use this file", key="edit_load"):
            wanted = (*INPUTS, *GIVEN, "mask")
            arrays = read_matrix_file(upload.name, upload.getvalue(), wanted=wanted)
            _apply(setup, matrices_by_name(arrays, name, setup.settings["mask"] == "custom"), head)


def matrices_by_name(
    arrays: Mapping[str, np.ndarray], chosen: str, painted: bool
) -> dict[str, np.ndarray]:
    """Which array each matrix of a file is for; a nameless one is for the chosen one.

    The mask of a file counts where the mask is drawn; results count where nothing makes them.
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
            f"The file holds {', '.join(ignored or arrays)}",
            f"it may hold {', '.join(INPUTS)}, or results alone ({', '.join(PINNABLE)})",
            "rename or leave out the others",
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
    if st.button("Use this table", key="edit_use"):
        values = np.array([[row[c] for c in numbered] for row in changed], dtype=object)
        if any(value is None for value in values.ravel()):
            raise InputError("A cell is empty", "every cell needs a number", "fill it")
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
        raise InputError("The mask holds other numbers", "a cell is 0 or 1", "write 1 for visible")
    if mask.shape != shape:
        sizes = [" × ".join(map(str, s)) for s in (mask.shape, shape)]
        raise InputError(f"The mask is {sizes[0]}", f"here it is {sizes[1]}", "give it that size")
