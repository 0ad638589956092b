"""The gallery of real heads: a card opens its head on the stage, the grid enlarges any head."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.models.captures import captured_heads, captured_runs, load_capture
from core.models.head_search import weights_of_all_heads
from core.program.numbers.rounding import cell_text, typeset
from tests.browser.by_keys import at
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, settle
from tests.browser.stage import STAGE, arithmetic, choice, expect_selected, focus_cell
from tests.browser.test_head_maps import DOTS, STRONGEST, grid
from tests.quotes import proves

PREVIOUS = "real-heads?real_capture=smollm2-previous-token"
PAINTED = """canvas => {
  const dots = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(new Uint32Array(dots.buffer)).size;
}"""
"""How many colours a canvas has: one that was not drawn has one."""


def cards(page: Page) -> Locator:
    return page.get_by_test_id("head-cards").get_by_role("radio")


def open_grid(page: Page) -> Locator:
    page.get_by_text("All 270 heads of this model on this text").click()
    expect(grid(page).get_by_role("button")).to_have_count(270)
    settle(page)
    return grid(page)


def test_a_card_is_in_sight_and_opens_its_head_at_what_it_does(open_page: OpenPage) -> None:
    page = open_page("real-heads", size=(1366, 657))
    expect(page.get_by_text("“he” gives 60 % of its weight to “John”")).to_be_in_viewport()
    expect(page.get_by_test_id("ribbon").first).to_contain_text("“she” reads 64 % from “Mary”")
    expect(cards(page)).to_have_count(len(captured_heads()))
    expect_selected(page, "weights.0.9.1")
    before_and_after_stand_side_by_side_and_small_weights_are_about_0(page)
    page.locator("[data-head=smollm2-induction]").click()
    expect_selected(page, "weights.0.13.6")
    capture = load_capture("smollm2-induction")
    number = typeset(cell_text(capture.weights[13, 6]))
    expect(focus_cell(page, "weights.0.13.6")).to_have_text(number)
    expect(arithmetic(page)).to_contain_text(number)
    expect(page.locator("[data-head=smollm2-induction]")).to_have_attribute("aria-checked", "true")
    assert "real_capture=smollm2-induction" in page.url
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-head=smollm2-own-token]")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_text("layer 12, head 7").first).to_be_visible()
    choice(page, "cover", "weights").click()
    expect(page.get_by_test_id("head-cards")).to_be_hidden()


def before_and_after_stand_side_by_side_and_small_weights_are_about_0(page: Page) -> None:
    focus = page.locator('.st-key-real_stage [data-part="focus"]')
    cells = (focus.locator(f'[data-cell="{name}.0.0.0"]') for name in ("masked", "weights"))
    before, after = map(box_of, cells)
    assert abs(before.top - after.top) < 2
    assert before.left < after.left
    texts = focus.locator(".number").all_inner_texts()
    assert "≈ 0" in texts
    assert not [text for text in texts if "e−" in text]
    small = focus.locator('[data-cell^="weights."]', has_text="≈ 0").first
    assert "e" not in small.inner_text()
    small.click()
    expect(page.get_by_test_id("arithmetic").first).to_contain_text("10")


def have_the_same_colours_and_say_what_they_mean(page: Page, name: str) -> None:
    """The card of this head, and the grid in which it is enlarged."""
    said = "In each row of a map, the largest weight has the strongest colour."
    expect(page.get_by_text(said)).to_have_count(2)
    capture = load_capture(name)
    wanted = capture.weights / capture.weights.max(axis=1, keepdims=True) > 0.975
    card = page.locator(f"[data-head={name}] canvas")
    for canvas in (card, grid(page).locator(".board canvas")):
        strongest = canvas.evaluate(f"(canvas) => ({STRONGEST})(canvas.closest('.in-colours'))")
        dots = np.array(canvas.evaluate(DOTS))
        assert ((dots == strongest) >= wanted).all()
        assert ((dots == strongest).sum(axis=1) >= 1).all()


@proves("""
    {layers} layers from left to right, {heads} heads each from top to bottom | “{query}” gives
    {percent} % of its weight to “{key}” | “{query}” may not read “{key}”: it comes later | In each
    row of a map, the largest weight has the strongest colour
""")
def test_the_grid_has_the_cards_colours_and_reads_a_head_s_weights(open_page: OpenPage) -> None:
    page = open_page(PREVIOUS)
    heads = open_grid(page)
    have_the_same_colours_and_say_what_they_mean(page, "smollm2-previous-token")
    run = next(run for run in captured_runs() if run.name == "smollm2-keys")
    layer, head, query, key = 4, 2, 9, 0
    heads.get_by_role("button", name=re.compile(rf"^Layer {layer + 1}, head {head + 1}:")).click()
    expect(page.get_by_text(f"layer {layer + 1}, head {head + 1} (index").last).to_be_visible()
    assert f"real_map={layer + 1}.{head + 1}" in page.url
    for press, place in (("Right", (6, 3)), ("Down", (6, 4)), ("Left", (5, 4)), ("Up", (5, 3))):
        page.keyboard.press(f"Arrow{press}")
        walked = re.compile("^Layer {}, head {}:".format(*place))
        expect(heads.get_by_role("button", name=walked)).to_be_focused()
    board = heads.locator(".board")
    cell = box_of(board).width / len(run.tokens)
    board.hover(position={"x": (key + 0.5) * cell, "y": (query + 0.5) * cell})
    weights = weights_of_all_heads(run)[layer, head]
    percent = int(np.floor(100 * weights[query, key] + 0.5))
    reading = heads.locator(".reading")
    expect(reading).to_have_text(f"“the₂” gives {percent} % of its weight to “The”.")
    board.focus()
    page.keyboard.press("ArrowRight")
    percent = int(np.floor(100 * weights[query, key + 1] + 0.5))
    expect(reading).to_have_text(f"“the₂” gives {percent} % of its weight to “keys”.")
    for _ in range(query + 1):
        page.keyboard.press("ArrowRight")
    expect(reading).to_have_text(re.compile("^“the₂” may not read “.+”: it comes later[.]$"))


@proves("A frame marks a head that is on a card above")
@pytest.mark.deep
def test_a_framed_head_of_the_grid_opens_on_the_stage(open_page: OpenPage) -> None:
    page = open_page(PREVIOUS)
    heads = open_grid(page)
    expect(heads.locator(".map.framed")).to_have_count(2)
    even = heads.get_by_role("button", name=re.compile(r"^Layer 1, head 2:"))
    even.click()
    page.get_by_role("button", name="Open this head on the stage").click()
    expect(page.locator("[data-head=smollm2-even]")).to_have_attribute("aria-checked", "true")
    expect_selected(page, "weights.0.12.11")


@pytest.mark.deep
def test_every_map_is_painted_and_the_grid_is_walked_by_keys(open_page: OpenPage) -> None:
    page = open_page("real-heads?real_map=1.1")
    heads = grid(page)
    one = heads.get_by_role("button", name=re.compile(r"^Layer 1, head 1:"))
    expect(one).to_have_attribute("aria-pressed", "true")
    settle(page)
    for where in ("head-cards", "stage", "head-grid"):
        canvases = page.get_by_test_id(where).locator("canvas").all()
        colours = [one.evaluate(PAINTED) for one in canvases]
        assert len(colours) >= 4
        assert min(colours) > 1, where
    one.focus()
    for press in ("ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(press)
    pressed = heads.get_by_role("button", name=re.compile(r"^Layer 2, head 2:"))
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(pressed).to_be_focused()
    expect(page.get_by_text("layer 2, head 2 (index").last).to_be_visible()


def test_on_a_phone_windows_move_together_with_the_focus_in_sight(open_page: OpenPage) -> None:
    page = open_page(PREVIOUS, size=(390, 844))
    expect_selected(page, "weights.0.11.10")
    moves_windows_on_the_same_tokens_together(page)
    breaks_the_sentence_of_a_row_at_its_own_edge(page)
    small = open_page(PREVIOUS, size=(320, 256))  # not made small: that is laid out by and by
    expect_selected(small, "weights.0.11.10")
    keeps_the_focus_in_sight_where_windows_move_together(small)


def moves_windows_on_the_same_tokens_together(page: Page) -> None:
    """Scores and weights are windows; both show the selected cell, and move as one."""
    windows = page.locator('[data-part="focus"].window .grid')
    expect(windows).to_have_count(2)

    def places() -> list[list[float]]:
        found: list[list[float]] = windows.evaluate_all(
            "all => all.map((grid) => [grid.scrollLeft, grid.scrollTop])"
        )
        return found

    settle(page)
    first, second = places()
    assert first == second
    assert first[0] > 0
    windows.first.evaluate("(grid) => { grid.scrollLeft = 0; grid.scrollTop = 0; }")
    page.wait_for_function(f"() => {STAGE}.large.row[1].grid.scrollLeft === 0")
    assert places() == [[0, 0], [0, 0]]


def breaks_the_sentence_of_a_row_at_its_own_edge(page: Page) -> None:
    """The table below it is wider, and scrolls."""
    left_over = """(workings) => {
        const words = written(workings.querySelector("caption")).getBoundingClientRect();
        const { right } = workings.getBoundingClientRect();
        return [right - words.right, workings.scrollWidth - workings.clientWidth];
    }"""
    room, hidden = page.locator(".workings").first.evaluate(left_over)
    assert room >= 0
    assert hidden > 0


def keeps_the_focus_in_sight_where_windows_move_together(page: Page) -> None:
    """Two Tabs within one frame: the first window tells the second of its place when the second
    already shows another cell."""
    page.keyboard.press("Tab")  # from here on the focus is moved by keys
    page.evaluate(
        f"""async () => {{
          const [scores, weights] = {STAGE}.large.row.map(({{ cells }}) => cells);
          scores[0].focus();
          weights.at(-1).focus();
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        }}"""
    )
    here = at(page)
    assert here.role == "gridcell"
    assert here.inside, here
    assert not here.covered, here
