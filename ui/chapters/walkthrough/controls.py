"""The row above the walkthrough's stage: the sentence, the examples, the numbers, the way in.

The sentence and the example are set by the page as well; their keys are those of the link.
"""

from functools import partial

import streamlit as st

from core.attention.examples.presets import PRESETS
from core.attention.examples.two_meanings import BY_ID, OWN
from ui.chapters.walkthrough.examples import (
    can_flip,
    example_to_return_to,
    flip,
    has_own_sentence,
    return_to_example,
    return_to_sentence,
    shown_sentence,
    take_preset,
    take_sentence,
    word_on_show,
)
from ui.chapters.walkthrough.numbers import numbers_panel
from ui.chapters.walkthrough.own_example import offer_words, own_form
from ui.lessons.course import current_scene
from ui.lessons.panel import guide
from ui.links.session import controlled_widget
from ui.page.presenting import presenting
from ui.page_texts import page_texts

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
        if two := word_on_show():  # always there, so that no sentence moves the row
            cue, other = can_flip() or two.cues
            st.button(
                TEXTS("flip", cue=cue, other=other), on_click=flip, key="flip",
                disabled=not can_flip(),
            )  # fmt: skip
        with st.popover(TEXTS("examples"), key=_PANEL, on_change="rerun") as panel:
            if panel.open:
                _examples(example)
        numbers_panel()
        with st.container(key="way_in", width="content"):  # ways back stand where the guide does
            if current_scene() is None and not presenting():
                guide()
            with st.container(horizontal=True, gap="small", width="content"):
                if left := example_to_return_to():
                    word = left.two.word if left.two else ""
                    st.button(TEXTS("back_to_example", word=word), on_click=return_to_example)
                if has_own_sentence():
                    st.button(TEXTS("back_to_sentence"), on_click=return_to_sentence)
    offer_words()


def _examples(example: str | None) -> None:
    """The words with two meanings, a person's own, and the other examples."""
    st.pills(
        TEXTS("two_meanings"), list(BY_ID), format_func=lambda name: BY_ID[name].word,
        **controlled_widget("word_of_two", example if example in BY_ID else None, _other_example),
    )  # fmt: skip
    with st.expander(TEXTS("own_example"), key="own_example", expanded=example == OWN):
        own_form(_PANEL)
    others = [name for name in PRESETS if name not in BY_ID]
    st.radio(
        TEXTS("other_examples"), others, index=None, format_func=lambda name: PRESETS[name].title,
        **controlled_widget("example", example if example in others else None, _other_example),
    )  # fmt: skip


def _other_words(example: str | None, words: str) -> None:
    """Words that were typed while this example was on show, or none."""
    if example == st.session_state.preset:
        take_sentence(words)
    else:  # another one was chosen at the same time
        st.session_state.text = words


def _other_example(example: str | None) -> None:
    if example is not None:  # a chosen word that is pressed again is no choice
        st.session_state.preset = example
    st.session_state[_PANEL] = False
