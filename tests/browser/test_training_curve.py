"""The curve of a training as a slider: by hand, by keys, by itself, and without the server."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LookAt, OpenPage, PageOf, stopped
from tests.browser.page import box_of
from tests.browser.test_head_maps import DOTS, STRONGEST, Shown
from tests.browser.training_cases import STEPS, cases, read_column

APP = """
import streamlit as st

from tests.browser.training_cases import STEPS, TOKENS, cases
from ui.components.training_curve import training_curve

st.set_page_config(layout="wide")
state = st.session_state
given = state.setdefault("case", cases()[st.query_params["case"]])


def choose(step):
    state.heard = [*state.get("heard", []), step]


chosen = state.get("heard", [len(STEPS) - 1])[-1]
title = "Step of training"
training_curve(
    "maps", given["trainings"], STEPS, TOKENS, chosen, choose, off=given["off"], title=title
)
st.text(f"heard {state.get('heard', [])}")
"""
ANSWER = """() => {
  const told = globalThis[Symbol.for("attention-told")].get("maps");
  told.state = { ...told.state, chosen: 0 };
  told.hear();
  return new Promise((done) => setTimeout(done, 200));
}"""
"""The page says once more what it said last, but for the step; then a move counts as the last."""
KEYS_IN_A_ROW = """async (slider, keys) => {
  for (const key of keys) {
    slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done, 30));
  }
}"""


@pytest.fixture
def curves(page_of: PageOf) -> str:
    """The address of a page that draws a case."""
    return page_of("curves", APP)


@pytest.fixture
def shown(curves: str, open_page: OpenPage) -> Shown:
    """A case's page, all maps drawn."""
    return partial(whole_case, curves, open_page)


@pytest.fixture
def looked(curves: str, look_at: LookAt) -> Shown:
    """The same, for reading alone."""
    return partial(whole_case, curves, look_at)


def whole_case(curves: str, opens: Shown, case: str, **options: object) -> Page:
    page = opens(f"{curves}&case={case}", **options)
    expect(curve(page).locator("canvas").first).to_be_visible()
    return page


def curve(page: Page) -> Locator:
    return page.get_by_test_id("training-curve")


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Step of training")


def expect_heard(page: Page, *kept: int) -> None:
    expect(page.get_by_text("heard")).to_have_text(f"heard {list(kept)}")


def expect_shown(page: Page, case: str, kept: int) -> None:
    """Handle, sentences and every map are of that kept step."""
    step, trainings = STEPS[kept], cases()[case]["trainings"]
    expect(slider(page)).to_have_text(f"step {step}")
    expect(slider(page)).to_have_attribute("aria-valuenow", str(step))
    said = [(f"{one.name}: " if one.name else "") + one.said[kept] for one in trainings]
    expect(slider(page)).to_have_attribute("aria-valuetext", f"Step {step}: {'; '.join(said)}")
    expect(curve(page).locator(".said p")).to_have_text(said)
    expect(curve(page).locator(".dot.here")).to_have_count(len(trainings))
    places = [
        (layer, head, number)
        for number, one in enumerate(trainings)
        for layer, head in np.ndindex(one.weights.shape[1:3])
    ]
    captions = ["previous token" if kept > 1 else ""] * len(places)
    expect(curve(page).locator(".caption")).to_have_text(captions)
    percents = [f"{10 * kept + head} %" if kept > 1 else "" for _, head, _ in places]
    expect(curve(page).locator(".percent")).to_have_text(percents)
    strongest = curve(page).evaluate(STRONGEST)
    drawn = [np.array(one.evaluate(DOTS)) for one in curve(page).locator("canvas").all()]
    for place, dots in zip(places, drawn, strict=True):
        columns = np.arange(7) == read_column(kept, *place)
        np.testing.assert_array_equal(dots == strongest, np.tile(columns, (7, 1)))


def across(page: Page, step: float) -> float:
    """Where a step is on the window, from its left."""
    area = box_of(curve(page).locator(".area"))
    return area.left + area.width * step / STEPS[-1]


def test_keys_move_the_slider_and_the_page_hears_where_it_rests(shown: Shown) -> None:
    page = shown("one")
    expect_shown(page, "one", 4)
    slider(page).focus()
    for key, kept in [("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", 4)]:
        page.keyboard.press(key)
        expect_shown(page, "one", kept)
    slider(page).evaluate(KEYS_IN_A_ROW, ["Home", "ArrowLeft", "ArrowRight", "ArrowRight", "Tab"])
    expect(page.get_by_text("heard")).to_contain_text("2]")
    heard = page.get_by_text("heard").inner_text()
    slider(page).evaluate(KEYS_IN_A_ROW, ["ArrowRight", "ArrowRight", "ArrowDown"])
    expect(page.get_by_text("heard")).to_have_text(heard.replace("]", ", 3]"))
    expect_shown(page, "one", 3)


def test_the_plot_is_pressed_and_dragged_and_snaps_to_kept_steps(shown: Shown) -> None:
    page = shown("two", size=(1366, 657))
    area, mouse = box_of(curve(page).locator(".area")), page.mouse
    mouse.click(across(page, 33), area.top + 20)
    expect_shown(page, "two", 2)
    expect_heard(page, 2)
    mouse.move(across(page, 4), area.top + 60)
    mouse.down()
    expect_shown(page, "two", 0)
    for step, kept in [(7, 1), (60, 3), (76, 4), (40, 3)]:
        mouse.move(across(page, step), area.top + 300)
        expect_shown(page, "two", kept)
    mouse.move(area.left - 40, area.top)
    expect_shown(page, "two", 0)
    mouse.up()
    mouse.move(across(page, 50), area.top)
    expect_shown(page, "two", 0)
    expect(slider(page)).to_be_focused()


def test_to_take_the_handle_moves_nothing(shown: Shown) -> None:
    """Also at its end, which is far from the line."""
    page = shown("one", size=(390, 844))
    handle, mouse = box_of(slider(page)), page.mouse
    mouse.move(handle.left + 3, handle.top + handle.height / 2)
    mouse.down()
    expect_shown(page, "one", 4)
    mouse.move(handle.left + 3 - (across(page, 100) - across(page, 52)), handle.top)
    expect_shown(page, "one", 3)
    mouse.up()
    expect_heard(page, 3)


def test_a_finger_that_scrolls_leaves_the_step(shown: Shown) -> None:
    page = shown("one", size=(390, 844))
    area = curve(page).locator(".area")
    down = {"pointerId": 1, "button": 0, "clientX": across(page, 0), "clientY": 0, "bubbles": True}
    curve(page).locator(".plot").evaluate("(plot) => { plot.setPointerCapture = () => {}; }")
    area.dispatch_event("pointerdown", down)
    expect_shown(page, "one", 0)
    area.dispatch_event("pointercancel", down)
    expect_shown(page, "one", 4)


def test_it_plays_from_the_start_to_the_end_and_stops_by_hand(shown: Shown) -> None:
    page = shown("one")
    play = curve(page).get_by_role("button", name="Play")
    play.click()
    for kept in range(len(STEPS)):
        expect(slider(page)).to_have_text(f"step {STEPS[kept]}")
    expect(play).to_be_visible()
    expect_shown(page, "one", 4)
    expect_heard(page, *range(len(STEPS)))
    play.click()
    expect(slider(page)).to_have_text("step 10")
    slider(page).press("Home")
    expect(play).to_be_visible()
    expect_shown(page, "one", 0)


def test_a_button_at_an_end_gives_the_focus_to_the_slider(shown: Shown) -> None:
    page = shown("one")
    on, back = (
        curve(page).get_by_role("button", name=name)
        for name in ("One kept step on", "One kept step back")
    )
    expect(on).to_be_disabled()
    back.click()
    expect_shown(page, "one", 3)
    expect(back).to_be_focused()
    on.click()
    expect_shown(page, "one", 4)
    expect(slider(page)).to_be_focused()


def test_it_moves_with_the_server_stopped_and_no_older_answer_moves_it_back(
    shown: Shown, curves: str
) -> None:
    page = shown("two")
    with stopped(curves):
        slider(page).press("ArrowLeft")
        page.evaluate(ANSWER)  # before the page is told
        expect_shown(page, "two", 3)
        page.evaluate(ANSWER)  # and before it answers
        expect_shown(page, "two", 3)
        for kept in (2, 1):
            slider(page).press("ArrowLeft")
            expect_shown(page, "two", kept)
    expect(page.get_by_text("heard")).to_contain_text("1]")
    expect_shown(page, "two", 1)
    page.evaluate(ANSWER)
    expect_shown(page, "two", 0)


def test_maps_have_names_and_a_head_that_is_off_is_struck(looked: Shown) -> None:
    page = looked("one")
    names = [
        "Layer 1, head 1: previous token 40 %",
        "Layer 1, head 2: previous token 41 %",
        "Layer 2, head 1: previous token 40 %, switched off",
        "Layer 2, head 2: previous token 41 %",
    ]
    maps = curve(page).get_by_role("img")
    assert [one.get_attribute("aria-label") for one in maps.all()] == names
    strokes = "(map) => getComputedStyle(map, '::after').backgroundImage.includes('gradient')"
    assert [one.evaluate(strokes) for one in maps.all()] == [False, False, True, False]
    bars = "(map) => getComputedStyle(map.querySelector('.bar-of')).backgroundImage"
    assert [f"{40 + n % 2}%" in one.evaluate(bars) for n, one in enumerate(maps.all())] == [
        True
    ] * 4
    two = curve(looked("two")).get_by_role("group", name="without the mask").get_by_role("img")
    assert two.nth(5).get_attribute("aria-label") == (
        "Layer 2, head 2, without the mask: previous token 41 %"
    )


def test_a_cell_that_is_pointed_at_says_who_reads_whom(looked: Shown) -> None:
    page = looked("one")
    canvas = curve(page).locator("canvas").nth(1)
    cell = box_of(canvas).width / 7
    column = read_column(4, 0, 1)
    for at, percent in ((column, 100), (column + 1, 0)):
        canvas.hover(position={"x": (at + 0.5) * cell, "y": 2.5 * cell})
        said = f"“c” gives {percent} % of its weight to “{'abcdefg'[at]}”."
        expect(canvas).to_have_attribute("title", said)


SIZES = [(1366, 657), (1100, 600), (390, 844)]


@pytest.mark.parametrize(("case", "size"), [("one", SIZES[0]), *(("two", size) for size in SIZES)])
def test_it_fits_its_room(looked: Shown, case: str, size: Any) -> None:
    page = looked(case, size=size)
    box = box_of(curve(page))
    if size[0] >= 1366:
        assert box.height <= 280
    parts = curve(page).locator("canvas, .tick, .name, .slider, .caption, button")
    for part in parts.all():
        here = box_of(part)
        assert here.left >= box.left - 1, part
        assert here.left + here.width <= box.left + box.width + 1, part
    for target in curve(page).locator("button, .slider").all():
        assert min(box_of(target).height, box_of(target).width) >= 24
    fits = (
        "(part) => part.scrollWidth <= part.clientWidth && part.scrollHeight <= part.clientHeight"
    )
    assert all(one.evaluate(fits) for one in curve(page).locator(".caption").all())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper_are_the_curve_and_the_maps_in_light_colours(shown: Shown, theme: str) -> None:
    page = shown("one", theme=theme)
    page.emulate_media(media="print")
    expect(curve(page).get_by_role("button")).to_have_count(0)
    expect(slider(page)).to_be_visible()
    empty = np.array(curve(page).locator("canvas").first.evaluate(DOTS))[0][5]
    assert empty & 0xFF > 240


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_two_lines_differ_in_colour_and_dash(looked: Shown, theme: str) -> None:
    lines = curve(looked("two", theme=theme)).locator("polyline").all()
    looks = [
        line.evaluate("(line) => { const { stroke, strokeDasharray } = getComputedStyle(line); "
                      "return [stroke, strokeDasharray]; }")
        for line in lines
    ]  # fmt: skip
    assert len({colour for colour, _ in looks}) == 2
    assert [dash for _, dash in looks] == ["none", "7px, 4px"]
