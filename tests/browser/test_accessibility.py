"""axe-core finds nothing in the stage, nor on the page beyond Streamlit's own widgets.

All its rules are asked, those of good practice too, in light, dark and forced colours, in wide
windows and in narrow ones. What Streamlit's widgets do wrong by themselves a bare page shows.
"""

import re
from itertools import cycle, pairwise
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.axe import Known, beyond, dressed, found_in
from tests.browser.conftest import OpenPage
from tests.browser.page import unfold
from tests.browser.stage import arithmetic, choice, expect_step, said, tool
from tests.browser.tabs import THEMES, Theme
from tests.sampling import DEEP, paired, some
from ui.links.path import BESIDE, PAGE_NAMES, address_of


def test_axe_finds_nothing(known: Known, open_page: OpenPage) -> None:
    page, in_turn = open_page("?compare=scale"), cycle(THEMES)
    tool(page, "Code of this step").click()

    def check_now(around: bool = True) -> None:
        for theme in THEMES if DEEP else [next(in_turn)]:
            check(page, known, theme, around)

    for step in some(("masked", "weights"), 2, 1):
        page.locator(f'.strip .phase[data-step="{step}"]').click()
        expect_step(page, step)
        expect(arithmetic(page).locator("math").first).to_be_attached()
        check_now()
    choice(page, "cover", "result").click()
    expect(arithmetic(page)).to_contain_text("Covered")
    if DEEP:
        check_now()
    tool(page, "Full window").click()
    expect(page.get_by_text("Step 8 of 10")).to_be_visible()
    check_now(around=False)  # what is behind the stage is not to be seen


LEVELS = """() => everywhere("h1, h2, h3, h4, h5, h6")
  .filter((node) => node.checkVisibility()).map((node) => Number(node.localName[1]))"""
"""The levels of the headings of a page, in order, also inside of components."""
NAMES = """() => everywhere("[aria-label]")
  .filter((node) => node.checkVisibility()).map((node) => node.ariaLabel)"""
"""What things are called by those who do not see them."""


LOOKS: list[tuple[int, Theme, Literal["active", "none"]]] = [
    (1440, "light", "none"), (640, "dark", "none"), (320, "light", "active"),
    (320, "dark", "none"), (1440, "dark", "active"), (640, "light", "none"),
]  # fmt: skip
"""How wide a window is, its theme, and whether colours are forced."""


@pytest.mark.parametrize(
    ("name", "look"),
    [
        (name, LOOKS[(at + more) % len(LOOKS)])
        for at, name in enumerate(PAGE_NAMES if DEEP else ("recursive_attention", "practice"))
        for more in (range(len(LOOKS)) if DEEP else (0,))
    ],
)
def test_axe_finds_nothing_on_any_page(
    name: str, look: tuple[int, Theme, Literal["active", "none"]], known: Known, open_page: OpenPage
) -> None:
    width, theme, forced = look
    page = open_page(address_of(name), size=(width, 900), forced_colors=forced)
    if name in PATH:
        unfold(page)  # some pages keep their stage in a fold
        check(page, known, theme)
    else:
        dressed(page)
        assert beyond(found_in(page, theme), known[theme]) == {}
    titles = {**{key: one.title for key, one in PATH.items()}, **BESIDE}
    assert page.title() == f"{titles[name]} · Attention, step by step"
    levels = page.evaluate(LEVELS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(next_one - one <= 1 for one, next_one in pairwise(levels)), levels
    marks = [name for name in page.evaluate(NAMES) if re.search(r"\*\*|\$|\\", name)]
    assert not marks, marks


@pytest.mark.deep
@pytest.mark.parametrize("address", ["?lesson=class.2", "lessons", "practice?practice_seed=2"])
@pytest.mark.parametrize(("width", "theme"), paired((390, 1440), THEMES))
def test_axe_finds_nothing_in_a_lesson_or_a_mixed_set(
    address: str, width: int, theme: Theme, known: Known, open_page: OpenPage
) -> None:
    page = open_page(address, size=(width, 844))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if address.startswith("?"):
        page.locator(".st-key-lesson").get_by_text("All scenes").click()
        expect(page.get_by_role("link", name="Read", exact=True)).to_be_visible()
        check(page, known, theme)
    else:
        dressed(page)
        assert beyond(found_in(page, theme), known[theme]) == {}


OURS = ("stage", "this-number", "arrow", "grip")
"""What is found inside of these is no widget of Streamlit's."""


def check(page: Page, known: Known, theme: Theme, around: bool = True) -> None:
    """Nothing serious on the stage, and around it no more than Streamlit's own."""
    said(page)
    dressed(page)
    found = found_in(page, theme)
    ours = {
        rule: [one for one in where if any(part in one for part in OURS)]
        for rule, where in found.items()
    }
    assert not any(ours.values()), ours
    assert not around or beyond(found, known[theme]) == {}
