"""What axe-core finds on a page, and what of it Streamlit's widgets do by themselves."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.page import settle
from tests.browser.tabs import Theme

Known = dict[Theme, set[str]]
# The paper of the page is darker than mid-grey in the dark theme; nothing is on its way, and
# nothing pale because the script runs once more.
IN_THEME = """(theme) => {
  const rgb = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/\\d+/g);
  const moves = document.getAnimations().some((one) => one.playState === "running");
  const still = !moves && !document.querySelector('[data-stale="true"]');
  return (rgb[0] < 128) === (theme === "dark") && still;
}"""
BARE = """
import streamlit as st

st.title("Bare")
st.text_input("Text")
st.selectbox("One", ["a", "b"], index=None)
st.selectbox("Two", ["a", "b"], accept_new_options=True, help="Help")
st.segmented_control("Three", ["a", "b"], default="a")
st.number_input("Four", 1, 8)
st.radio("Five", ["a", "b"], index=None, horizontal=True)
with st.popover("Six"):
    st.write("text")
st.columns([2, 1])[1].container(border=True).markdown("$$x$$")
st.table({"a": ["a"], "b": ["c"]})
st.file_uploader("Nine")
st.button("Seven")
st.caption("Eight")
"""


def broken(page: Page, context: str | None = None) -> dict[str, list[str]]:
    """Each rule that is broken, of the page or of that part, and where."""
    asked = {"resultTypes": ["violations"]}  # where all is well takes it longer to say
    found = Axe().run(page, context=context, options=asked).response["violations"]
    return {
        rule["id"]: [str(node["target"]) + node["html"][:160] for node in rule["nodes"]]
        for rule in found
    }


def dressed(page: Page) -> None:
    """Wait until the page has our style sheet and the links to skip, which come frames later."""
    settle(page)
    page.wait_for_function("() => Symbol.for('attention-style') in globalThis")
    page.locator("nav.skips a").first.wait_for(state="attached")


def beyond(found: dict[str, list[str]], known: set[str]) -> dict[str, list[str]]:
    """What is found that Streamlit's own widgets do not have."""
    return {rule: where for rule, where in found.items() if rule not in known}


def found_in(page: Page, theme: Theme) -> dict[str, list[str]]:
    """What is found twice: a page of a class may get pale for a moment while it is looked at."""
    page.emulate_media(color_scheme=theme)
    found = {}
    for _ in range(2):
        page.wait_for_function(IN_THEME, arg=theme)
        found = broken(page)
        if not found:
            break
    return found
