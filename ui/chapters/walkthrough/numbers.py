"""The source of the walkthrough's numbers: made by hand or random, their sizes, the person's."""

from collections.abc import Callable

import streamlit as st

from core.attention.family import SCALE_TOGGLE
from core.attention.given.starting_points import PROJECTIONS, starts_at_vectors, starts_at_weights
from core.attention.masks import OFFERED_SIZES
from core.limits import MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.chapters.walkthrough.editing import reset
from ui.chapters.walkthrough.examples import leave_example, take_numbers_by_hand
from ui.chapters.walkthrough.keys import DEFAULTS, example_of, given_sizes
from ui.chapters.walkthrough.own_numbers import own_numbers
from ui.chapters.walkthrough.view import current_setup
from ui.links.session import PERSIST, controlled_widget, set_if_changed
from ui.page.prose import typeset_symbols
from ui.page_texts import page_texts

TEXTS = page_texts("walkthrough")
BY_HAND, RANDOM, OWN = TEXTS("by_hand"), TEXTS("drawn"), TEXTS("all_own")


def numbers_panel() -> None:
    """The popover whose label says where the numbers come from."""
    now = OWN if all_own() else BY_HAND if st.session_state.preset else RANDOM
    label = TEXTS("numbers_button", now=now)
    with st.popover(label, key="numbers_panel", on_change="rerun") as panel:
        if not panel.open:
            return
        st.segmented_control(
            TEXTS("numbers"), list(dict.fromkeys((BY_HAND, RANDOM, now))), required=True,
            label_visibility="collapsed", **controlled_widget("numbers", now, _other_numbers),
        )  # fmt: skip
        st.caption(TEXTS("numbers_note"))
        with st.expander(TEXTS("own_numbers"), key="edit_panel", on_change="rerun") as own:
            if own.open:
                setup, _ = current_setup()
                own_numbers(setup, (st.session_state.head or 1) - 1)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _sizes()


def all_own() -> bool:
    """Whether nothing that is shown is random or an example's."""
    given = st.session_state.edits
    is_whole = {"X", *PROJECTIONS, "W_O"} <= set(given)
    return is_whole or starts_at_vectors(given) or starts_at_weights(given)


def _other_numbers(numbers: str) -> None:
    if all_own():
        reset()
    if numbers == BY_HAND:
        take_numbers_by_hand()
    elif st.session_state.preset:
        leave_example()


def _other_sizes(key: str) -> None:
    """Leave an example if its sizes are changed; its words stay."""
    example = example_of(st.session_state)
    if example is None:
        return
    own = example.sizes[key] if key in given_sizes(example) else ()
    if st.session_state[key] not in (None, own):
        leave_example()


def _sizes() -> None:
    own = TEXTS("as_heads")
    _number(TEXTS("kv_heads"), "kv_heads", 1, MAX_HEADS, _other_sizes, placeholder=own)
    _number(typeset_symbols("d_model"), "d_model", 1, MAX_D_MODEL, _other_sizes)
    _number(TEXTS("seed"), "seed", 0, MAX_SEED, _other_sizes)
    for size in OFFERED_SIZES.values():
        _number(size.word, size.key, 1, MAX_TOKENS)
    scale = st.session_state.scale
    set_if_changed(scale_by=None if scale in SCALE_TOGGLE.options else scale)
    st.text_input(
        TEXTS("scale_by"), key="scale_by", width=148, on_change=_scale_by,
        placeholder=TEXTS("a_number"), help=typeset_symbols(TEXTS("scale_by_help")), **PERSIST,
    )  # fmt: skip


def _scale_by() -> None:
    state = st.session_state
    state.scale = state.scale_by or SCALE_TOGGLE.default


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
        placeholder=placeholder or str(DEFAULTS[key]), **PERSIST,
    )  # fmt: skip
