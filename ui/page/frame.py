"""The frame around every page: its question and the projector's view."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.attention.glossary import GLOSSARY
from core.path import PATH
from ui.classroom.following import follow_room_of_scene, is_led_by_room
from ui.components.component import component
from ui.lessons.course import arrive, scene_here
from ui.lessons.panel import scene_panel
from ui.page.path_navigation import chapter_line
from ui.page.presenting import asked, begin_projecting, blank_on_demand, presenting, stay_student
from ui.page.prose import say, typeset_symbols
from ui.page_texts import plain_ui_texts
from ui.server.unexpected_errors import given_up
from ui.server.visits import ask_again_when_reconnected
from ui.server.watching import leave_work
from ui.text import escape_markdown

TEXTS = plain_ui_texts("messages")
# Streamlit's sizes are in rem, so the root's size carries text, controls and the stage with it.
# Without the header the title stands beside Streamlit's menu.
LARGE_TYPE = """<style>
@media screen {
  html:root { font-size: max(130%, 2.9vh); }
  html:root [data-testid="stMainBlockContainer"] {
    padding-top: 0.6rem;
    & .stElementContainer:has([data-testid="stPlotlyChart"]) { max-width: none; }
  }
}
</style>"""

_house = component(
    Path(__file__).parent / "browser/every_page.js", "house", given={"MEANINGS": dict(GLOSSARY)}
)


def frame(name: str, why: str, title: str = "") -> None:
    """Begin a page: its one question, why a person should care, and what to know before.

    `title` is for a page that is no chapter.
    """
    question = title or PATH[name].question
    leave_work(name)
    stay_student()
    lost = arrive(name)
    keeps_stage = name in PATH and not is_led_by_room()
    act_on_page("lost_stage" if keeps_stage else "lost")
    begin_projecting(name)
    if presenting():
        st.html(LARGE_TYPE)
        blank_on_demand()
    follow_room_of_scene(name)
    if presenting():  # a class is told by its teacher, and needs the room for the numbers
        st.title(typeset_symbols(question), anchor=False)
    else:
        _preamble(name, question, why)
    scene_panel(name)
    without = [TEXTS("link_given_up")] if given_up() else []
    say_link_faults([*lost, *without])


def _preamble(name: str, question: str, why: str) -> None:
    """A page's place on the path, its question and why it matters; a scene says that itself."""
    with st.container(key="preamble"):
        if name in PATH:
            st.caption(chapter_line(name))
        st.title(typeset_symbols(question), anchor=False)
        if not scene_here():
            say(why)


def say_link_faults(others: Sequence[str] = ()) -> None:
    """Say what is wrong with what the link asks of any page, and what else is."""
    for message in [*asked()[1], *others]:
        st.warning(escape_markdown(message))


def act_on_page(lost: str = "lost") -> None:
    """What acts on a whole page in the browser. Its style is there before (ui/page/first_paint.py).

    `lost` is the text that says what a lost connection means on this page.
    """
    _house(key="house")
    ask_again_when_reconnected(TEXTS(lost))
