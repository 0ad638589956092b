"""The controls of the walkthrough. Each widget's key is its key in the link."""

import streamlit as st

from core.attention.family import HEADS, MASK, SCALE
from core.attention.presets import PRESETS
from core.attention.setups import Setup
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.session import KEPT
from ui.toggles import choose
from ui.walkthrough.keys import COMPARISONS, DEFAULTS
from ui.walkthrough.view import current_setup, fixed_by_preset

COMPARE_NAMES = {
    "none": "nothing", "mask": "the mask flipped", "scale": "the scale flipped",
    "before": "what was before",
}  # fmt: skip


def controls() -> Setup:
    """Draw the controls; the setup that they describe."""
    state = st.session_state
    fixed = fixed_by_preset()
    setup, _ = current_setup()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Sentence", key="text", disabled=fixed, **KEPT)
        st.selectbox(
            "Example", list(PRESETS), index=None, key="preset", **KEPT,
            placeholder="none: my sentence",
            format_func=lambda name: PRESETS[name].title, width=300,
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose(MASK, disabled=fixed)
        if state.mask in ("window", "prefix"):
            _number(state.mask.capitalize(), state.mask, 1, MAX_TOKENS, fixed)
        st.selectbox(
            SCALE.word, list(SCALE.options), key=SCALE.key, accept_new_options=True, width=160,
            disabled=fixed, help="on, off, or type a positive number to multiply by", **KEPT,
        )  # fmt: skip
        _number(HEADS.word, HEADS.key, 1, MAX_HEADS, fixed)
        st.selectbox(
            "Compare with", COMPARISONS, key="compare", format_func=COMPARE_NAMES.__getitem__,
            width=170, **KEPT,
        )  # fmt: skip
        with st.popover("Sizes and seed", key="sizes_panel", on_change="rerun") as panel:
            if panel.open:
                _sizes(fixed)
    return setup


def _sizes(fixed: bool) -> None:
    _number("Key/value heads", "kv_heads", 1, MAX_HEADS, fixed, placeholder="= heads")
    _number("d_model", "d_model", 1, MAX_D_MODEL, fixed)
    _number("Seed", "seed", 0, MAX_SEED, fixed)


def _number(
    label: str, key: str, low: int, high: int, disabled: bool, placeholder: str = ""
) -> None:
    """An empty field means the default, which it shows in grey."""
    st.number_input(
        label, low, high, value=None, step=1, key=key, width=112, disabled=disabled,
        placeholder=placeholder or str(DEFAULTS[key]), **KEPT,
    )  # fmt: skip
