"""Matrices too large to be read whole: panes of their numbers beside the whole as colours."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core import Trace, explain
from core.program.labels import cell_id
from core.program.numbers.display import shown
from stage.hosts.standalone import standalone
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of
from tests.browser.stage import (
    STAGE,
    arithmetic,
    choice,
    expect_selected,
    focus_cell,
    heard,
    numbers,
    told_ahead,
)
from tests.stage.document.test_number_tiles import head

Opened = Callable[[Trace], Page]


@pytest.fixture
def opened(open_file: OpenPage) -> Opened:
    """A run's own page, at its scores."""

    def opening(trace: Trace) -> Page:
        page = open_file(standalone(trace, ("scores", (0, 0, 0))))
        page.wait_for_function(f"() => !{STAGE}.lacking.length && !!{STAGE}.foundNumber()")
        return page

    return opening


def pane(page: Page, array: str) -> list[tuple[str, str]]:
    """The cells that are drawn of an array, each with its number as the core writes it."""
    cells = page.locator(f'[data-part=focus][data-matrix="{array}"] [role=gridcell]')
    found: list[list[str]] = cells.evaluate_all(
        "all => all.map((cell) => [cell.dataset.cell, cell.innerText])"
    )
    return [(cell, number.replace("−", "-").replace("∞", "inf")) for cell, number in found]


def expect_chosen(page: Page, cell: str) -> None:
    expect(focus_cell(page, cell)).to_have_attribute("aria-selected", "true")


def expect_numbers(page: Page, trace: Trace, array: str) -> None:
    """Each drawn cell of an array has its own number."""
    drawn = pane(page, array)
    assert drawn
    for cell, number in drawn:
        name, *index = cell.split(".")
        assert number == shown(trace, name, tuple(map(int, index))), cell


def test_each_axis_is_cut_by_itself(opened: Opened) -> None:
    trace = head(12, 64)
    page = opened(trace)
    assert len(pane(page, "scores")) == 12 * 12
    rows = {cell.split(".")[2] for cell, _ in pane(page, "Q")}
    columns = {cell.split(".")[3] for cell, _ in pane(page, "Q")}
    assert len(rows) == 12
    assert 4 <= len(columns) < 24
    for array in ("scores", "Q", "K"):
        expect_numbers(page, trace, array)
    assert page.locator(".pane-map").count() == 2  # of Q and of K: the scores are there whole
    frames_what_is_shown(page)
    dots_are_their_cells(page)
    a_cover_is_over_the_dots_of_its_cells(page)
    walks = {
        "Q.0.3.1": {"End": "3.63", "Control+Home": "0.0", "Control+End": "11.63", "Home": "11.0"},
        "K.0.5.0": {  # which stands turned
            "End": "11.0",
            "Control+End": "11.63",
            "Home": "0.63",
            "Control+Home": "0.0",
        },
    }
    for begun, walk in walks.items():
        focus_cell(page, begun).click()
        for press, cell in walk.items():
            page.keyboard.press(press)
            expect_chosen(page, f"{begun[0]}.0.{cell}")
            expect(focus_cell(page, f"{begun[0]}.0.{cell}")).to_be_focused()
            frames_what_is_shown(page)


def frames_what_is_shown(page: Page) -> None:
    """The frame on the map of Q, and of K which stands turned: what of it is in numbers."""
    for array, across, down in (("Q", 1, 0), ("K", 0, 1)):
        cells = [tuple(map(int, cell.split(".")[2:])) for cell, _ in pane(page, array)]
        style = page.locator(f'.pane-map:has([data-matrix="{array}"]) .frame').evaluate(
            "({ style }) => [style.left, style.width, style.top, style.height].map(parseFloat)"
        )
        places = [sorted({cell[axis] for cell in cells}) for axis in (across, down)]
        wanted = [
            100 * part / (12, 64)[axis]
            for axis, seen in zip((across, down), places, strict=True)
            for part in (seen[0], len(seen))
        ]
        assert style == pytest.approx(wanted, abs=0.01), array


DOTS = """(stage) => [...stage.querySelectorAll(".pane-map .colours")].flatMap((map) => {
  const name = map.dataset.matrix, canvas = map.querySelector("canvas");
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const cells = [...stage.querySelectorAll(`.focus [data-cell^="${name}."]`)];
  return cells.map(({ dataset: { row, col, cell }, className }, at) => {
    pen.fillStyle = getComputedStyle(cells[at]).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    const dot = canvas.getContext("2d").getImageData(col, row, 1, 1).data;
    return [cell, className.split(" ")[2] || "", [...dot], [...pen.getImageData(0, 0, 1, 1).data]];
  });
})"""


def dots_are_their_cells(page: Page) -> None:
    """A dot of a map has its cell's colour; those lit are orange for sources."""
    met = set()
    for cell, state, dot, colour in page.get_by_test_id("stage").evaluate(DOTS):
        met.add((cell.split(".")[0], state))
        assert (dot == colour) == (state == ""), (cell, state)
        assert not state or dot[0] - dot[2] > 100, (cell, state)
    assert met == {(name, state) for name in ("Q", "K") for state in ("source", "")}


def a_cover_is_over_the_dots_of_its_cells(page: Page) -> None:
    """K stands turned, so that its third row is a column here."""
    page.evaluate(f"() => {{ {STAGE}.covers.turnTo('K.3'); {STAGE}.draw(); }}")
    met = page.get_by_test_id("stage").evaluate(DOTS)
    dots = {cell: tuple(dot) for cell, _, dot, _ in met if cell.startswith("K.")}
    hidden = [cell for cell in dots if cell.split(".")[2] == "3"]
    covers = {dots.pop(cell) for cell in hidden}
    assert len(hidden) > 3
    assert len(covers) == 1
    assert not covers & {*dots.values()}
    page.evaluate(f"() => {{ {STAGE}.covers.turnTo(''); {STAGE}.draw(); }}")


@pytest.mark.deep
def test_keys_lead_to_every_cell(opened: Opened) -> None:
    trace = head(40, 30)
    page = opened(trace)
    focus_cell(page, "scores.0.0.0").click()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    expect_chosen(page, "scores.0.0.9")
    expect(focus_cell(page, "scores.0.0.9")).to_be_focused()
    page.keyboard.press("Control+End")
    expect_chosen(page, "scores.0.39.39")
    expect(focus_cell(page, "scores.0.39.39")).to_be_focused()
    expect(arithmetic(page)).to_contain_text("scores[w39, w39]")
    # What it is made of is on show beside it, in the same rows and columns.
    expect(focus_cell(page, "Q.0.39.0")).to_be_visible()
    expect(focus_cell(page, "K.0.39.0")).to_be_visible()
    for array in ("scores", "Q", "K"):
        expect_numbers(page, trace, array)
    page.keyboard.press("Home")
    expect_chosen(page, "scores.0.39.0")
    page.keyboard.press("ArrowLeft")
    expect_chosen(page, "scores.0.39.0")


@pytest.mark.deep
def test_the_wheel_and_a_map_move_a_pane_and_what_shares_its_rows(opened: Opened) -> None:
    trace = head(40, 30)
    page = opened(trace)
    page.mouse.move(0, 0)
    focus_cell(page, "scores.0.2.2").hover()
    page.mouse.wheel(0, 24 * 5)
    expect(focus_cell(page, "scores.0.5.0")).to_be_visible()
    assert pane(page, "scores")[0][0] == "scores.0.5.0"
    assert pane(page, "Q")[0][0] == "Q.0.5.0"
    expect_numbers(page, trace, "scores")
    whole = box_of(page.locator('.pane-map [data-matrix="scores"]'))
    page.mouse.move(whole.left + 5, whole.top + 5)
    page.mouse.down()
    page.mouse.move(whole.right - 2, whole.bottom - 2)
    page.mouse.up()
    assert pane(page, "scores")[-1][0] == "scores.0.39.39"
    assert pane(page, "K")[-1][0].startswith("K.0.39.")
    expect_numbers(page, trace, "K")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "scores")


@pytest.mark.deep
def test_a_finger_on_a_map_leads_there_and_a_tap_selects(opened: Opened) -> None:
    page = opened(head(40, 30))
    page.set_viewport_size({"width": 390, "height": 844})
    whole = page.locator('.pane-map [data-matrix="scores"]')
    whole.scroll_into_view_if_needed()
    touch = {"pointerId": 1, "pointerType": "touch", "isPrimary": True, "bubbles": True}
    page.evaluate("() => { Element.prototype.setPointerCapture = () => {}; }")  # of no real finger
    there = dict(zip(("clientX", "clientY"), box_of(whole).middle, strict=True))
    whole.dispatch_event("pointerdown", touch | there)
    assert pane(page, "scores")[0][0] == "scores.0.17.17"
    focus_cell(page, "scores.0.18.19").click()
    expect_chosen(page, "scores.0.18.19")
    expect(arithmetic(page)).to_contain_text("scores[w18, w19]")


EXPLAINED = f"""async (cell) => {{
  {STAGE}.choose(cell);
  while (!{STAGE}.foundNumber()) await new Promise((done) => setTimeout(done, 10));
  return {STAGE}.foundNumber();
}}"""
CELLS = [("scores", (0, 39, 3)), ("scaled", (0, 7, 7)), ("mask", (2, 3)), ("masked", (0, 2, 3)),
         ("masked", (0, 3, 2)), ("weights", (0, 33, 30)), ("weights", (0, 0, 0)),
         ("context", (0, 39, 29)), ("context", (0, 0, 5)), ("context", (0, 1, 5))]  # fmt: skip


@pytest.mark.deep
def test_a_page_of_its_own_explains_what_comes_from_the_scores_on(opened: Opened) -> None:
    trace = head(40, 44)
    page = opened(trace)
    for name, cell in CELLS:
        found = page.evaluate(EXPLAINED, cell_id(name, cell))
        told = json.loads(json.dumps(vars(explain(trace, name, cell))))
        assert found == told | {"cell": cell_id(name, cell)}
    given = page.evaluate(EXPLAINED, "Q.0.2.1")
    assert given["plain"] == [f"{shown(trace, 'Q', (0, 2, 1))} = {shown(trace, 'Q', (0, 2, 1))}"]


def test_the_server_is_asked_for_the_numbers_of_a_pane(open_page: OpenPage) -> None:
    text = "+".join(f"w{n}" for n in range(40))
    page = open_page(f"?text={text}&heads=1&step=scores&cell=scores.0.2.1", step="scores")
    page.wait_for_function(f"() => !{STAGE}.lacking.length")
    first = pane(page, "scores")
    assert all(number for _, number in first)
    focus_cell(page, "scores.0.2.1").click()
    page.keyboard.press("Control+End")
    expect_selected(page, "scores.0.39.39")
    page.wait_for_function(f"() => !{STAGE}.lacking.length")
    last = pane(page, "scores")
    assert last[-1][0] == "scores.0.39.39"
    assert all(number for _, number in last)
    expect(arithmetic(page)).to_contain_text(last[-1][1].replace("-", "−"))
    again = open_page(page.url, step="scores")
    again.wait_for_function(f"() => !{STAGE}.lacking.length")
    assert numbers(again, "scores") == numbers(page, "scores")


STRIP = f"""() => [...{STAGE}.map.root.querySelectorAll(".cell")]
  .map((cell) => [cell.dataset.cell, cell.className])"""


def strip(page: Page) -> list[list[str]]:
    """The cells of the strip: which they are, and how they look."""
    page.mouse.move(0, 0)
    page.wait_for_function(f"() => !{STAGE}.map.isLate")
    found: list[list[str]] = page.evaluate(STRIP)
    return found


@pytest.mark.deep
def test_a_strip_of_very_many_cells_follows_the_numbers(open_page: OpenPage) -> None:
    text = "+".join(f"w{n}" for n in range(24))
    page = open_page(f"?text={text}&heads=8&step=weights", until=told_ahead)
    before = strip(page)
    assert len(before) > 1500
    for control, value in (("mask", "none"), ("head", "2"), ("cover", "result"), ("heads", "4")):
        choice(page, control, value).click()
        heard(page)
        drawn = strip(page)
        assert drawn != before
        before = drawn
        again = open_page(page.url, step="weights")
        assert drawn == strip(again), control
