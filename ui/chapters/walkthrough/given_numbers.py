"""What a paste or a file says, by the names of this product; the setup that follows from it.

A matrix whose name says nothing has the place that is chosen for it, in the state of the panel.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import streamlit as st

from core.attention.given.matrix_set import HIDDEN, PINNED, GivenSetup, setup_with
from core.attention.given.model_names import RESULTS, by_our_names, our_name
from core.attention.given.starting_points import PINNABLE, TOKEN_LISTS
from core.attention.layers.biases import BIASES
from core.attention.setups import EDITABLE, GIVABLE, OF_PAIRS, Setup
from core.attention.tokens import tokenise
from core.errors import input_error
from core.files.dialects.written import Parsed
from core.files.text import ParsedText, parse_text
from core.files.uploads import file_layers, read_matrix_file, text_of_file
from core.program.numbers.display import shape_text
from ui.page.prose import say
from ui.page_texts import chart_texts
from ui.server.uploads import file_in
from ui.text import markdown_table, token_text

PLAIN = chart_texts("walkthrough")
MATRIX_PLACES = tuple(name for name in GIVABLE if name not in TOKEN_LISTS)
"""What a matrix without a name may be."""
READ_MATRICES = (*MATRIX_PLACES, *(f"{PINNED}{name}" for name in PINNABLE))
"""Matrices that are read; results that a run started from have names of their own."""
READ_OF_FILES = (*READ_MATRICES, *TOKEN_LISTS, "keys_tokens")
FEW = 8
"""So many tokens are listed."""


def pasted_numbers() -> ParsedText:
    return parse_text(st.session_state.edit_text, is_bounded=_is_bounded)


def _is_bounded(name: str) -> bool:
    """Whether a matrix of this name has finite numbers; a mask may have −∞."""
    return (our_name(name) if name else chosen_place()) not in OF_PAIRS


def uploaded_numbers() -> ParsedText:
    upload = file_in("edit_file")
    assert upload is not None
    name, data = upload.name, upload.getvalue()
    text = text_of_file(name, data)
    if text is not None:
        return _named_by_file(parse_text(text, is_bounded=_is_bounded), name)
    layer = st.session_state.get("edit_layer")
    layer = layer if layer in file_layers(name, data) else None
    arrays = read_matrix_file(name, data, wanted=READ_OF_FILES, layer=layer)
    words = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    lists = {name: tuple(array.tolist()) for name, array in words.items()}
    matrices = {name: Parsed(a, name) for name, a in arrays.items() if name not in lists}
    return _named_by_file(ParsedText(matrices, lists), upload.name)


def _named_by_file(given: ParsedText, file: str) -> ParsedText:
    """The matrices of a file: the only one, if it has no name, has the file's."""
    stem = file.rpartition(".")[0]
    if list(given.matrices) != [""] or not _is_ours(our_name(stem)):
        return given
    return given._replace(matrices={stem: given.matrices[""]})


def chosen_place() -> str:
    """The matrix that one without a name is."""
    return str(st.session_state.get("edit_name") or EDITABLE[0])


def _is_ours(name: str) -> bool:
    return name in READ_MATRICES


def named_arrays(given: ParsedText) -> dict[str, np.ndarray]:
    """What was given by the names of this product; one matrix without a name is the chosen one.

    Labels of rows are tokens. Raises `InputError` for names that mean nothing here.
    """
    arrays = by_our_names({name: parsed.array for name, parsed in given.matrices.items()})
    if (strange := unplaced_name(given)) is not None:
        place = st.session_state.get("edit_named") if strange else chosen_place()
        if not place:
            raise input_error(PLAIN, "no_place", name=strange)
        arrays = {place: next(iter(arrays.values()))}
    if any(map(_is_ours, arrays)):
        arrays = {name: array for name, array in arrays.items() if name not in RESULTS}
    unknown = [name for name in arrays if not _is_ours(name)]
    if unknown:
        names = ", ".join(name or PLAIN("no_name") for name in unknown)
        inputs, results = ", ".join(MATRIX_PLACES[:5]), ", ".join(MATRIX_PLACES[5:])
        raise input_error(PLAIN, "file_holds", names=names, inputs=inputs, results=results)
    lists = given.lists.items()
    named = {our_name(name) if name else "tokens": words for name, words in lists}
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


def unplaced_name(given: ParsedText) -> str | None:
    """The name of the only matrix, if it says nothing of its place; None if it does."""
    names = list(given.matrices)
    return names[0] if len(names) == 1 and not _is_ours(our_name(names[0])) else None


def taken_setup(setup: Setup, given: ParsedText, head: int) -> GivenSetup:
    """The setup with what was given. Raises `InputError` where it does not fit, all of it then."""
    state = st.session_state
    named = named_arrays(given)
    words = _sentence(named)
    if words:
        named.pop("tokens")
        setup = replace(setup, text=words)
    means = state.get(ones_key(named["mask"])) if "mask" in named else ""
    if not means and any(map(hides_where_true, given.matrices)):
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


def ones_key(mask: np.ndarray) -> str:
    """The key of what is said of one mask: another mask is asked about anew."""
    return f"edit_ones_{blake2b(mask.tobytes(), digest_size=6).hexdigest()}"


def hides_where_true(name: str) -> bool:
    """Whether a mask of this name hides where it is True, as in PyTorch's `MultiheadAttention`."""
    return name.lower().endswith("key_padding_mask")


def list_understood(named: Mapping[str, np.ndarray], taken: GivenSetup, given: ParsedText) -> None:
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
        if (ours := our_name(name)) in (*READ_MATRICES, *TOKEN_LISTS) and ours not in named
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
    place = name.removeprefix(PINNED)
    if place in EDITABLE and len(trace[place]) > 1 and array.shape == trace[place].shape[1:]:
        return PLAIN("of_head")
    if name == "mask":
        if "bias" in trace:
            return PLAIN("added_to_scores")
        return PLAIN("hides", hidden=int((~trace["mask"]).sum()), pairs=trace["mask"].size)
    return PLAIN("added_to_scores") if name == "bias" else PLAIN("as_given")


def _in_one_line(text: str) -> str:
    """A text in a cell, whose size is not broken; all of them are ours, or escaped."""
    return text.replace(" × ", "\u00a0×\u00a0")
