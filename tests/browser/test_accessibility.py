"""axe-core finds nothing serious in the stage, nor on the page beyond Streamlit's own widgets."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, OpenPage, Serve
from tests.browser.stage import arithmetic, choice, expect_step, said
from tests.browser.waiting import settle
from ui.path import PATH

SERIOUS = ("serious", "critical")
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
# The paper of the page is darker than mid-grey in the dark theme, and nothing is on its way.
IN_THEME = """(theme) => {
  const rgb = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/\\d+/g);
  return (rgb[0] < 128) === (theme === "dark") && !document.getAnimations().length;
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
st.table({"": ["a"], "b": ["c"]})
st.button("Seven")
st.caption("Eight")
"""


def serious(page: Page) -> dict[str, list[str]]:
    """Each serious rule that is broken, and where."""
    asked = {"resultTypes": ["violations"]}  # where all is well takes it longer to say
    violations = Axe().run(page, options=asked).response["violations"]
    return {
        v["id"]: [str(node["target"]) + node["html"][:160] for node in v["nodes"]]
        for v in violations
        if v["impact"] in SERIOUS
    }


def streamlits_own(page: Page) -> set[str]:
    """What axe finds on a page of Streamlit's widgets alone."""
    expect(page.get_by_text("Eight")).to_be_visible()
    settle(page)
    return set(serious(page))


@pytest.fixture(scope="module")
def bare(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("bare")
    (folder / "app.py").write_text(BARE)
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    with serve(folder) as url:
        yield url


def test_axe_finds_nothing_serious(server: str, bare: str, open_page: OpenPage) -> None:
    known = {theme: streamlits_own(open_page(bare, theme=theme)) for theme in THEMES}
    page = open_page(f"{server}/?compare=scale")
    page.get_by_role("button", name="Code of this step").click()
    for step in ("masked", "weights"):
        page.locator(f'.strip .phase[data-step="{step}"]').click()
        expect_step(page, step)
        expect(arithmetic(page).locator("math").first).to_be_attached()
        check(page, known)
    choice(page, "cover", "result").click()
    expect(arithmetic(page)).to_contain_text("Covered")
    check(page, known)
    page.get_by_role("button", name="Full window").click()
    expect(page.get_by_text("Step 8 of 10")).to_be_visible()
    check(page, known, around=False)  # what is behind the stage is not to be seen


@pytest.mark.parametrize("name", [name for name in PATH if name != "walkthrough"])
def test_axe_finds_nothing_serious_on_any_page(
    name: str, server: str, bare: str, open_page: OpenPage
) -> None:
    known = {theme: streamlits_own(open_page(bare, theme=theme)) for theme in THEMES}
    page = open_page(f"{server}/{name.replace('_', '-')}")
    check(page, known)


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("address", ["?lesson=class.2", "lessons", "practice?practice_seed=2"])
def test_axe_finds_nothing_serious_in_a_lesson_or_a_mixed_set(
    address: str, width: int, server: str, bare: str, open_page: OpenPage
) -> None:
    known = {theme: streamlits_own(open_page(bare, theme=theme)) for theme in THEMES}
    page = open_page(f"{server}/{address}")
    page.set_viewport_size({"width": width, "height": 844})
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if address.startswith("?"):
        page.locator(".st-key-lesson").get_by_text("All scenes").click()
        expect(page.get_by_role("link", name="Read", exact=True)).to_be_visible()
        check(page, known)
    else:
        check_around(page, known)


def check(page: Page, known: dict[Theme, set[str]], around: bool = True) -> None:
    """Nothing serious on the stage, and around it no more than Streamlit's own, in both themes."""
    said(page)
    settle(page)
    for theme in THEMES:
        found = found_in(page, theme)
        ours = {rule: [w for w in where if "stage" in w or "this-number" in w]
                for rule, where in found.items()}  # fmt: skip
        assert not any(ours.values()), (theme, ours)
        others = {rule: where for rule, where in found.items() if rule not in known[theme]}
        assert not around or not others, (theme, others)


def check_around(page: Page, known: dict[Theme, set[str]]) -> None:
    """No more than Streamlit's own, on a page without a stage."""
    settle(page)
    for theme in THEMES:
        assert not {r: w for r, w in found_in(page, theme).items() if r not in known[theme]}


def found_in(page: Page, theme: Theme) -> dict[str, list[str]]:
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(IN_THEME, arg=theme)
    return serious(page)
