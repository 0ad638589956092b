"""What can be done on every page with a stage, done there by keys alone: tasks x pages."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.by_keys import (
    TO_MATRIX,
    TO_NEXT,
    TOLD,
    button,
    here,
    listened_to,
    press,
    reach,
    says,
    to_the_stage,
)
from tests.browser.conftest import OpenPage
from tests.sampling import DEEP
from ui.path import HOME, address_of

SKIP = "Skip to the stage"
POP_OVER = "[data-testid=stPopoverBody]"


def steps(page: Page) -> None:
    """To the first step by the map, then each next one by its button."""
    to_the_stage(page)
    first = page.locator(".strip .phase").first
    reach(page, first, key="Shift+Tab")
    page.keyboard.press("Enter")
    page.locator(".stage h2").first.focus()
    onward = page.get_by_test_id("stage").first.locator('.steps [data-action="next"]')
    assert reach(page, onward) <= TO_NEXT
    title = page.locator(".stage h2").first
    number, count = map(int, re.findall(r"Step (\d+) of (\d+)", title.inner_text())[0])
    assert (number, count > 1) == (1, True)
    while onward.count():
        number += 1
        with says(page, f"Step {number} of "):
            page.keyboard.press("Enter")
        here(page, tag="button")
    assert number == count


def a_cell(page: Page) -> None:
    """Its arithmetic, another cell's, and the same cell of the next step."""
    to_the_stage(page)
    cell = page.locator('.focus [role="gridcell"][tabindex="0"]').first
    assert reach(page, cell) <= TO_MATRIX
    chosen = page.locator('.focus [role="gridcell"][aria-selected="true"]').first
    reach(page, chosen)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    found = here(page, tag="div")
    assert chosen.evaluate(TOLD)
    step = page.get_by_test_id("stage").first.get_attribute("data-step")
    is_first = page.locator(".strip .phase").first.get_attribute("data-step") == step
    for key in ("PageDown", "PageUp") if is_first else ("PageUp", "PageDown"):
        page.keyboard.press(key)
        here(page, tag="div")
    assert found.name
    assert page.get_by_test_id("stage").first.get_attribute("data-step") == step


def toggles(page: Page) -> None:
    """Each group of the stage: another option is chosen, and has the focus."""
    groups = page.get_by_test_id("stage").first.locator(".toolbar [role=radiogroup]")
    names = [group.get_attribute("data-control") for group in groups.all()]
    for name in names:
        group = page.locator(f'.toolbar [data-control="{name}"]').first
        if not group.is_visible() or group.locator("[role=radio]").count() < 2:
            continue
        before = group.locator("[aria-checked=true]").get_attribute("data-value")
        reach(page, group.locator("[aria-checked=true]"))
        page.keyboard.press("ArrowRight")
        group = page.locator(f'.toolbar [data-control="{name}"]').first
        chosen = group.locator(f'[aria-checked=true]:not([data-value="{before}"])')
        expect(chosen).to_have_count(1)
        here(page, tag="button")


def the_full_window(page: Page) -> None:
    to_the_stage(page)
    reach(page, page.get_by_test_id("tools").first.locator("summary"))
    page.keyboard.press("Enter")
    press(page, button(page, "Full window"))
    here(page)
    page.keyboard.press("Escape")
    here(page)
    assert page.locator(".present").count() == 0


def the_next_chapter(page: Page) -> None:
    """By the end of the page, and back by the menu."""
    name = page.locator("h1").inner_text()
    press(page, page.locator(".st-key-way_on a").last)
    page.wait_for_function("(name) => document.querySelector('h1')?.innerText !== name", arg=name)
    here(page, tag="h1")


def pop_overs(page: Page) -> None:
    """The focus goes into each, and back to its button."""
    doors = page.get_by_test_id("stPopoverButton").filter(visible=True)
    for number in range(doors.count()):
        door = doors.nth(number)
        press(page, door)
        expect(page.locator(POP_OVER)).to_be_visible()
        page.wait_for_function(
            f"() => document.querySelector('{POP_OVER}').contains(document.activeElement)"
        )
        here(page)
        page.keyboard.press("Escape")
        expect(page.locator(POP_OVER)).to_have_count(0)
        here(page, tag="button")


ON_STAGES: tuple[Callable[[Page], None], ...] = (steps, a_cell, toggles, the_full_window)
ON_PAGES: tuple[Callable[[Page], None], ...] = (the_next_chapter, pop_overs)
TABLE = [
    *((name, task) for task in ON_STAGES for name in PATH),
    *((name, task) for task in ON_PAGES for name in PATH),
]


@pytest.mark.parametrize(
    ("name", "task"), TABLE if DEEP else [("debug_lab", toggles), (HOME, steps)]
)
def test_it_is_done_by_keys_alone(
    server: str, open_page: OpenPage, name: str, task: Callable[[Page], None]
) -> None:
    address = "?step=X" if name == HOME else address_of(name)
    page = listened_to(open_page, f"{server}/{address}")
    if task in ON_STAGES and not page.get_by_test_id("stage").filter(visible=True).count():
        expect(page.get_by_role("link", name=SKIP)).to_have_count(0)  # there is nothing to skip to
        return
    task(page)
