"""A sentence of twelve words on a projector: at each step all of it, or windows of it, in sight."""

import pytest
from playwright.sync_api import Page, expect

from core.attention.tokens import tokenise
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived
from tests.browser.stage import focus_cell
from tests.browser.test_present import LOOK
from ui.lessons.shelf import shipped

SIZES = {(1280, 720): 12, (1920, 1080): 18}
"""Windows of a projector, and the smallest digits in them."""
TEXT = "the river bank was closed because the flood had covered it again"
LAST = len(shipped("class").scenes)
ADDRESSES = {
    "the walkthrough": "/?step=X&present=1",
    "the last scene of the class": f"/?lesson=class.{LAST}&present=1",
}
SCROLLS = """(stage) => [...stage.querySelectorAll("*")].filter((box) => {
  const { overflowX, overflowY } = getComputedStyle(box);
  const can = (way) => ["auto", "scroll"].includes(way);
  return box.getClientRects().length && (
    (can(overflowX) && box.scrollWidth > box.clientWidth + 1)
    || (can(overflowY) && box.scrollHeight > box.clientHeight + 1));
}).map((box) => box.className)"""
"""The boxes of a stage that have more in them than is seen."""
WALK = f"""async (least) => {{
  const look = {LOOK}, scrolls = {SCROLLS};
  const isGood = ([seen, boxes]) => !seen.cut.length && !boxes.length && seen.digits >= least;
  const stage = [...globalThis[Symbol.for("attention-stages")]].find((one) => one.presenting);
  const found = [];
  for (const stop of stage.stops) {{
    stage.go(stop.first, stop.inside);
    const [seen, boxes] = await laterSeen(() => [look(stage.root), scrolls(stage.root)], isGood);
    found.push([seen.step, seen.cut, boxes, seen.digits, seen.cells, stage.panes.maps.length]);
  }}
  return found;
}}"""


def projected(open_page: OpenPage, address: str, size: tuple[int, int] = (1280, 720)) -> Page:
    page = open_page(f"{address}&text={TEXT.replace(' ', '+')}", size=size)
    if "lesson" in address:
        arrived(page, LAST, LAST)
    expect(page.locator(".stage.present .focus .cell").first).to_be_visible()
    expect(page.locator(".stage.present .focus").get_by_text("flood").first).to_be_attached()
    return page


@pytest.mark.deep
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("where", ADDRESSES)
def test_nothing_of_twelve_words_is_cut_or_scrolled(
    open_page: OpenPage, where: str, size: tuple[int, int]
) -> None:
    assert len(tokenise(TEXT)) == 12
    walked(projected(open_page, ADDRESSES[where], size), SIZES[size])


def walked(page: Page, least: int) -> list[str]:
    """Look at each step; returns those of which a matrix is shown in part."""
    found = page.evaluate(WALK, least)
    assert len(found) == 10
    for step, cut, boxes, digits, cells, _ in found:
        assert cells
        assert not cut, (step, cut)
        assert not boxes, (step, boxes)
        assert digits >= least, step
    return [step for step, *_, maps in found if maps]


def test_a_matrix_too_large_is_a_pane_that_follows_the_selection(open_page: OpenPage) -> None:
    page = projected(open_page, ADDRESSES["the last scene of the class"])
    assert "masked" in walked(page, SIZES[1280, 720])
    page.evaluate("""() => {
      const stage = [...globalThis[Symbol.for("attention-stages")]].find((one) => one.presenting);
      stage.go("masked");
      stage.choose("masked.0.11.10");
    }""")
    expect(focus_cell(page, "masked.0.11.10")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".focus .label.side", has_text="again").first).to_be_visible()
    expect(focus_cell(page, "masked.0.0.0")).to_have_count(0)
    page.keyboard.press("PageUp")
    expect(page.locator(".stage.present")).to_have_attribute("data-step", "scaled")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.keyboard.press("PageDown")
    expect(focus_cell(page, "masked.0.0.0")).to_be_visible()
