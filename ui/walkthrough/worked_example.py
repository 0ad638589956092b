"""What a preset shows: its note, and its source's printed figures beside ours."""

import streamlit as st

from core.attention.family import MASK, SCALE
from core.attention.presets import preset
from core.attention.setups import Setup
from core.attention.worked_example import Printed
from core.program.rounding import typeset
from ui.text import escape_markdown, markdown_table
from ui.walkthrough.editing import reset
from ui.walkthrough.view import show_as_it_opens


def example_note(setup: Setup) -> None:
    """Say what to notice in the chosen example; nothing where none is chosen."""
    if not setup.preset:
        return
    example = preset(setup.preset)
    with st.container(border=True, key="example"):
        st.markdown(f"**{escape_markdown(example.title)}**")
        if changed := _changed(setup):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(
                    f"You have changed {changed}. What follows is about the example itself.",
                    width="content",
                )
                st.button("Show it as it opens", on_click=_as_it_opens, key="as_it_opens")
        st.markdown(escape_markdown(example.note))
        with st.container(horizontal=True):
            for printed in example.printed:
                with st.container(width="content"):
                    _beside(printed, example.recomputed(printed))


def _changed(setup: Setup) -> str:
    """What of the example is not its own."""
    now, own = setup.options, Setup(preset=setup.preset).options
    words = {MASK.key: "its mask", SCALE.key: "its scale"}
    changed = [word for key, word in words.items() if now[key] != own[key]]
    return " and ".join(changed + ["its numbers"] * bool(setup.edits))


def _as_it_opens() -> None:
    show_as_it_opens()
    if st.session_state.edits:
        reset()


def _beside(printed: Printed, ours: tuple[tuple[str, ...], ...]) -> None:
    st.caption(escape_markdown(printed.title))
    rows = [
        [typeset("  ".join(figures)), typeset("  ".join(row)), "✓" if figures == row else "≠"]
        for figures, row in zip(printed.figures, ours, strict=True)
    ]
    st.markdown(markdown_table(["printed", "here", ""], rows))
