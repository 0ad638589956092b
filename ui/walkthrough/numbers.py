"""Where the walkthrough's numbers come from: made by hand or random, their sizes, one's own."""

from collections.abc import Callable

import streamlit as st

from core.attention.family import SCALE
from core.attention.presets import preset
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.prose import typeset_symbols
from ui.session import KEPT, put, shown_as
from ui.walkthrough.editing import own_numbers
from ui.walkthrough.examples import leave_example, take_numbers_by_hand
from ui.walkthrough.keys import DEFAULTS, given_sizes
from ui.walkthrough.view import current_setup

BY_HAND, RANDOM = "made by hand", "random"


def numbers_panel() -> None:
    """The popover whose label says where the numbers come from."""
    now = BY_HAND if st.session_state.preset else RANDOM
    with st.popover(f"Numbers: {now}", key="numbers_panel", on_change="rerun") as panel:
        if not panel.open:
            return
        st.segmented_control(
            "Numbers", [BY_HAND, RANDOM], required=True, label_visibility="collapsed",
            **shown_as("numbers", now, _other_numbers),
        )  # fmt: skip
        st.caption(
            "Made by hand: an example whose weights somebody chose. Random: every embedding and "
            "weight is drawn, and only the arithmetic means something. A real model learns its "
            "numbers."
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _sizes()
        with st.expander("Your own numbers", key="edit_panel", on_change="rerun") as own:
            if own.open:
                setup, _ = current_setup()
                own_numbers(setup, (st.session_state.head or 1) - 1)


def _other_numbers(numbers: str) -> None:
    if numbers == BY_HAND:
        take_numbers_by_hand()
    else:
        leave_example()


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
        "Scale by", key="scale_by", width=148, on_change=_scale_by,
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
        label, low, high, value=None, step=1, key=key, width=148, on_change=on_change, args=args,
        placeholder=placeholder or str(DEFAULTS[key]), **KEPT,
    )  # fmt: skip
