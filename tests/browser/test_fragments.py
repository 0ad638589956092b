"""What changes in one turn of the browser's event loop is all drawn, and no more than that."""

import re

from playwright.sync_api import Locator, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.conftest import OpenPage, PageOf

APP = """
import streamlit as st

from ui.server.fragments import fragment

state = st.session_state
state.whole = state.get("whole", 0) + 1


def widgets(name):
    state.setdefault(f"{name} pressed", 0)
    chosen = st.checkbox(f"choose {name}")
    if st.button(f"press {name}"):
        state[f"{name} pressed"] += 1
    pressed = state[f"{name} pressed"]
    st.text(f"{name}: {'chosen' if chosen else 'not chosen'}, pressed {pressed} times")


@fragment
def inner():
    widgets("inner")


@fragment
def outer():
    widgets("outer")
    inner()


@fragment
def beside():
    widgets("beside")


widgets("around")
outer()
beside()
st.text(f"whole page: {state.whole}")
"""
AT_ONCE = """(asked) => {
  const all = (kind) => [...document.querySelectorAll(kind)];
  for (const [act, name] of asked.map((what) => what.split(" "))) {
    const found = all(act === "press" ? "button" : "label").find(
      (part) => part.textContent.trim() === `${act} ${name}`);
    (found.querySelector("input") || found).click();
  }
}"""
# What is done at once, and whether the whole page has to run.
TURNS = [
    (("choose beside",), False),
    (("press inner",), False),
    (("choose outer", "choose beside"), True),
    (("press outer", "choose beside"), True),
    (("choose outer", "press beside"), True),
    (("press outer", "press beside"), True),
    (("choose outer", "press inner"), False),
    (("press inner", "choose outer"), True),
    (("press beside", "choose around"), True),
    (("choose around", "press inner"), True),
]


def says(page: Page, name: str) -> Locator:
    return page.get_by_test_id("stText").filter(has_text=f"{name}:")


def test_what_changes_in_one_turn_of_a_page_is_drawn(page_of: PageOf, open_page: OpenPage) -> None:
    """As where a busy one hands on a click in the moment in which a stage reports."""
    sent: list[object] = []
    page = open_page(page_of("fragments", APP), sent=sent)
    names = ("around", "outer", "inner", "beside")
    chosen, pressed, whole = dict.fromkeys(names, False), dict.fromkeys(names, 0), 1
    for act in ("choose", "press"):  # each kind of widget comes with a module of its own
        expect(page.get_by_text(re.compile(f"^{act} "))).to_have_count(len(names))
    for done, runs_whole in TURNS:
        sent.clear()
        page.evaluate(AT_ONCE, done)
        for act, name in map(str.split, done):
            if act == "choose":
                chosen[name] = not chosen[name]
            else:
                pressed[name] += 1
        whole += runs_whole
        for name in names:
            said = "chosen" if chosen[name] else "not chosen"
            expect(says(page, name)).to_have_text(f"{name}: {said}, pressed {pressed[name]} times")
        expect(says(page, "whole page")).to_have_text(f"whole page: {whole}")
        asked = [BackMsg.FromString(f) for f in sent if isinstance(f, bytes)]
        runs = [one for one in asked if one.WhichOneof("type") == "rerun_script"]
        assert len(runs) == 1, done  # in one turn, that is
