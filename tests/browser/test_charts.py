"""Charts in a real browser: what stands on their axes can be read."""

import pytest

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.page import nothing_of
from tests.sampling import some
from ui.links.path import address_of

LEGIBLE = """() => {
  const texts = [...document.querySelectorAll(
    '.js-plotly-plot :is(.xtitle, .ytitle, .xtick text, .annotation-text)')];
  const own = (text) => getComputedStyle(text).fill;
  const said = (text) => getComputedStyle(text.closest('[data-testid=stApp]')).color;
  return texts.length > 5 && texts.every((text) => own(text) === said(text));
}"""

CUT = """() => [...document.querySelectorAll('.js-plotly-plot')].flatMap((chart) => {
  const paper = chart.querySelector('.main-svg').getBoundingClientRect();
  const out = ({ left, right, top, bottom }) =>
    left < paper.left - 1 || right > paper.right + 1 ||
    top < paper.top - 1 || bottom > paper.bottom + 1;
  return [...chart.querySelectorAll('.main-svg text')]
    .filter((text) => text.checkVisibility() && text.textContent.trim())
    .filter((text) => out(text.getBoundingClientRect()))
    .map((text) => text.textContent);
})"""
"""The texts that reach out of the chart they are in."""
WIDEST = 720
DRAWN = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .every((chart) => chart.querySelector('.main-svg text, .gl-container canvas'))"""
ENERGIES = [
    "other-kinds?kinds_part=paint&kinds_moment=128", "other-kinds?kinds_part=rest&kinds_update=0",
    "other-kinds?kinds_part=rest&kinds_update=16", "other-kinds?kinds_part=paint&kinds_moment=64",
]  # fmt: skip


@pytest.mark.parametrize("width", some([390, 1440], 2))
@pytest.mark.parametrize("place", some([*ENERGIES, *map(address_of, PATH)], 30))
def test_no_text_of_a_chart_is_cut(open_page: OpenPage, place: str, width: int) -> None:
    page = open_page(place, size=(width, 900))
    page.wait_for_function(DRAWN)
    nothing_of(page, CUT)  # a chart is drawn once more when it has its width
    widths = "all => all.map((one) => one.clientWidth)"
    assert max(page.locator(".js-plotly-plot").evaluate_all(widths), default=0) <= WIDEST


@pytest.mark.deep
@pytest.mark.parametrize("chapter", some(["why-scale", "why-mask"], 2))
def test_axes_have_the_colour_of_the_text(open_page: OpenPage, chapter: str) -> None:
    page = open_page(chapter)
    page.wait_for_function(LEGIBLE)
    said = "getComputedStyle(document.querySelector('.stApp')).color"
    light = page.evaluate(said)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {said} !== light", arg=light)
    page.wait_for_function(LEGIBLE)
