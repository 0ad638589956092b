"""The walkthrough's untouched first screen: its controls are few, and the way in is one of them."""

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.stage import expect_step, told_ahead
from tests.browser.waiting import settle
from tests.sampling import three
from ui.path import address_of

MOST = 45
CONTROLS = """() => {
  const kinds = ["button", "a[href]", "input", "select", "summary", "textarea",
    ...["button", "link", "radio", "tab", "slider", "combobox"].map((role) => `[role=${role}]`)];
  const found = new Set();
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(kinds.join()) || node.closest("[role=gridcell]")) return;
    const { left, right, top, bottom, width, height } = node.getBoundingClientRect();
    const inside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    const shown = width && height && node.checkVisibility({ visibilityProperty: true });
    if (shown && inside) found.add(node);
  });
  look(document);
  const named = (node) => node.getAttribute("aria-label") || node.textContent || node.placeholder;
  return [...found].map((node) => [
    node.closest('[data-testid="stage"]') ? "stage" : "page", (named(node) || "").trim(),
  ]);
}"""
"""What one can press, type into or choose in the window, grids aside: where it is, and its name."""


def controls(page: Page, where: str = "") -> list[str]:
    found: list[list[str]] = page.evaluate(CONTROLS)
    return [name for place, name in found if where in ("", place)]


def test_the_untouched_walkthrough_shows_few_controls(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/", width=1440, height=900)
    expect_step(page, "X")
    told_ahead(page)
    shown = controls(page)
    assert len(shown) <= MOST, (len(shown), shown)


@pytest.mark.deep
def test_the_row_above_the_stage_is_one_row_with_the_way_in(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/", width=1440, height=900)
    expect_step(page, "X")
    row = page.locator(".st-key-controls")
    named = [
        row.get_by_role("textbox", name="Sentence"), row.get_by_role("button", name="Examples"),
        row.get_by_role("button", name="Numbers: made by hand"),
        row.get_by_role("link", name="New to this? Start from nothing →"),
    ]  # fmt: skip
    middles = []
    for control in named:
        expect(control).to_be_visible()
        box = control.bounding_box()
        assert box
        middles.append(box["y"] + box["height"] / 2)
    assert max(middles) - min(middles) < 2, middles
    assert max(middles) < 200
    assert row.get_by_role("button", name="Back to").count() == 0
    assert len(controls(page, "page")) <= 20, controls(page, "page")


HIGHEST = 420
PICTURES = """() => {
  const kinds = ["svg", ".matrix", ".bars", ".maps", ".js-plotly-plot", "canvas"];
  const found = [];
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(kinds.join()) || node.closest("header, button, a, .strip")) return;
    const { top, bottom, width, height } = node.getBoundingClientRect();
    const isPicture = width >= 100 && height >= 24;
    const shown = node.checkVisibility({ visibilityProperty: true });
    const name = node.className.baseVal ?? node.className;
    if (isPicture && shown) found.push([top, bottom, `${node.localName}.${name}`]);
  });
  look(document.querySelector("[data-testid=stMain]"));
  return found.sort((a, b) => a[0] - b[0]);
}"""
"""What is drawn on a page, the map of a stage aside: top, bottom and name, the highest first."""


@pytest.mark.parametrize("name", three([*PATH], 1))
def test_the_first_picture_of_a_chapter_stands_in_its_first_screen(
    server: str, open_page: OpenPage, name: str
) -> None:
    page = open_page(f"{server}/{address_of(name)}", width=1440, height=900)
    settle(page)
    page.wait_for_function(f"() => ({PICTURES})().length")
    top, bottom, what = page.evaluate(PICTURES)[0]
    assert top < HIGHEST, (what, top)
    assert bottom <= 900, (what, bottom)
