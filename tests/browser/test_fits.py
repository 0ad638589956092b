"""What is shown of a step fits the room that there is, on every stage, and nothing of it is cut.

It shrinks to a size that is still read, then takes several lines, then shows one product at a time,
then a window of numbers: tested by where the browser draws each part.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from core import InputError, Trace
from core.program.axes import POSITION
from core.program.inputs import Inputs
from stage.document.number_tiles import all_texts
from stage.hosts.standalone import standalone
from tests.browser.conftest import OpenPage
from tests.browser.fonts import FONTS
from tests.browser.page import nothing_of, settle
from tests.browser.stage import STAGE, expect_step, focus_cell
from tests.browser.test_drawn_everywhere import GO
from tests.registry import REGISTRY, Entry, different_stops, looks
from tests.sampling import DEEP, paired, some, three

WIDTHS = ((390, 844), (1366, 768), (1440, 900))
WORDS = ("the", "committee", "of", "elders", "has", "considered", "whether", "every", "single",
         "sentence", "really", "needs", "fifteen", "words", "here")  # fmt: skip


def of_length(entry: Entry, tokens: int) -> Trace:
    """A run on so many tokens; of its own length, where the program gives that."""
    program = entry.program
    letters = {a for given in program.inputs for a in given.axes.split()} - set(program.sizes)
    lengths = {a: tokens for a in letters if program.axis(a).kind == POSITION}
    longer = replace(entry, sizes={**entry.sizes, **lengths})
    try:
        arrays = longer.inputs()
        return program.run(Inputs(arrays, WORDS) if tokens == len(WORDS) else arrays)
    except InputError:
        return entry.run()


def toy(entry: Entry) -> Trace:
    rounded: Mapping[str, Any] = {
        name: values if values.dtype == bool else np.round(values, 1)
        for name, values in entry.inputs().items()
    }
    return entry.program.run(rounded)


NUMBERS: Mapping[str, Callable[[Entry], Trace]] = {
    "toy numbers": toy,
    "floats": lambda entry: entry.run(40.0),
    "a long sentence": lambda entry: of_length(entry, len(WORDS)),
    "64 tokens": lambda entry: of_length(entry, 64),
}

# What is wrong with a step as it is drawn, once sizes have followed the window.
FAULTS = """(stage) => {
  const size = (part) => parseFloat(getComputedStyle(part).fontSize);
  const name = (part) => `${part.className} ${part.textContent}`.slice(0, 60);
  const across = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
  const place = (part) => part.getBoundingClientRect();
  const drawn = (part) => part.getClientRects().length > 0;
  const look = () => {
    const found = [], shows = stage.querySelector(".shows").getBoundingClientRect();
    const say = (part, what) => found.push(`${what}: ${name(part)}`);
    const all = (kind) => [...stage.querySelectorAll(kind)].filter(drawn);
    const parts = all(".face.focus :is(.cell, .label, .caption)");
    if (!parts.some((part) => part.matches(".cell"))) found.push("no cells");
    for (const part of parts) {
      const text = place(written(part)), grid = part.closest(".window .grid");
      if (text.width && !across(text, place(part))) say(part, "cut");
      if (!across(place(grid || part), shows)) say(part, "outside the focus");
      if (!part.matches(".cell") && size(part) < 12) say(part, "small");
      if (getComputedStyle(part).textOverflow === "ellipsis") say(part, "cut by the style sheet");
    }
    for (const number of all(".face.focus :is(.number, .change)")) {
      if (size(number) < 12) say(number, `digits of ${size(number)} px`);
      const { top, bottom } = place(number), cell = place(number.closest(".cell"));
      const half = 0.375 * size(number), middle = (top + bottom) / 2; // the rest is air
      if (middle - half < cell.top || middle + half > cell.bottom) say(number, "too high");
      if (number.textContent && cell.height < 20) say(number, "a low row");
    }
    for (const grid of all(".face.focus .grid")) {
      if (grid.scrollWidth <= grid.clientWidth + 1) continue;
      const last = [...grid.querySelectorAll(".cell")].at(-1), room = place(grid);
      const { scrollLeft, scrollTop } = grid;
      if (!parseFloat(getComputedStyle(grid).borderRightWidth)) say(grid, "no edge");
      grid.scrollTo(grid.scrollWidth, grid.scrollHeight);
      const ends = across(place(last), room) && place(last).bottom <= room.bottom + 1;
      if (!ends) say(last, "out of reach");
      const [side, top] = [".side", ".top"].map((kind) => grid.querySelector(`.label${kind}`));
      if (side && !across(place(side), room)) say(side, "scrolled away");
      if (top && drawn(top) && place(top).top < room.top - 1) say(top, "scrolled away");
      grid.scrollTo(scrollLeft, scrollTop);
    }
    for (const table of all(".workings")) {
      const { backgroundImage } = getComputedStyle(table), { scrollLeft } = table;
      if (!across(place(table), shows)) say(table, "outside the focus");
      if (table.scrollWidth > table.clientWidth && !backgroundImage.includes("gradient")) {
        say(table, "no edge");
      }
      table.scrollLeft = table.scrollWidth;
      for (const cell of table.querySelectorAll("tr > :is(th[scope=row], :last-child)")) {
        if (!across(place(cell), place(table))) say(cell, "out of reach");
      }
      table.scrollLeft = scrollLeft;
    }
    for (const card of all(".this-number")) {
      if (!across(place(card), place(stage))) say(card, "outside the stage");
    }
    const strip = stage.querySelector(".strip"), edge = strip.getBoundingClientRect();
    for (const title of strip.querySelectorAll(".title")) {
      if (drawn(title) && !across(place(written(title)), edge)) say(title, "outside the map");
    }
    for (const mini of strip.querySelectorAll(".minis")) {
      if (drawn(mini) && mini.offsetHeight < 40) say(mini, "a low miniature");
    }
    return [...new Set(found)].slice(0, 6);
  };
  return laterSeen(look, (found) => !found.length);
}"""


# Every way to lay out a stage with all of these numbers, in either font by turns.
LOOKS = looks()
CASES = [
    (name, numbers, FONTS[(number + number // len(NUMBERS)) % 2 - 1 if DEEP else 1])
    for number, (name, numbers) in enumerate(paired(three(LOOKS, 4), [*NUMBERS]))
]


@pytest.mark.parametrize(("name", "numbers", "fonts"), CASES)
def test_every_cell_caption_and_label_of_a_stage_is_whole(
    open_file: OpenPage, monkeypatch: pytest.MonkeyPatch, name: str, numbers: str
) -> None:
    trace = NUMBERS[numbers](REGISTRY[name])
    first = trace.program.phases[0].main
    # No cell is explained: the arithmetic of each takes minutes (tests/browser/test_card_fits.py).
    told = {"arrays": {}, "tables": {}, "numbers": all_texts(trace)}
    monkeypatch.setattr("stage.hosts.standalone.everything", lambda *_: told)
    page = open_file(standalone(trace, (first, (0,) * trace[first].ndim)))
    stops = different_stops(trace.program)
    for stop, (width, height) in paired(stops, WIDTHS):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(GO, [stop.main, {}])
        expect(page.get_by_test_id("stage")).to_have_attribute("data-step", stop.main)
        found = page.get_by_test_id("stage").evaluate(FAULTS)
        assert found == [], (width, stop.main)


# What of a step is not on the screen, without scrolling.
BELOW = f"""([height, toggles]) => {{
  const stage = {STAGE}, {{ root }} = stage;
  const drawn = (part) => part.getClientRects().length;
  const parts = [...root.querySelectorAll(
    ".face.focus :is(.cell, .caption, .label), .workings, .words, .steps > button")];
  const all = [...parts, ...(toggles ? [stage.toolbar.root] : [])].filter(drawn);
  const scrolled = document.querySelector("[data-testid=stMain]").scrollTop;
  const out = all.filter((part) => part.getBoundingClientRect().bottom > height + 0.5);
  if (!all.length || scrolled) return ["nothing is drawn, or the page is scrolled"];
  return out.map((part) => `${{part.className}} ${{part.textContent}}`);
}}"""
STARTS = ("/?preset=river-bank&step=X", "/?step=X")


@pytest.mark.parametrize("fonts", ["narrow"])
@pytest.mark.parametrize(
    ("start", "window"), some(paired(STARTS, [(1440, 900, True), (1366, 768, False)]), 2, 1)
)
def test_each_step_of_the_walkthrough_is_on_the_first_screen(
    open_page: OpenPage, start: str, window: tuple[int, int, bool]
) -> None:
    """With its toggles where the window is as high as most; its way on always."""
    width, height, toggles = window
    page = open_page(start, size=(width, height))
    for number in range(1, 9):
        expect(page.locator(".heading .count")).to_have_text(f"Step {number} of 8: ")
        settle(page)
        nothing_of(page, BELOW, [height, toggles])
        if number < 8:
            page.locator('.steps [data-action="next"]').evaluate("button => button.click()")


@pytest.mark.deep
def test_products_without_room_side_by_side_have_tabs(server: str, open_page: OpenPage) -> None:
    """The tab is that of the selected cell, and arrow keys go from tab to tab."""
    page = open_page("?preset=river-bank&step=Q", size=(1366, 768), step="Q")
    drawn = page.locator("[data-part=focus]:visible")
    expect(page.get_by_role("tab")).to_have_text(["Q", "K", "V"])
    for key, name in ((None, "Q"), ("ArrowRight", "K"), ("ArrowRight", "V"), ("ArrowRight", "Q")):
        if key:
            page.get_by_role("tab", selected=True).focus()
            page.keyboard.press(key)
        expect(page.get_by_role("tab", selected=True)).to_have_text(name)
        expect_step(page, name)
        shown = drawn.evaluate_all("all => all.map(matrix => matrix.dataset.matrix)")
        assert shown == [f"W_{name}", "X", name]
        assert page.url.count(f"step={name}") == 1
    page.goto(f"{server}/?preset=river-bank&step=Q&cell=W_V.0.1.1")
    expect(page.get_by_role("tab", selected=True)).to_have_text("V")
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.get_by_role("tab")).to_have_count(0)
    expect(focus_cell(page, "K.0.0.0")).to_be_visible()
