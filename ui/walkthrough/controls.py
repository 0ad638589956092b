"""The controls of the walkthrough. Each widget's key is its key in the link."""

import streamlit as st

from core.attention.family import SCALE
from core.attention.presets import PRESETS
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.session import KEPT, put
from ui.walkthrough.keys import DEFAULTS
from ui.walkthrough.view import take_preset

COMPARE_NAMES = {
    "none": "nothing", "mask": "mask flipped", "scale": "scale flipped", "before": "before",
}  # fmt: skip


def controls() -> None:
    """Draw the controls."""
    take_preset()
    fixed = bool(st.session_state.preset)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Sentence", key="text", disabled=fixed, label_visibility="collapsed",
            placeholder="Your sentence", **KEPT,
        )  # fmt: skip
        st.selectbox(
            "Example", list(PRESETS), index=None, key="preset", **KEPT,
            placeholder="Examples", label_visibility="collapsed",
            format_func=lambda name: PRESETS[name].title, width=260,
        )  # fmt: skip
        with st.popover("Sizes and seed", key="sizes_panel", on_change="rerun") as panel:
            if panel.open:
                _sizes(fixed)


def _sizes(fixed: bool) -> None:
    _number("Key/value heads", "kv_heads", 1, MAX_HEADS, fixed, placeholder="= heads")
    _number("d_model", "d_model", 1, MAX_D_MODEL, fixed)
    _number("Seed", "seed", 0, MAX_SEED, fixed)
    _number("Window", "window", 1, MAX_TOKENS)
    _number("Prefix", "prefix", 1, MAX_TOKENS)
    scale = st.session_state.scale
    put(scale_by=None if scale in SCALE.options else scale)
    st.text_input(
        "Multiply scores by", key="scale_by", width=112, on_change=_scale_by,
        placeholder="1/√d_k", help="A positive number in place of 1/√d_k; empty for 1/√d_k.",
    )  # fmt: skip


def _scale_by() -> None:
    state = st.session_state
    state.scale = state.scale_by or SCALE.default


def _number(
    label: str, key: str, low: int, high: int, disabled: bool = False, placeholder: str = ""
) -> None:
    """An empty field means the default, which it shows in grey."""
    st.number_input(
        label, low, high, value=None, step=1, key=key, width=112, disabled=disabled,
        placeholder=placeholder or str(DEFAULTS[key]), **KEPT,
    )  # fmt: skip
