"""What the browser tests ask of the stage, by its hooks (DESIGN: fixed contracts)."""

import re
from collections.abc import Sequence
from functools import cache

from playwright.sync_api import FrameLocator, Locator, Page, expect

from core import attention_program, toy_inputs
from core.attention.examples.presets import PRESETS
from core.attention.examples.two_meanings import BY_ID
from core.program.labels import cell_id
from core.program.patterns import Cell
from core.program.trace import Trace
from tests.browser.page import settle

STAGE = '[...globalThis[Symbol.for("attention-stages")]][0]'
"""The page's stage, for a script."""


@cache
def untouched() -> Trace:
    """The run of a page whose link has a step, and no example."""
    return attention_program(heads=2).run(toy_inputs("The cat sat on the mat", heads=2))


def focus_cell(page: Page | FrameLocator | Locator, cell: str) -> Locator:
    """The large cell that stands for `scores.0.2.1`."""
    return page.locator(f'[data-part="focus"] [data-cell="{cell}"]').first


def has_rows(page: Page, label: str, words: Sequence[str]) -> None:
    """A matrix has a row for each of these words, whose first cell is read aloud so: `K, {}, `."""
    grid = page.locator(f'[data-part="focus"][data-matrix="{label.partition(",")[0]}"]').first
    cells = grid.locator('[role="gridcell"][data-col="0"]')
    expect(cells).to_have_count(len(words))
    for at, word in enumerate(words):
        said = re.compile("^" + label.format(word))
        expect(cells.nth(at)).to_have_attribute("aria-label", said)


def marked(page: Page | FrameLocator, kind: str, part: str = "focus") -> set[str]:
    """The cells of one part of the stage that carry a class such as `source`."""
    cells = page.locator(f'[data-part="{part}"] .cell.{kind}')
    return set(cells.evaluate_all("cells => cells.map(cell => cell.dataset.cell)"))


def cells_of(found: dict[str, list[Cell]], *arrays: str) -> set[str]:
    """The names of the cells that were found of these arrays."""
    return {cell_id(array, cell) for array in arrays for cell in found.get(array, [])}


def expect_step(page: Page, step: str) -> None:
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", step)
    settle(page)


def go_to_step(page: Page, step: str) -> None:
    page.locator(strip_phase(step)).click()
    expect_step(page, step)


def expect_selected(page: Page, cell: str) -> None:
    expect(focus_cell(page, cell)).to_have_attribute("aria-selected", "true")
    settle(page)


def told_ahead(page: Page) -> None:
    """Wait until each stage has the runs that its toggles lead to."""
    page.wait_for_function(
        """() => {
          const told = [...globalThis[Symbol.for("attention-told")]?.values() || []];
          return told.length && told.every(({ alternatives }) => alternatives?.documents.length);
        }"""
    )
    settle(page)


def heard(page: Page) -> None:
    """Wait until the server has answered all that each stage has told it."""
    page.wait_for_function(
        """() => {
          const stages = [...globalThis[Symbol.for("attention-stages")] || []];
          return stages.length && stages.every(({ answered, number }) => answered.number >= number);
        }"""
    )
    settle(page)


IN_TOOLS = ("cover", "compare")
"""The controls that are in the menu of tools."""


def choice(where: Page | FrameLocator | Locator, control: str, value: str) -> Locator:
    """One option of a control on the stage, to be pressed: what it is behind is open for it."""
    if control in IN_TOOLS:
        open_tools(where)
    elif (fold := where.locator(f'.folded:has([data-control="{control}"][hidden]) .fold')).count():
        fold.first.click()
    return where.locator(option(control, value))


def tool(where: Page | FrameLocator | Locator, name: str) -> Locator:
    """A button of the menu of tools, which is open."""
    open_tools(where)
    return where.get_by_role("button", name=name)


def open_tools(where: Page | FrameLocator | Locator) -> None:
    """Open the menu of tools of each stage there, unless it is."""
    expect(where.get_by_test_id("tools").first).to_be_attached()
    shut = where.locator("[data-testid=tools]:not([open]) > summary")
    shut.evaluate_all("all => all.forEach((summary) => summary.click())")


def arithmetic(page: Page) -> Locator:
    return page.get_by_test_id("arithmetic")


def numbers(page: Page, array: str) -> list[str]:
    """The numbers of a matrix in the focus, row by row."""
    return page.locator(focus_numbers(array)).all_inner_texts()


def said(page: Page) -> None:
    """Wait until every cell of the focus says what it is: that comes a moment after the numbers."""
    expect(page.locator('[role="grid"]').first).to_be_attached()
    expect(page.locator('[role="grid"][aria-busy]')).to_have_count(0)


CLICKED = """(stage, clicks) => clicks.map(([clicked, read]) => {
  const control = stage.querySelector(clicked);
  if (!control?.checkVisibility() || control.disabled) throw Error(`nobody can click ${clicked}`);
  control.click();
  return [...stage.querySelectorAll(read)].map((part) => part.innerText);
})"""


def read_at_each_click(
    where: Page | FrameLocator, clicks: Sequence[tuple[str, str]]
) -> list[list[str]]:
    """What is written on the stage right after each click: pairs of what to click and to read.

    All in one go. A click by Playwright brings the mouse there, which takes some tenth of a second.
    """
    found: list[list[str]] = where.get_by_test_id("stage").evaluate(CLICKED, list(clicks))
    return found


def option(control: str, value: str) -> str:
    """One option of a control on the stage, as a selector."""
    return f'[data-control="{control}"] [data-value="{value}"]'


def strip_phase(step: str) -> str:
    """The miniature of the strip that leads to a step, as a selector."""
    return f'.strip .phase[data-step="{step}"]'


def focus_numbers(step: str) -> str:
    """The numbers of a step's matrix in the focus, as a selector."""
    return f'[data-part="focus"][data-matrix="{step}"] .number'


# The row above the walkthrough's stage


def example(page: Page, name: str) -> Locator:
    """One of the examples, in the panel that is opened for it."""
    page.get_by_role("button", name="Examples").click()
    if name in BY_ID:
        return page.get_by_test_id("stButtonGroup").get_by_text(BY_ID[name].word, exact=True)
    return page.get_by_test_id("stRadio").get_by_text(PRESETS[name].title, exact=True)


def choose_example(page: Page, name: str) -> None:
    example(page, name).click()


def open_numbers(page: Page) -> None:
    """Open the panel that says where the numbers come from."""
    page.get_by_role("button", name=re.compile("^Numbers: ")).click()


def open_own_numbers(page: Page) -> None:
    """Open the part of it in which whole matrices are given."""
    open_numbers(page)
    page.get_by_text("Your own numbers").click()
    settle(page)
