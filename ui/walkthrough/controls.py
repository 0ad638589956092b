"""The row above the walkthrough's stage: the sentence, the examples, the numbers, the way in.

The sentence and the example are set by the page as well; their keys are those of the link.
"""

from functools import partial

import streamlit as st

from core.attention.presets import PRESETS
from ui.lessons.course import current_scene
from ui.lessons.panel import guide
from ui.page_texts import page_texts
from ui.presenting import presenting
from ui.session import controlled_widget
from ui.walkthrough.examples import (
    can_return_to_example,
    has_own_sentence,
    return_to_example,
    return_to_sentence,
    shown_sentence,
    take_preset,
    take_sentence,
)
from ui.walkthrough.numbers import numbers_panel

TEXTS = page_texts("walkthrough")
COMPARE_NAMES = {
    "none": TEXTS("compare_none"), "mask": TEXTS("compare_mask"),
    "scale": TEXTS("compare_scale"), "before": TEXTS("compare_before"),
}  # fmt: skip
_PANEL = "examples_panel"


def controls() -> None:
    """Draw the controls."""
    take_preset()
    state = st.session_state
    example, words = state.preset, shown_sentence()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="controls"):
        st.text_input(
            TEXTS("sentence"), label_visibility="collapsed", placeholder=TEXTS("your_sentence"),
            **controlled_widget("sentence", words, partial(_other_words, example), is_text=True),
        )  # fmt: skip
        with st.popover(TEXTS("examples"), key=_PANEL, on_change="rerun") as panel:
            if panel.open:
                st.radio(
                    TEXTS("example"), list(PRESETS), index=None, label_visibility="collapsed",
                    format_func=lambda name: PRESETS[name].title,
                    **controlled_widget("example", example, _other_example),
                )  # fmt: skip
        numbers_panel()
        if can_return_to_example():
            st.button(TEXTS("back_to_example"), on_click=return_to_example)
        if has_own_sentence():
            st.button(TEXTS("back_to_sentence"), on_click=return_to_sentence)
        if current_scene() is None and not presenting():
            guide()


def _other_words(example: str | None, words: str) -> None:
    """Words that were typed while this example was on show, or none."""
    if example == st.session_state.preset:
        take_sentence(words)
    else:  # another one was chosen at the same time
        st.session_state.text = words


def _other_example(example: str | None) -> None:
    st.session_state.preset = example
    st.session_state[_PANEL] = False
