"""Numbers that a person has: pasted, from a file, or typed into a table; all of them or none.

What was understood is shown before it is used: each matrix with its size, and what stands for one
that is missing. What cannot be used is explained above the box, and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np
import streamlit as st

from core.attention.biases import BIASES
from core.attention.head_counts import possible_heads
from core.attention.matrix_set import HIDDEN, PINNED, VISIBLE, GivenSetup, setup_with
from core.attention.model_names import RESULTS, by_our_names, our_name
from core.attention.setups import EDITABLE, GIVABLE, OF_PAIRS, Setup
from core.attention.starts import PINNABLE, TOKEN_LISTS
from core.attention.tokens import tokenise
from core.errors import InputError, input_error
from core.files.dialects.written import Parsed
from core.files.text import ParsedText, parse_text
from core.files.uploads import FILE_ENDINGS, file_layers, read_matrix_file, text_of_file
from core.limits import MAX_HEADS
from core.program.display import shape_text
from core.program.labels import axis_labels
from ui.page_texts import chart_texts, page_texts
from ui.prose import say
from ui.session import PERSIST, set_if_changed
from ui.text import escape_markdown, markdown_table, token_text
from ui.uploads import file_in
from ui.walkthrough.editing import keep_edits
from ui.walkthrough.examples import leave_example
from ui.walkthrough.view import current_setup

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
PASTE, FILE, TABLE = TEXTS("paste"), TEXTS("file"), TEXTS("table")
PLACES = tuple(name for name in GIVABLE if name not in TOKEN_LISTS)
"""What a matrix without a name may be."""
READ = (*PLACES, *(f"{PINNED}{name}" for name in PINNABLE))
"""Matrices that are read; results that a run started from have names of their own."""
READ_OF_FILES = (*READ, *TOKEN_LISTS, "keys_tokens")
FILE_TYPES = list(FILE_ENDINGS)
ONE_MEANS = {VISIBLE: TEXTS("one_visible"), HIDDEN: TEXTS("one_hidden")}
FEW = 8
"""So many tokens are listed."""
EXAMPLE = "X = [[1, 0, 2], [0, 1, 1]]\nW_Q = [[1, 0], [0, 1], [1, 1]]\n…"


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
        name = _place(TEXTS("matrix"), _in_tables(setup))
        try:
            _table(setup, name, head)
        except InputError as error:
            messages.error(escape_markdown(f"{error}."))
    else:
        with st.container(key="edit_columns"):  # on a phone what was understood comes first
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
    st.file_uploader(TEXTS("upload"), FILE_TYPES, key="edit_file")
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


def _pasted_matrices() -> ParsedText:
    return parse_text(st.session_state.edit_text, is_bounded=_is_bounded)


def _is_bounded(name: str) -> bool:
    """Whether a matrix of this name has finite numbers; a mask may have −∞."""
    return (our_name(name) if name else _chosen()) not in OF_PAIRS


def _uploaded_matrices() -> ParsedText:
    upload = file_in("edit_file")
    assert upload is not None
    name, data = upload.name, upload.getvalue()
    text = text_of_file(name, data)
    if text is not None:
        return _named_by_file(parse_text(text, is_bounded=_is_bounded), name)
    layer = st.session_state.get("edit_layer")
    layer = layer if layer in file_layers(name, data) else None
    arrays = read_matrix_file(name, data, wanted=READ_OF_FILES, layer=layer)
    lists = {
        name: tuple(array.tolist()) for name, array in arrays.items() if array.dtype.kind == "U"
    }
    matrices = {name: Parsed(a, name) for name, a in arrays.items() if name not in lists}
    return _named_by_file(ParsedText(matrices, lists), upload.name)


def _named_by_file(given: ParsedText, file: str) -> ParsedText:
    """The matrices of a file: the only one, if it has no name, has the file's."""
    stem = file.rpartition(".")[0]
    if list(given.matrices) != [""] or not _is_ours(our_name(stem)):
        return given
    return given._replace(matrices={stem: given.matrices[""]})


def _use(read: Callable[[], ParsedText], head: int) -> None:
    """Take the matrices; where that is not possible, the panel says why when it is drawn."""
    setup, _ = current_setup()
    try:
        _apply(setup, _taken(setup, read(), head))
    except InputError:
        return


def _review(setup: Setup, read: Callable[[], ParsedText], head: int) -> None:
    """Show what was understood: each matrix, its size, and what stands for a missing one.

    What cannot be used is explained in its place.
    """
    table = st.container()  # above the choices, which decide what is in it
    try:
        given = read()
        if (strange := _without_place(given)) is not None:
            label = TEXTS("named_is", name=escape_markdown(strange)) if strange else None
            _place(label or TEXTS("without_name"), PLACES, is_asked=bool(strange))
        named = _by_name(given)
        if len(named) > 1 and any(array.ndim == 2 for array in named.values()):
            _suggest_heads(named)
            st.number_input(TEXTS("joined_heads"), 1, MAX_HEADS, key="edit_heads", width=260)
        if "mask" in named and np.isin(named["mask"], (0, 1)).all():
            _what_one_means(given, named["mask"])
        with table:
            _list(named, _taken(setup, given, head), given)
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
    key = _ones_key(mask)
    if key not in st.session_state and any(map(_hides_where_true, given.matrices)):
        st.session_state[key] = HIDDEN
    st.segmented_control(
        TEXTS("one_means"), list(ONE_MEANS), format_func=ONE_MEANS.__getitem__, key=key
    )
    st.caption(TEXTS("one_in_libraries"))


def _ones_key(mask: np.ndarray) -> str:
    """The key of what is said of one mask: another mask is asked about anew."""
    return f"edit_ones_{blake2b(mask.tobytes(), digest_size=6).hexdigest()}"


def _hides_where_true(name: str) -> bool:
    """Whether a mask of this name hides where it is True, as in PyTorch's `MultiheadAttention`."""
    return name.lower().endswith("key_padding_mask")


def _list(named: Mapping[str, np.ndarray], taken: GivenSetup, given: ParsedText) -> None:
    """Draw a table of the matrices that were given and of those that stand for missing ones.

    Code that would have to be run is named, if it makes one of them.
    """
    trace = taken.setup.trace
    rows = [
        [name, shape_text(array.shape), _from(name, array, taken)]
        for name, array in named.items()
        if name not in TOKEN_LISTS
    ]
    for name in TOKEN_LISTS:
        if name in named:
            first = ", ".join(map(token_text, named[name][:FEW].tolist()))
            more = "" if len(named[name]) <= FEW else ", …"
            rows.append([PLAIN(name), str(len(named[name])), f"{first}{more}"])
    if taken.identity:
        rows.append(["W_O", shape_text(trace["W_O"].shape), PLAIN("identity")])
    rows += [[name, shape_text(trace[name].shape), PLAIN("random_weights")] for name in taken.drawn]
    if {"W_Q", "W_K", "W_V"} <= set(named) and not set(BIASES) & set(named):
        rows.append([PLAIN("biases"), "–", PLAIN("no_biases")])
    left_out = [
        ours
        for name in given.computed
        if (ours := our_name(name)) in (*READ, *TOKEN_LISTS) and ours not in named
    ]
    rows += [[name, "–", PLAIN("follows")] for name in given.matrices if name in RESULTS]
    rows += [[name, "–", PLAIN("not_computed")] for name in left_out]
    header = [PLAIN("matrix"), PLAIN("size"), PLAIN("source")]
    say(markdown_table(header, rows, _in_one_line))


def _from(name: str, array: np.ndarray, taken: GivenSetup) -> str:
    """Return what was made of a matrix that was given."""
    trace = taken.setup.trace
    if name in taken.following:
        return PLAIN("follows")
    if name in taken.before_start:
        return PLAIN("starts_later")
    whole = trace[name]
    if name in EDITABLE and len(whole) > 1 and array.shape == whole.shape[1:]:
        return PLAIN("of_head")
    if name == "mask":
        if "bias" in trace:
            return PLAIN("added_to_scores")
        return PLAIN("hides", hidden=int((~trace["mask"]).sum()), pairs=trace["mask"].size)
    return PLAIN("added_to_scores") if name == "bias" else PLAIN("as_given")


def _in_one_line(text: str) -> str:
    """A text in a cell, whose size is not broken; all of them are ours, or escaped."""
    return text.replace(" × ", "\u00a0×\u00a0")


def _chosen() -> str:
    """The matrix that one without a name is."""
    return str(st.session_state.get("edit_name") or EDITABLE[0])


def _is_ours(name: str) -> bool:
    return name in READ


def _by_name(given: ParsedText) -> dict[str, np.ndarray]:
    """What was given by the names of this product; one matrix without a name is the chosen one.

    Labels of rows are tokens. Raises `InputError` for names that mean nothing here.
    """
    arrays = by_our_names({name: parsed.array for name, parsed in given.matrices.items()})
    if (strange := _without_place(given)) is not None:
        place = st.session_state.get("edit_named") if strange else _chosen()
        if not place:
            raise input_error(PLAIN, "no_place", name=strange)
        arrays = {place: next(iter(arrays.values()))}
    if any(map(_is_ours, arrays)):
        arrays = {name: array for name, array in arrays.items() if name not in RESULTS}
    unknown = [name for name in arrays if not _is_ours(name)]
    if unknown:
        raise InputError(
            PLAIN("file_holds", names=", ".join(n or PLAIN("no_name") for n in unknown)),
            PLAIN("file_may_hold", inputs=", ".join(PLACES[:5]), results=", ".join(PLACES[5:])),
            PLAIN("file_remedy"),
        )
    named = {_list_name(name): words for name, words in given.lists.items()}
    for name, parsed in given.matrices.items():
        for axis, labels in ((0, parsed.rows), (1, parsed.columns)):
            ours = our_name(name) if _is_ours(our_name(name)) else next(iter(arrays), "")
            place = LABELLED.get((ours, axis))
            if place and labels:
                named.setdefault(place, labels)
    if named.get("key_tokens") == named.get("tokens"):
        named.pop("key_tokens", None)
    tokens = {name: np.array(named[name]) for name in TOKEN_LISTS if name in named}
    if not arrays and not tokens:
        raise input_error(PLAIN, "nothing_given")
    return {**arrays, **tokens}


LABELLED = {
    **dict.fromkeys([("X", 0), ("Q", 0)], "tokens"),
    **dict.fromkeys([("K", 0), ("V", 0)], "key_tokens"),
    **{(name, 0): "tokens" for name in ("scores", "weights", *OF_PAIRS)},
    **{(name, 1): "key_tokens" for name in ("scores", "weights", *OF_PAIRS)},
}
"""Which tokens the labels of a matrix are, of its rows (0) and its columns (1)."""


def _without_place(given: ParsedText) -> str | None:
    """The name of the only matrix, if it says nothing of its place; None if it does."""
    names = list(given.matrices)
    return names[0] if len(names) == 1 and not _is_ours(our_name(names[0])) else None


def _list_name(name: str) -> str:
    return our_name(name) if name else "tokens"


def _taken(setup: Setup, given: ParsedText, head: int) -> GivenSetup:
    """The setup with what was given. Raises `InputError` where it does not fit, all of it then."""
    state = st.session_state
    named = _by_name(given)
    words = _sentence(named)
    if words:
        named.pop("tokens")
        setup = replace(setup, text=words)
    means = state.get(_ones_key(named["mask"])) if "mask" in named else ""
    if not means and any(map(_hides_where_true, given.matrices)):
        means = HIDDEN
    return setup_with(setup, named, head, state.get("edit_heads") or 1, means or "")


def _sentence(named: Mapping[str, np.ndarray]) -> str:
    """The tokens of what was given as a sentence; "" if they are not those of one."""
    tokens = named.get("tokens")
    if tokens is None or "key_tokens" in named or len(named) == 1:
        return ""
    words = " ".join(tokens.tolist())
    rows = {a.shape[-2] for n, a in named.items() if n in ("X", "Q", "scores", "weights")}
    if rows - {len(tokens)}:
        return ""  # as tokens they are too many, or too few, and that is said
    return words if words.strip() and tokenise(words) == tokens.tolist() else ""


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
