"""What a preset shows: its note, and its source's printed figures beside ours."""

import streamlit as st

from core.attention.presets import preset
from core.attention.worked_example import Printed
from core.program.rounding import typeset
from ui.text import escape_markdown, markdown_table


def example_note(name: str) -> None:
    """Say what to notice in the chosen example; nothing where none is chosen."""
    if not name:
        return
    example = preset(name)
    with st.container(border=True, key="example"):
        st.markdown(f"**{escape_markdown(example.title)}**")
        st.markdown(escape_markdown(example.note))
        with st.container(horizontal=True):
            for printed in example.printed:
                with st.container(width="content"):
                    _beside(printed, example.recomputed(printed))


def _beside(printed: Printed, ours: tuple[tuple[str, ...], ...]) -> None:
    st.caption(escape_markdown(printed.title))
    rows = [
        [typeset("  ".join(figures)), typeset("  ".join(row)), "✓" if figures == row else "≠"]
        for figures, row in zip(printed.figures, ours, strict=True)
    ]
    st.markdown(markdown_table(["printed", "here", ""], rows))
