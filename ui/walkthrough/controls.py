"""The controls of the walkthrough. Each widget's key is its key in the link."""

from collections.abc import Callable

import streamlit as st

from core.attention.family import SCALE
from core.attention.presets import PRESETS, preset
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.prose import typeset_symbols
from ui.session import KEPT, put
from ui.walkthrough.keys import DEFAULTS
from ui.walkthrough.view import (
    has_own_sentence,
    leave_example,
    return_to_example,
    return_to_sentence,
    take_preset,
)

COMPARE_NAMES = {
    "none": "nothing", "mask": "mask flipped", "scale": "scale flipped", "before": "before",
}  # fmt: skip


def controls() -> None:
    """Draw the controls."""
    take_preset()
    state = st.session_state
    example = state.preset
    field = _words_of(example) if example else "text"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if example:
            put(**{field: " ".join(preset(example).tokens)})
        if state.get("sentence_field") != field:
            # Of a field that was away the browser may have forgotten the value: it is told again.
            state[field], state.sentence_field = state[field], field
        st.text_input(
            "Sentence", key=field, label_visibility="collapsed",
            placeholder="Your sentence", on_change=_other_words if example else None,
            args=(example,), **KEPT,
        )  # fmt: skip
        st.selectbox(
            "Example", list(PRESETS), index=None, key="preset", **KEPT,
            placeholder="Examples", label_visibility="collapsed",
            format_func=lambda name: PRESETS[name].title, width=260,
        )  # fmt: skip
        if state.get("left"):
            st.button("Back to the example", on_click=return_to_example)
        if has_own_sentence():
            st.button("Back to my sentence", on_click=return_to_sentence)
        with st.popover("Sizes and seed", key="sizes_panel", on_change="rerun") as panel:
            if panel.open:
                _sizes()


def _words_of(example: str) -> str:
    """The key of an example's words. Each has its own: a slow browser may still send another's."""
    return f"words_of_{example}"


def _other_words(example: str) -> None:
    state = st.session_state
    words = state[_words_of(example)]
    if state.preset == example:
        leave_example(words)
    else:  # another one was chosen at the same time
        state.text = words


def _other_sizes() -> None:
    """An example has its sizes: with others it is left, and its words stay."""
    if st.session_state.preset:
        leave_example()


def _sizes() -> None:
    _number("Key/value heads", "kv_heads", 1, MAX_HEADS, _other_sizes, placeholder="= heads")
    _number(typeset_symbols("d_model"), "d_model", 1, MAX_D_MODEL, _other_sizes)
    _number("Seed", "seed", 0, MAX_SEED, _other_sizes)
    _number("Window", "window", 1, MAX_TOKENS)
    _number("Prefix", "prefix", 1, MAX_TOKENS)
    scale = st.session_state.scale
    put(scale_by=None if scale in SCALE.options else scale)
    st.text_input(
        "Multiply scores by", key="scale_by", width=112, on_change=_scale_by,
        placeholder="a number", help=typeset_symbols(
            "A positive number in place of 1/√d_k. While it is empty, the switch on the stage "
            "decides: 1/√d_k or no scale."
        ),
    )  # fmt: skip


def _scale_by() -> None:
    state = st.session_state
    state.scale = state.scale_by or SCALE.default


def _number(
    label: str,
    key: str,
    low: int,
    high: int,
    on_change: Callable[[], None] | None = None,
    placeholder: str = "",
) -> None:
    """An empty field means the default, which it shows in grey."""
    st.number_input(
        label, low, high, value=None, step=1, key=key, width=112, on_change=on_change,
        placeholder=placeholder or str(DEFAULTS[key]), **KEPT,
    )  # fmt: skip
