"""What a preset shows: its note, and its source's printed figures next to ours."""

import streamlit as st

from core.attention.examples.worked_example import PrintedFigures
from core.attention.setups import SENTENCE, Setup
from core.path import PATH
from core.program.numbers.rounding import typeset
from ui.chapters.walkthrough.editing import reset
from ui.chapters.walkthrough.examples import open_again
from ui.links.path import address_of
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.text import Markdown, escape_markdown, markdown_table

TEXTS = page_texts("walkthrough")


def what_it_is_for(setup: Setup, array: str) -> None:
    """At the end of an example of two meanings, say what a row is for, and lead to real heads."""
    is_end = bool(setup.preset and setup.example.two) and array == setup.trace.program.last
    with st.container():  # always there: what follows keeps its place
        if is_end and setup.changed(setup.options) in ("", SENTENCE):
            said = {name: _link(name) for name in ("block", "real_heads", "words")}
            say(TEXTS("what_for", **said))


def _link(chapter: str) -> Markdown:
    return Markdown(f"[{PATH[chapter].title}]({address_of(chapter)})")


def example_note(setup: Setup) -> None:
    """Draw what an example's source prints next to our figures, and a way back to the example."""
    if not setup.preset:
        return
    printed = setup.example.printed
    changed = setup.changed(setup.options)
    if not printed and changed in ("", SENTENCE):  # the way back from those is above
        return
    with st.container(border=True, key="beside_example"):
        if changed:
            with st.container(horizontal=True, vertical_alignment="center"):
                text = TEXTS("changed", what=changed, printed=bool(printed))
                st.markdown(text, width="content")
                st.button(TEXTS("as_it_opens"), on_click=_as_it_opens, key="as_it_opens")
        with st.container(horizontal=True):
            for block in printed:
                with st.container(width="content"):
                    _beside(block, setup.example.recomputed(block))


def _as_it_opens() -> None:
    open_again()
    if st.session_state.edits:
        reset()


def _beside(printed: PrintedFigures, ours: tuple[tuple[str, ...], ...]) -> None:
    st.caption(escape_markdown(printed.title))
    rows = [
        [typeset("  ".join(figures)), typeset("  ".join(row)), "✓" if figures == row else "≠"]
        for figures, row in zip(printed.figures, ours, strict=True)
    ]
    st.markdown(markdown_table([TEXTS("printed"), TEXTS("here"), TEXTS("verdict")], rows))
