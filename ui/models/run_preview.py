"""What the page shows of a run, said in its place until there is one."""

import streamlit as st

from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("models")
COLUMNS = 5, 11
"""The widths of what is predicted and of all heads, as parts of the page."""


def draw_run_preview() -> None:
    """Say what comes, where it comes: the prediction, all heads, one head."""
    with st.container(key="model_run_preview"):
        say(TEXTS("run_preview"))
        left, right = st.columns(COLUMNS)
        _part(left, "run_preview_prediction")
        _part(right, "run_preview_heads")
        _part(st.container(), "run_preview_stage")


def _part(room: st.delta_generator.DeltaGenerator, name: str) -> None:
    with room, st.container(border=True, key=name):
        say(TEXTS(name))
