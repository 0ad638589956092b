"""Charts in a real browser: what stands on their axes can be read."""

from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

SAID = ".js-plotly-plot :is(.xtitle, .ytitle, .xtick text, .legendtext)"
COLOURS = """texts => texts.map(text => [
  getComputedStyle(text).fill, getComputedStyle(text.closest('[data-testid=stApp]')).color])"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("chapter", ["why-scale", "why-mask"])
def test_axes_have_the_colour_of_the_text(
    server: str, open_page: OpenPage, chapter: str, theme: Literal["light", "dark"]
) -> None:
    page = open_page(f"{server}/{chapter}", theme=theme)
    expect(page.locator(".js-plotly-plot .xtitle").first).to_be_visible()
    colours = page.locator(SAID).evaluate_all(COLOURS)
    assert len(colours) > 5
    assert all(fill == text for fill, text in colours), colours
