"""What a chapter says of a captured run: which it is, and which of its heads are shown."""

from collections.abc import Sequence
from textwrap import shorten

import streamlit as st

from core.models.captures import Capture, CapturedRun
from ui.page_texts import ui_texts
from ui.stage.real_model import gallery_address, gallery_link, how_chosen, named_place
from ui.text import Markdown

TEXTS = ui_texts("real_runs")
_MOST_CHARACTERS = 100
"""Of a prompt in a line."""


def named_run(run: CapturedRun) -> Markdown:
    """Return the model and the beginning of the prompt of a captured run, as one line."""
    prompt = shorten(run.prompt, _MOST_CHARACTERS, placeholder=" …")
    return TEXTS("run", model=run.model, prompt=prompt)


def draw_run_name(run: CapturedRun) -> None:
    """Draw the line that names a run, with a link to one of its captured heads."""
    st.markdown(f"{named_run(run)} [{TEXTS('one_head')}]({gallery_address(run.heads[0].name)})")


def draw_numbered_heads(captures: Sequence[Capture]) -> None:
    """Draw the line that names a run, and one for each of its heads, numbered as on the stage."""
    lines = [named_run(captures[0].run)]
    for number, capture in enumerate(captures, start=1):
        named = TEXTS("numbered_head", number=number, place=named_place(capture.head.place))
        lines += [Markdown(f"{named} {gallery_link(capture)}"), how_chosen(capture)]
    st.markdown("  \n".join(lines))
