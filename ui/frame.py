"""The frame around every page: its question and the projector's view."""

import json
from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from core.attention.glossary import GLOSSARY
from stage.assets import compact
from ui.last_resort import given_up
from ui.lessons.course import arrive, scene_here
from ui.lessons.panel import guide, scene_panel
from ui.path import HOME, PATH
from ui.presenting import asked, blank_on_demand, presenting
from ui.prose import say, typeset_symbols
from ui.sharing import share_page
from ui.text import escape_markdown
from ui.visits import ask_again_when_reconnected
from ui.walk import path_of, way_in
from ui.watching import leave_work

# Streamlit's sizes are in rem, so the root's size carries text, controls and the stage with it.
# Without navigation the title stands beside Streamlit's menu.
LARGE_TYPE = """<style>
@media screen {
  html:root { font-size: 130%; }
  html:root [data-testid="stMainBlockContainer"] { padding-top: 0.6rem; }
}
[data-testid="stHeader"] { background: none; }
[data-testid="stHeader"], [data-testid="stToolbar"] { pointer-events: none; }
[data-testid="stToolbar"] button { pointer-events: auto; }
</style>"""

_FOLDER = Path(__file__).parent
_house = st.components.v2.component(
    "house",
    js="\n".join(
        (
            compact(_FOLDER / "printing.js"),
            compact(_FOLDER / "history.js"),
            compact(_FOLDER / "follow.js"),
            compact(_FOLDER / "leads.js"),
            f"const MEANINGS = {json.dumps(dict(GLOSSARY))};",
            compact(_FOLDER / "glossary.js"),
            "export default () => {};",
        )
    ),
)


def frame(name: str, question: str, why: str) -> None:
    """Begin a page: its one question, why a person should care, and what to know before."""
    leave_work(name)
    lost = arrive(name)
    act_on_page()
    if presenting():
        st.html(LARGE_TYPE)
        blank_on_demand()
    st.title(typeset_symbols(question))
    if not presenting():  # a class is told by its teacher, and needs the room for the numbers
        with st.container(key="preamble"):
            if not scene_here():  # it has words of its own
                say(" ".join([why, *_ways(name)]))
            path_of(name)
            if name != HOME:  # which has a panel of its own, with worksheets
                share_page()
    scene_panel(name)
    for message in [*asked()[1], *lost, *given_up()]:
        st.warning(escape_markdown(message))


def _ways(name: str) -> Iterator[str]:
    """What to know before a page of the path; and on the front page, where a beginner begins."""
    if name in PATH:
        yield way_in(name)
    if name == HOME:
        yield guide()


def act_on_page() -> None:
    """What acts on a whole page in the browser. Its style is there before (ui/first_paint.py)."""
    _house(key="house")
    ask_again_when_reconnected()
