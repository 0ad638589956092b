"""What the page shows of a run, said in its place until there is one."""

import streamlit as st

from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("models")
COLUMNS = 5, 11
"""The widths of what is predicted and of all heads, as parts of the page."""


def draw_outlook() -> None:
    """Say what comes, where it comes: the prediction, all heads, one head."""
    with st.container(key="model_outlook"):
        say(TEXTS("outlook"))
        left, right = st.columns(COLUMNS)
        _part(left, "outlook_prediction")
        _part(right, "outlook_heads")
        _part(st.container(), "outlook_stage")


def _part(room: st.delta_generator.DeltaGenerator, name: str) -> None:
    with room, st.container(border=True, key=name):
        say(TEXTS(name))
