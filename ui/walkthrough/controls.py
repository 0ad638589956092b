"""The controls of the walkthrough, which set the keys of its link.

The sentence and the example are set by the page as well; the others' keys are those of the link.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.attention.family import SCALE
from core.attention.presets import PRESETS, preset, takes_text
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.prose import typeset_symbols
from ui.session import KEPT, put, shown_as
from ui.walkthrough.keys import DEFAULTS, given_sizes
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
    words = preset(example).text if example and not takes_text(example) else state.text
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Sentence", label_visibility="collapsed", placeholder="Your sentence",
            **shown_as("sentence", words, partial(_other_words, example), is_text=True),
        )  # fmt: skip
        st.selectbox(
            "Example", list(PRESETS), index=None, placeholder="Examples", width=260,
            label_visibility="collapsed", format_func=lambda name: PRESETS[name].title,
            **shown_as("example", example, _other_example),
        )  # fmt: skip
        if state.get("left"):
            st.button("Back to the example", on_click=return_to_example)
        if has_own_sentence():
            st.button("Back to my sentence", on_click=return_to_sentence)
        with st.popover("Sizes and seed", key="sizes_panel", on_change="rerun") as panel:
            if panel.open:
                _sizes()


def _other_words(example: str | None, words: str) -> None:
    """Words that were typed while this example was on show, or none."""
    if example and not takes_text(example) and st.session_state.preset == example:
        leave_example(words)
    else:  # also where another one was chosen at the same time
        st.session_state.text = words


def _other_example(example: str | None) -> None:
    st.session_state.preset = example


def _other_sizes(key: str) -> None:
    """An example has its sizes: with others it is left, and its words stay."""
    state = st.session_state
    if not state.preset:
        return
    is_own = key in given_sizes(state.preset) and state[key] in (
        None, preset(state.preset).sizes[key],
    )  # fmt: skip
    if not is_own:
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
        ), **KEPT,
    )  # fmt: skip


def _scale_by() -> None:
    state = st.session_state
    state.scale = state.scale_by or SCALE.default


def _number(
    label: str,
    key: str,
    low: int,
    high: int,
    on_change: Callable[[str], None] | None = None,
    placeholder: str = "",
) -> None:
    """An empty field means the default, which it shows in grey. `on_change` is told the key."""
    args = (key,) if on_change else None
    st.number_input(
        label, low, high, value=None, step=1, key=key, width=112, on_change=on_change, args=args,
        placeholder=placeholder or str(DEFAULTS[key]), **KEPT,
    )  # fmt: skip
