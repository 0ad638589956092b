"""Tasks done by keys alone: after each step the focus is seen, and what happened was said.

A task is a page and a way through it. Each step says where the focus has to be and, where more
changes than what has it, what a live region has to say.
"""

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
from tests.browser.stage import focus_cell
from tests.sampling import DEEP, some
from ui.links.path import HOME, address_of

Task = Callable[[Page], None]
TASKS: dict[str, tuple[str, Task]] = {}


def task(address: str) -> Callable[[Task], Task]:
    """Enter a task in the table, by the page that it is done on."""

    def enter(walk: Task) -> Task:
        TASKS[walk.__name__] = (address, walk)
        return walk

    return enter


@task("?step=scores")
def the_arithmetic_of_a_cell(page: Page) -> None:
    to_the_stage(page)
    presses = reach(page, page.locator('.focus [role="gridcell"][tabindex="0"]').first)
    assert presses <= TO_MATRIX
    reach(page, focus_cell(page, "scores.0.2.1"))
    page.keyboard.press("ArrowDown")
    here(page, "scores, query on, key cat", "div")
    cell = focus_cell(page, "scores.0.3.1")
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("arithmetic")).to_have_attribute("aria-label", re.compile("on, cat"))
    told = cell.evaluate(TOLD)
    assert re.search("[=≈]", told)
    assert told.endswith(cell.inner_text().replace("−", "-"))
    for key, there in (("PageDown", "scaled"), ("PageDown", "masked"), ("PageUp", "scaled")):
        page.keyboard.press(key)
        here(page, f"{there}, query on, key cat", "div")


@task("softmax")
def a_question(page: Page) -> None:
    asked = page.locator('[class*="st-key-question_softmax"]')
    with says(page, "Hint."):
        press(page, button(asked, "Hint"))
    here(page, "Hint.", "div")
    with says(page, "The answer is"):
        press(page, button(asked, "Show the answer"))
    here(page, "The answer is", "div")
    before = asked.inner_text()
    press(page, button(asked, "New numbers"))
    expect(asked).not_to_have_text(before, use_inner_text=True)  # the button is drawn anew
    here(page, "New numbers", "button")
    press(page, asked.get_by_role("textbox"), "1")
    with says(page, "It is not"):
        page.keyboard.press("Enter")
    here(page, re.compile("prediction|It is not"))


@task("?step=scores")
def the_sentence_the_mask_and_the_head(page: Page) -> None:
    field = page.get_by_role("textbox", name="Sentence")
    reach(page, field)
    page.keyboard.press("Control+A")
    page.keyboard.type("we like green tea")
    page.keyboard.press("Enter")
    here(page, "Sentence", "input")
    expect(page.locator(".chip")).to_have_text(["we", "like", "green", "tea"])
    stage = page.get_by_test_id("stage")
    for control, value in (("mask", "none"), ("head", "2")):
        group = page.locator(f'[data-control="{control}"]')
        choice = stage.locator(".toolbar .folded").filter(has=group)
        expect(group).to_be_hidden()  # this step is about neither
        press(page, choice.locator(".fold"))
        group = choice.locator(".choices")
        expect(group.locator('[aria-checked="true"]')).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(group.locator(f'[data-value="{value}"]')).to_have_attribute("aria-checked", "true")
        here(page, tag="button")


@task("?step=scores&cover=scores.2")
def a_covered_cell(page: Page) -> None:
    cell = focus_cell(page, "scores.0.2.1")
    reach(page, cell)
    page.keyboard.type("9")
    here(page, "Your number for scores.0.2.1", "input")
    with says(page, "9"):
        page.keyboard.press("Enter")
    here(page, "scores, query sat, key cat", "div")
    with says(page, "The cover is lifted"):
        page.keyboard.press("u")
    here(page, "scores, query sat, key cat", "div")


@task("attention-graph")
def an_edge(page: Page) -> None:
    press(page, button(page, "to draw an edge"))
    here(page, "to draw an edge", "button")
    reach(page, page.locator('.node[tabindex="0"]').first)
    with says(page, "is read"):
        page.keyboard.press("Enter")
    here(page)
    page.keyboard.press("ArrowRight")
    with says(page, "away"):
        page.keyboard.press("Enter")
    here(page)
    reach(page, button(page, "Undo"), key="Shift+Tab")
    page.keyboard.press("Enter")
    here(page, "to look at it", "button")  # there is nothing more to undo


@task("recursive-attention")
def a_merge(page: Page) -> None:
    with says(page, "30.00 merged = 30.00 all keys"):
        press(page, button(page, "every other"))
    here(page, "every other", "button")
    with says(page, "28.33 merged ≠ 30.00 all keys", "Counted more than once: key"):
        press(page, button(page, "a key counted twice"))
    here(page, "a key counted twice", "button")


@task("dot-products")
def an_arrow(page: Page) -> None:
    grip = page.locator(".grip.k")
    reach(page, grip)
    before = grip.get_attribute("aria-valuetext") or grip.get_attribute("aria-label")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    here(page)
    assert (grip.get_attribute("aria-valuetext") or grip.get_attribute("aria-label")) != before


@task("?lesson=from-nothing.1")
def three_scenes_of_a_lesson(page: Page) -> None:
    onward = page.locator(".course .next")
    reach(page, onward)
    for number in (2, 3, 4):
        with says(page, f"scene {number} of 15"):
            page.keyboard.press("Enter")
        here(page, "Next: ", "a")
    press(page, button(page, "Leave the lesson"))
    here(page, "Self-attention", "h1")


@pytest.mark.parametrize("name", some(list(TASKS), 8))
def test_a_task_is_done_by_keys_alone(open_page: OpenPage, name: str) -> None:
    address, walk = TASKS[name]
    walk(listened_to(open_page, address))


DEBUG_LAB = list(PATH).index("debug_lab")


@pytest.mark.parametrize("name", some(list(PATH), len(PATH), DEBUG_LAB))
def test_hint_and_answer_of_every_chapter_have_the_focus(open_page: OpenPage, name: str) -> None:
    page = open_page(address_of(name))
    asked = page.locator('[class*="st-key-question_"]')
    for what in ("Hint", "Show the answer"):
        press = button(asked, what)
        press.focus()
        page.keyboard.press("Enter")
        expect(press).to_have_count(0)
        here(page, tag="div")


@pytest.mark.deep
def test_a_page_without_an_open_stage_still_skips_to_its_content(open_page: OpenPage) -> None:
    page = open_page("cost")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Skip to the stage")).to_have_count(0)
    assert reach(page, page.get_by_role("link", name="Skip to main content")) == 1


# What can be done on every page, by the page.

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
    press(page, page.locator(".st-key-page_footer a").last)
    page.wait_for_function("(name) => document.querySelector('h1')?.innerText !== name", arg=name)
    here(page, tag="h1")


def pop_overs(page: Page) -> None:
    """The focus goes into each, and back to its button."""
    doors = page.get_by_test_id("stPopoverButton").filter(visible=True)
    for number in range(doors.count()):
        door = doors.nth(number)
        press(page, door)
        expect(page.locator(POP_OVER)).to_be_visible()
        inside = f"() => document.querySelector('{POP_OVER}').contains(document.activeElement)"
        page.wait_for_function(inside)
        here(page)
        page.keyboard.press("Escape")
        expect(page.locator(POP_OVER)).to_have_count(0)
        here(page, tag="button")


ON_STAGES: tuple[Task, ...] = (steps, a_cell, toggles, the_full_window)
ON_PAGES: tuple[Task, ...] = (the_next_chapter, pop_overs)
TABLE = [(name, task) for task in ON_STAGES + ON_PAGES for name in PATH]


@pytest.mark.parametrize(("name", "does"), TABLE if DEEP else [(HOME, steps)])
def test_it_is_done_by_keys_alone(open_page: OpenPage, name: str, does: Task) -> None:
    address = "?step=X" if name == HOME else address_of(name)
    page = listened_to(open_page, address)
    if does in ON_STAGES and not page.get_by_test_id("stage").filter(visible=True).count():
        expect(page.get_by_role("link", name="Skip to the stage")).to_have_count(0)
        return
    does(page)
