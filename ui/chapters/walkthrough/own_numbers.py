"""Numbers that a person has: pasted, from a file, or typed into a table; all of them or none.

What was understood is shown before it is used: each matrix with its size, and what stands for one
that is missing. What cannot be used is explained above the box, and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from core.attention.given.head_counts import possible_heads
from core.attention.given.matrix_set import HIDDEN, VISIBLE, GivenSetup, setup_with
from core.attention.given.starting_points import PINNABLE
from core.attention.layers.biases import BIASES
from core.attention.setups import EDITABLE, Setup
from core.errors import InputError, input_error
from core.files.text import ParsedText
from core.files.uploads import FILE_ENDINGS, file_layers
from core.limits import MAX_HEADS
from core.program.labels import axis_labels
from ui.chapters.walkthrough.editing import keep_edits
from ui.chapters.walkthrough.examples import leave_example
from ui.chapters.walkthrough.given_numbers import (
    MATRIX_PLACES,
    hides_where_true,
    list_understood,
    named_arrays,
    ones_key,
    pasted_numbers,
    taken_setup,
    unplaced_name,
    uploaded_numbers,
)
from ui.chapters.walkthrough.view import current_setup
from ui.links.session import PERSIST, set_if_changed
from ui.page_texts import chart_texts, page_texts
from ui.server.uploads import SMALL_FILE, file_in
from ui.text import escape_markdown

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
PASTE, FILE, TABLE = TEXTS("paste"), TEXTS("file"), TEXTS("table")
FILE_TYPES = list(FILE_ENDINGS)
ONE_MEANS = {VISIBLE: TEXTS("one_visible"), HIDDEN: TEXTS("one_hidden")}
EXAMPLE = "X = [[1, 0, 2], [0, 1, 1]]\nW_Q = [[1, 0], [0, 1], [1, 1]]\n…"


def own_numbers(setup: Setup, head: int) -> None:
    """Draw the panel: paste, file or table."""
    if st.session_state.cover:
        st.info(TEXTS("covered"))
        return
    ways: dict[str, Any] = {"default": PASTE, "required": True, "label_visibility": "collapsed"}
    how = st.segmented_control(TEXTS("how"), [PASTE, FILE, TABLE], key="edit_how", **ways)
    if how == TABLE:
        messages = st.container()
        name = _place(TEXTS("matrix"), _in_tables(setup))
        try:
            _table(setup, name, head)
        except InputError as error:
            messages.error(escape_markdown(f"{error}."))
    else:
        with st.container(key="edit_columns"):  # on a phone what was understood comes first
            box, understood = st.columns(2)
        read = pasted_numbers if how == PASTE else uploaded_numbers
        with box:
            is_given = _paste() if how == PASTE else _file()
            label, off = TEXTS("use_given"), how == FILE and not is_given
            use = partial(_use, read, head)
            pressed = st.button(label, key="edit_take", on_click=use, disabled=off)
        if is_given or pressed:
            with understood:
                _review(setup, read, head)
    if setup.settings["mask"] == "custom":
        st.button(TEXTS("invert_mask"), key="edit_invert", on_click=_invert)
    st.caption(TEXTS("edit_note"))


def _in_tables(setup: Setup) -> list[str]:
    """The matrices of a run whose numbers can be typed into a table."""
    names = [name for name in (*EDITABLE, *BIASES, "bias", "weights") if name in setup.trace]
    names = [n for n in names if n not in setup.trace.steps or n in PINNABLE]
    return [*names, "mask"] if setup.settings["mask"] == "custom" else names


def _invert() -> None:
    """Swap what the drawn mask shows and what it hides."""
    setup, _ = current_setup()
    keep_edits(setup.edited({"mask": ~setup.trace["mask"]}))


def _place(label: str, names: Sequence[str], is_asked: bool = False) -> str:
    """Ask which matrix is meant; with `is_asked` nothing is until somebody says so."""
    if is_asked:
        st.selectbox(label, names, index=None, key="edit_named", **PERSIST)
        return str(st.session_state.get("edit_named") or "")
    if st.session_state.get("edit_name") not in names:
        st.session_state.edit_name = names[0]
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
    st.file_uploader(TEXTS("upload"), FILE_TYPES, key="edit_file", max_upload_size=SMALL_FILE)
    try:
        upload = file_in("edit_file")
        if upload is None:
            return False
        layers = file_layers(upload.name, upload.getvalue())
    except InputError:  # the review says why
        return True
    if len(layers) > 1:
        st.selectbox(TEXTS("layer"), layers, key="edit_layer")
    return True


def _use(read: Callable[[], ParsedText], head: int) -> None:
    """Take the matrices; where that is not possible, the panel says why when it is drawn."""
    setup, _ = current_setup()
    try:
        _apply(setup, taken_setup(setup, read(), head))
    except InputError:
        return


def _review(setup: Setup, read: Callable[[], ParsedText], head: int) -> None:
    """Show what was understood: each matrix, its size, and what stands for a missing one.

    What cannot be used is explained in its place.
    """
    table = st.container()  # above the choices, which decide what is in it
    try:
        given = read()
        if (strange := unplaced_name(given)) is not None:
            label = TEXTS("named_is", name=escape_markdown(strange)) if strange else None
            _place(label or TEXTS("without_name"), MATRIX_PLACES, is_asked=bool(strange))
        named = named_arrays(given)
        if len(named) > 1 and any(array.ndim == 2 for array in named.values()):
            _suggest_heads(named)
            st.number_input(TEXTS("joined_heads"), 1, MAX_HEADS, key="edit_heads", width=260)
        if "mask" in named and np.isin(named["mask"], (0, 1)).all():
            _what_one_means(given, named["mask"])
        with table:
            list_understood(named, taken_setup(setup, given, head), given)
    except InputError as error:
        table.error(escape_markdown(f"{error}."))


def _suggest_heads(named: Mapping[str, np.ndarray]) -> None:
    """Begin with the only number of heads that the shapes allow, if there is only one."""
    try:
        possible = {count.heads for count in possible_heads({n: a.shape for n, a in named.items()})}
    except InputError:  # the review says what does not fit
        return
    if "edit_heads" not in st.session_state and len(possible) == 1:
        st.session_state.edit_heads = possible.pop()


def _what_one_means(given: ParsedText, mask: np.ndarray) -> None:
    """Ask what 1 and True mean in a mask, where that is not the usual thing."""
    key = ones_key(mask)
    if key not in st.session_state and any(map(hides_where_true, given.matrices)):
        st.session_state[key] = HIDDEN
    st.segmented_control(
        TEXTS("one_means"), list(ONE_MEANS), format_func=ONE_MEANS.__getitem__, key=key
    )
    st.caption(TEXTS("one_in_libraries"))


def _table(setup: Setup, name: str, head: int) -> None:
    trace = setup.trace
    array = trace[name]
    own = (head * len(array) // trace.program.sizes["h"],) if array.ndim == 3 else ()
    matrix = np.atleast_2d(array[own])
    *rows_of, columns = axis_labels(trace, name)
    labels = rows_of[-1] if array.ndim > 1 else [name]
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
        whole = np.array(array)
        whole[own] = values.astype(array.dtype).reshape(whole[own].shape)
        keep_edits(setup_with(setup, {name: whole}, head, one_means=VISIBLE).setup)
        st.rerun()


def _apply(setup: Setup, taken: GivenSetup) -> None:
    """Make a setup the current one, with its sizes; an example that it is not is left."""
    now = taken.setup
    has_left = bool(setup.preset and not now.preset)
    if has_left:
        leave_example(is_own=not taken.drawn)
    if not now.preset:
        set_if_changed(heads=now.heads, kv_heads=now.kv_heads, d_model=now.d_model)
    if now.mask:
        set_if_changed(mask=now.mask)
    if now.text:
        set_if_changed(text=now.text)
    keep_edits(now)
    if has_left:  # the way back is the one to the example
        st.session_state.undo = []
