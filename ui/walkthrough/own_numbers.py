"""Numbers that a person has: pasted, from a file, or typed into a table; all of them or none.

What was understood is shown before it is used: each matrix with its size, and what stands for one
that is missing. What cannot be used is explained above the box, and changes nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from core.attention.matrix_set import GivenSetup, setup_of_matrices
from core.attention.model_names import by_our_names, our_name
from core.attention.setups import EDITABLE, PINNABLE, Setup
from core.attention.tokens import tokenise
from core.errors import InputError, input_error
from core.files.dialects.written import Parsed
from core.files.text import parse_matrices
from core.files.uploads import read_matrix_file
from core.limits import MAX_HEADS
from core.program.display import shape_text
from core.program.labels import axis_labels
from core.program.patterns import Cell
from ui.page_texts import chart_texts, page_texts
from ui.prose import say
from ui.session import PERSIST, set_if_changed
from ui.text import escape_markdown, markdown_table
from ui.uploads import file_in
from ui.walkthrough.editing import keep_edits
from ui.walkthrough.examples import leave_example
from ui.walkthrough.view import current_setup

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
PASTE, FILE, TABLE = TEXTS("paste"), TEXTS("file"), TEXTS("table")
INPUTS = tuple(n for n in EDITABLE if n not in PINNABLE)
GIVEN = {f"pinned.{name}": name for name in PINNABLE}
"""Results that a downloaded run started from, by their names in its file."""
FILE_TYPES = ["csv", "tsv", "txt", "json", "npy", "npz"]
EXAMPLE = "X = [[1, 0, 2], [0, 1, 1]]\nW_Q = [[1, 0], [0, 1], [1, 1]]\n…"

Given = Mapping[str, Parsed]
"""Matrices by the names that somebody gave them; "" for one without a name."""


def own_numbers(setup: Setup, head: int) -> None:
    """Draw the panel: paste, file or table."""
    if st.session_state.cover:
        st.info(TEXTS("covered"))
        return
    how = st.segmented_control(
        TEXTS("how"),
        [PASTE, FILE, TABLE],
        default=PASTE,
        key="edit_how",
        required=True,
        label_visibility="collapsed",
    )
    if how == TABLE:
        messages = st.container()
        name = _place(setup, TEXTS("matrix"))
        try:
            _table(setup, name, head)
        except InputError as error:
            messages.error(escape_markdown(f"{error}."))
    else:
        box, understood = st.columns(2)
        read = _pasted_matrices if how == PASTE else _uploaded_matrices
        with box:
            is_given = _paste() if how == PASTE else _file()
            pressed = st.button(
                TEXTS("use_given"),
                key="edit_take",
                on_click=_use,
                args=(read, head),
                disabled=how == FILE and not is_given,
            )
        if is_given or pressed:
            with understood:
                _review(setup, read, head)
    st.caption(TEXTS("edit_note"))


def _place(setup: Setup, label: str) -> str:
    """Ask which matrix is meant."""
    names = [*EDITABLE, *(["mask"] if setup.settings["mask"] == "custom" else [])]
    name: str = st.selectbox(label, names, key="edit_name", **PERSIST)
    return name


def _paste() -> bool:
    text = st.text_area(
        TEXTS("pasted"),
        key="edit_text",
        height=180,
        persist_state="session",
        placeholder=f"{EXAMPLE}\n\n{TEXTS('formats')}",
    )
    return bool(text.strip())


def _file() -> bool:
    st.file_uploader(TEXTS("upload"), FILE_TYPES, key="edit_file")
    return st.session_state.get("edit_file") is not None


def _pasted_matrices() -> Given:
    return parse_matrices(st.session_state.edit_text)


def _uploaded_matrices() -> Given:
    upload = file_in("edit_file")
    assert upload is not None
    wanted = (*INPUTS, *GIVEN, "mask")
    arrays = read_matrix_file(upload.name, upload.getvalue(), wanted=wanted)
    return {name: Parsed(array, name) for name, array in arrays.items()}


def _use(read: Callable[[], Given], head: int) -> None:
    """Take the matrices; where that is not possible, the panel says why when it is drawn."""
    setup, _ = current_setup()
    try:
        _apply(setup, _taken(setup, read(), head))
    except InputError:
        return


def _review(setup: Setup, read: Callable[[], Given], head: int) -> None:
    """Show what was understood: each matrix, its size, and what stands for a missing one.

    What cannot be used is explained in its place.
    """
    table = st.container()  # above the number of heads, which decides what is in it
    try:
        given = read()
        if not any(map(_is_ours, map(our_name, given))):
            _place(setup, TEXTS("without_name"))
        if len(given) > 1 and any(parsed.array.ndim == 2 for parsed in given.values()):
            st.number_input(TEXTS("joined_heads"), 1, MAX_HEADS, key="edit_heads", width=260)
        taken = _taken(setup, given, head)
        with table:
            _list(given, taken)
    except InputError as error:
        table.error(escape_markdown(f"{error}."))


def _list(given: Given, taken: GivenSetup) -> None:
    """Draw a table of the matrices that were given and of those that stand for missing ones."""
    trace = taken.setup.trace
    named = matrices_by_name(by_our_names(_arrays(given)), _chosen(), painted=True)
    rows = [[name, shape_text(array.shape), PLAIN("as_given")] for name, array in named.items()]
    if taken.identity:
        rows.append(["W_O", shape_text(trace["W_O"].shape), PLAIN("identity")])
    rows += [[name, shape_text(trace[name].shape), PLAIN("random_weights")] for name in taken.drawn]
    header = [PLAIN("matrix"), PLAIN("size"), PLAIN("source")]
    say(markdown_table(header, rows, _in_one_line))


def _in_one_line(text: str) -> str:
    """A text in a cell, whose size is not broken; all of them are ours."""
    return text.replace(" × ", "\u00a0×\u00a0")


def _chosen() -> str:
    """The matrix that one without a name is."""
    return str(st.session_state.get("edit_name") or EDITABLE[0])


def _is_ours(name: str) -> bool:
    return name in (*EDITABLE, *GIVEN, "mask")


def _arrays(given: Given) -> dict[str, np.ndarray]:
    return {name: parsed.array for name, parsed in given.items()}


def _taken(setup: Setup, given: Given, head: int) -> GivenSetup:
    """The setup with these matrices. Raises `InputError` where they do not fit, all of them then.

    One matrix takes its place among the others if it fits there; several are a set of their own,
    whose sizes decide.
    """
    state = st.session_state
    arrays = matrices_by_name(by_our_names(_arrays(given)), _chosen(), painted=True)
    if "mask" in arrays:
        arrays["mask"] = _mask(arrays["mask"])
    joined = state.get("edit_heads") or 1
    words = _words(given)
    before = replace(setup, text=words) if words else setup
    if len(arrays) > 1:
        return setup_of_matrices(before, arrays, joined)
    try:
        return GivenSetup(_with_or_without_example(before, arrays, head), False, ())
    except InputError as unfit:
        try:
            return setup_of_matrices(before, {**setup.edits, **arrays}, joined)
        except InputError:
            raise unfit from None


def _words(given: Given) -> str:
    """The labels of the rows of X, or of the queries, as a sentence; "" if they are no tokens."""
    for name, parsed in given.items():
        words = " ".join(parsed.rows)
        if (
            (our_name(name) or _chosen()) in ("X", "Q")
            and words
            and tokenise(words) == list(parsed.rows)
        ):
            return words
    return ""


def matrices_by_name(
    arrays: Mapping[str, np.ndarray], chosen: str, painted: bool
) -> dict[str, np.ndarray]:
    """Return which array each matrix is for; one without a name is for the chosen one.

    A mask counts if it is `painted`; results count if there are no inputs.
    """
    if len(arrays) == 1 and not any(map(_is_ours, arrays)):
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
            PLAIN("file_holds", names=", ".join(n or PLAIN("no_name") for n in ignored or arrays)),
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
    numbered = [
        f"{n + 1} {label}" if label != str(n + 1) else label for n, label in enumerate(columns)
    ]
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
        given = {name: values.astype(matrix.dtype)}
        if name == "mask":
            check_mask(given[name], trace["mask"].shape)
        keep_edits(_with_or_without_example(setup, given, head))
        st.rerun()


def _apply(setup: Setup, taken: GivenSetup) -> None:
    """Make a setup the current one, with its sizes; an example that it is not is left."""
    now = taken.setup
    if setup.preset and not now.preset:
        leave_example()
    if not now.preset:
        set_if_changed(heads=now.heads, kv_heads=now.kv_heads, d_model=now.d_model)
        if now.mask:
            set_if_changed(mask=now.mask)
    if now.text:
        set_if_changed(text=now.text)
    keep_edits(now)


def _with_or_without_example(setup: Setup, given: Mapping[str, np.ndarray], head: int) -> Setup:
    """The setup with these arrays; without its example, where that has no matrices for them."""
    try:
        return setup.edited(given, head)
    except InputError:
        if not setup.preset:
            raise
        return setup.left().edited(given, head)


def _mask(mask: np.ndarray) -> np.ndarray:
    check_mask(mask, mask.shape)
    return mask.astype(bool)


def check_mask(mask: np.ndarray, shape: Cell) -> None:
    """Raise `InputError` unless a mask has this shape and says of each pair 0 or 1."""
    if not np.isin(mask, (0, 1)).all():
        raise input_error(PLAIN, "mask_numbers")
    if mask.shape != shape:
        sizes = [shape_text(one) for one in (mask.shape, shape)]
        raise InputError(
            PLAIN("mask_size", size=sizes[0]),
            PLAIN("mask_size_limit", size=sizes[1]),
            PLAIN("mask_size_remedy"),
        )
