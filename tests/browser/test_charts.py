"""Charts in a real browser: what stands on their axes can be read."""

import pytest

from tests.browser.conftest import OpenPage
from tests.deep import some

LEGIBLE = """() => {
  const texts = [...document.querySelectorAll(
    '.js-plotly-plot :is(.xtitle, .ytitle, .xtick text, .legendtext)')];
  const own = (text) => getComputedStyle(text).fill;
  const said = (text) => getComputedStyle(text.closest('[data-testid=stApp]')).color;
  return texts.length > 5 && texts.every((text) => own(text) === said(text));
}"""


@pytest.mark.deep
@pytest.mark.parametrize("chapter", some(["why-scale", "why-mask"], 2))
def test_axes_have_the_colour_of_the_text(server: str, open_page: OpenPage, chapter: str) -> None:
    page = open_page(f"{server}/{chapter}")
    page.wait_for_function(LEGIBLE)
    said = "getComputedStyle(document.querySelector('.stApp')).color"
    light = page.evaluate(said)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {said} !== light", arg=light)
    page.wait_for_function(LEGIBLE)
