"""The grid of heads of any run: heads off, before and after, more keys than queries, large maps."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from math import floor
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LookAt, OpenPage, PageOf, stopped
from tests.browser.head_maps_cases import cases
from tests.browser.page import box_of
from tests.sampling import paired, some

APP = """
import streamlit as st

from tests.browser.head_maps_cases import cases
from ui.components.head_maps.grid import head_grid

st.set_page_config(layout="wide")
state = st.session_state


def choose(place):
    state.place = place


given = dict(state.setdefault("case", cases()[st.query_params["case"]]))
maps = given.pop("maps")
if st.checkbox("scored"):
    given.pop("scores", None)
head_grid("maps", maps, state.get("place", (0, 0)), choose, **given)
st.text(f"chosen {state.get('place')}")
"""
DOTS = """(canvas) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const dots = Array.from(new Uint32Array(data.buffer));
  return Array.from({ length: height }, (_, row) => dots.slice(row * width, (row + 1) * width));
}"""
"""The colours of a canvas, row by row."""
STRONGEST = """(grid) => {
  const probe = Object.assign(document.createElement("span"), { className: "w20" });
  const pen = document.createElement("canvas").getContext("2d");
  grid.append(probe);
  pen.fillStyle = getComputedStyle(probe).backgroundColor;
  probe.remove();
  pen.fillRect(0, 0, 1, 1);
  return new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0];
}"""
"""The last colour of the scale of weights."""
CELLS_OF_A_SMALL_MAP = "(map) => [map.firstChild.height, map.firstChild.width]"
Shown = Callable[..., Page]


@pytest.fixture
def grids(page_of: PageOf) -> str:
    """The address of a page that draws a case."""
    return page_of("grids", APP)


@pytest.fixture
def shown(grids: str, open_page: OpenPage) -> Shown:
    """A case's page, its large map drawn."""
    return partial(whole_case, grids, open_page)


@pytest.fixture
def looked(grids: str, look_at: LookAt) -> Shown:
    """The same, for reading alone."""
    return partial(whole_case, grids, look_at)


def whole_case(grids: str, opens: Shown, case: str, **options: object) -> Page:
    page = opens(f"{grids}&case={case}", **options)
    expect_whole(page)
    return page


def grid(page: Page) -> Locator:
    return page.get_by_test_id("head-grid")


def small(page: Page, label: str) -> Locator:
    return grid(page).get_by_role("button", name=label)


def expect_whole(page: Page) -> None:
    expect(grid(page).locator(".large")).to_have_attribute("aria-busy", "false")


def point(page: Page, board: int, row: int, column: int, rows: int, columns: int) -> None:
    drawn = grid(page).locator(".board canvas").nth(board)
    drawn.evaluate("(canvas) => canvas.scrollIntoView({ block: 'center' })")
    box = box_of(drawn)
    page.mouse.move(
        box.left + (column + 0.5) * box.width / columns, box.top + (row + 0.5) * box.height / rows
    )


def percent(weight: float) -> str:
    whole = floor(100 * float(weight) + 0.5)
    if whole == 100 and weight < 1:
        return ">99"
    return "<1" if weight and not whole else str(whole)


@pytest.mark.parametrize(
    ("case", "theme"), some(paired(["even", "even, in blocks"], ["light", "dark"]), 2, 1)
)
def test_a_head_that_reads_evenly_is_seen(shown: Shown, case: str, theme: str) -> None:
    """Small and large, in few weights and in many: each row is filled up to its own token."""
    page = shown(case, theme=theme)
    strongest = grid(page).evaluate(STRONGEST)
    for canvas in (grid(page).locator(".map canvas").first, grid(page).locator(".board canvas")):
        dots = np.array(canvas.evaluate(DOTS))
        assert len(dots) >= 60
        np.testing.assert_array_equal(dots == strongest, np.tri(len(dots), dtype=bool))


def test_a_head_that_is_off_is_struck_and_says_so(looked: Shown) -> None:
    page = looked("whole", size=(1366, 900))
    off = grid(page).locator(".map.off")
    expect(off).to_have_count(1)
    expect(off).to_have_attribute("aria-label", "Layer 2, head 1: score 25 %, switched off")
    stroke = "(map) => getComputedStyle(map, '::after').backgroundImage"
    assert "gradient" in off.evaluate(stroke)
    on = small(page, "Layer 1, head 1")
    expect(on).to_have_attribute("aria-label", "Layer 1, head 1: score 25 %")
    assert on.evaluate(stroke) == "none"


@pytest.mark.parametrize("width", some([1440, 390], 2))
def test_a_cell_reads_both_numbers_before_and_after(shown: Shown, width: int) -> None:
    """Also for what the mask hid before; side by side, or one below the other on a phone."""
    page, case = shown("whole", size=(width, 900)), cases()["whole"]
    before, after = (case[name].weights[2, 1] for name in ("before", "maps"))
    small(page, "Layer 3, head 2").click()
    reading = grid(page).locator(".reading")
    expect(grid(page).locator(".title")).to_have_text(["before", "after"])
    the_largest_weight_of_every_row_is_strongest(page, case)
    for board in (0, 1):
        point(page, board, 5, 2 + board, 7, 7)
        now, then = (percent(one[5, 2 + board]) for one in (after, before))
        expect(reading).to_have_text(f"“q5” reads “k{2 + board}”: before {then} %, after {now} %.")
    point(page, 0, 1, 4, 7, 7)
    now = percent(after[1, 4])
    expect(reading).to_have_text(f"“q1” reads “k4”: before hidden, after {now} %.")
    one, other = (box_of(board).top for board in grid(page).locator(".board").all())
    assert (one == other) == (width == 1440)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def the_largest_weight_of_every_row_is_strongest(page: Page, case: Mapping[str, Any]) -> None:
    strongest = grid(page).evaluate(STRONGEST)
    for board, name in enumerate(("before", "maps")):
        dots = np.array(grid(page).locator(".board canvas").nth(board).evaluate(DOTS))
        weights = case[name].weights[2, 1]
        wanted = weights / weights.max(axis=1, keepdims=True) > 0.975  # the last of 21 colours
        np.testing.assert_array_equal(dots == strongest, wanted)


@pytest.mark.deep
def test_a_head_of_few_tokens_is_enlarged_without_the_server(grids: str, shown: Shown) -> None:
    page = shown("whole")
    point(page, 0, 6, 3, 7, 7)
    weights = [cases()["whole"][name].weights[0, 1, 6, 3] for name in ("before", "maps")]
    then, now = map(percent, weights)
    with stopped(page.url):
        small(page, "Layer 1, head 2").click()
        text = f"“q6” reads “k3”: before {then} %, after {now} %."
        expect(grid(page).locator(".reading")).to_have_text(text)
    expect(page.get_by_text("chosen (0, 1)")).to_be_visible()


@pytest.mark.deep
def test_calls_have_names_and_may_have_more_keys_than_queries(shown: Shown) -> None:
    page, maps = shown("calls"), cases()["calls"]["maps"]
    expect(page.get_by_text("the strongest colour in a block of 2 × 3 weights")).to_be_visible()
    expect(grid(page).locator(".corner")).to_have_text("call")
    expect(grid(page).locator(".number:not(.side)").nth(1)).to_have_attribute("title", "<b>dec</b>")
    chosen = small(page, "Call 2 (<b>dec</b>), head 3")
    expect(chosen).to_have_attribute("aria-label", "Call 2 (<b>dec</b>), head 3")
    assert chosen.evaluate(CELLS_OF_A_SMALL_MAP) == [35, 50]
    expect(grid(page).locator(".bar").first).to_be_hidden()
    chosen.click()
    expect(page.get_by_text("chosen (1, 2)")).to_be_visible()
    expect_whole(page)
    for row, column in ((0, 149), (69, 0), (40, 97)):
        point(page, 0, row, column, 70, 150)
        number = percent(maps.weights[1, 2, row, column])
        text = f"“q{row}” gives {number} % of its weight to “k{column}”."
        expect(grid(page).locator(".reading")).to_have_text(text)
    box = box_of(grid(page).locator(".board"))
    assert box.width / box.height == pytest.approx(150 / 70, rel=0.01)


def test_a_large_map_is_framed_at_once_and_read_when_it_has_come(grids: str, shown: Shown) -> None:
    page, case = shown("large"), cases()["large"]
    reading = grid(page).locator(".reading")
    expect(reading).not_to_be_empty()
    with stopped(page.url):
        chosen = small(page, "Layer 2, head 2")
        chosen.click()
        expect(chosen).to_have_attribute("aria-pressed", "true")
        expect(grid(page).locator(".large")).to_have_attribute("aria-busy", "true")
        expect(reading).to_be_empty()
    expect_whole(page)
    best = int(np.argmax(case["maps"].weights[1, 1, 459]))  # the first that is read
    then, now = (percent(case[name].weights[1, 1, 459, best]) for name in ("before", "maps"))
    expect(reading).to_have_text(f"“q459” reads “k{best}”: before {then} %, after {now} %.")
    expect(page.get_by_text("chosen (1, 1)")).to_be_visible()


@pytest.mark.deep
def test_marks_are_as_many_as_are_counted_and_two_maps_scroll_together(shown: Shown) -> None:
    page = shown("large")
    marks = grid(page).locator(".counted path").first.get_attribute("d")
    assert marks
    assert re.findall(r"M(\d+) (\d+)", marks) == [(str(n), str(n + 1)) for n in range(459)]
    rooms = grid(page).locator(".room")
    rooms.nth(1).evaluate("(room) => room.scrollTo(13, 11)")
    expect(rooms.first).to_have_js_property("scrollLeft", 13)
    expect(rooms.first).to_have_js_property("scrollTop", 11)


@pytest.mark.deep
def test_what_is_large_scrolls_in_its_own_box_on_a_phone(shown: Shown) -> None:
    page = shown("calls", size=(390, 844))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page = shown("large", size=(390, 844))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    board = grid(page).locator(".board").first
    assert board.evaluate("(board) => board.offsetWidth") >= 300
    room = grid(page).locator(".room").first
    assert room.evaluate("(room) => room.getBoundingClientRect().right") <= 390


@pytest.mark.deep
def test_nothing_large_is_sent_again_by_another_choice(grids: str, open_page: OpenPage) -> None:
    got: list[int] = []
    page = open_page(
        f"{grids}&case=whole",
        listen=lambda socket: socket.on("framereceived", lambda frame: got.append(len(frame))),
    )
    expect_whole(page)
    got.clear()
    small(page, "Layer 1, head 2").click()
    expect(page.get_by_text("chosen (0, 1)")).to_be_visible()
    assert sum(got) < 12_000


EDGES = "(part) => [part.getBoundingClientRect().top, part.getBoundingClientRect().bottom]"
CENTRES = """(one) => {
    const { left, width } = one.querySelector("canvas").getBoundingClientRect();
    const names = [...one.querySelectorAll(".heads bdi")];
    return names.map((name) => {
        const box = name.getBoundingClientRect();
        return [name.textContent, ((box.left + box.right) / 2 - left) / (width / names.length)];
    });
}"""


@pytest.mark.parametrize("width", some([1366, 390], 2))
def test_each_column_of_a_large_map_has_its_keys_name_above_it(looked: Shown, width: int) -> None:
    page = looked("whole", size=(width, 900))
    for one in grid(page).locator(".one").all():
        names, centres = zip(*one.evaluate(CENTRES), strict=True)
        assert names == tuple(f"k{n}" for n in range(7))
        np.testing.assert_allclose(centres, np.arange(7) + 0.5, atol=0.1)
        name, canvas = (one.locator(part).first for part in (".heads bdi", "canvas"))
        assert name.evaluate(EDGES)[1] <= canvas.evaluate(EDGES)[0]


@pytest.mark.parametrize("case", some(["whole", "calls"], 2))
def test_the_frame_of_the_chosen_map_is_not_covered(looked: Shown, case: str) -> None:
    """The ground of the names beside it ends before the frame begins."""
    page = looked(case, size=(1366, 900))
    room = """(map) => {
        const side = map.getRootNode().querySelector(".side");
        const lengths = getComputedStyle(side).boxShadow.match(/\\d+(?=px)/g);
        const ground = side.getBoundingClientRect().right + Number(lengths.at(-1));
        const { outlineWidth } = getComputedStyle(map);
        return map.getBoundingClientRect().left - parseFloat(outlineWidth) - ground;
    }"""
    assert grid(page).locator('.map[aria-pressed="true"]').evaluate(room) >= 0
