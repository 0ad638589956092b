"""A chapter's picture and what to notice in it are in the untouched window, before any stage."""

import pytest

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.test_first_screen import PICTURES
from tests.browser.waiting import settle
from tests.sampling import three
from ui.path import address_of

NOTICE = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const said = [...main.querySelectorAll("[data-testid=stMarkdownContainer] strong")];
  const shown = said.filter((node) => /^Notice/.test(node.textContent) && node.checkVisibility());
  return Math.min(...shown.map((node) => node.getBoundingClientRect().bottom));
}"""
"""Where the first line ends that says what to notice."""
CHAPTERS = [name for name in PATH if name not in ("walkthrough", "debug_lab")]
"""The walkthrough says it on its stage (`test_first_screen`). In the lab it would be the answer."""
CASES = [(name, width, height) for width, height in ((1366, 657), (390, 844)) for name in CHAPTERS]


@pytest.mark.parametrize(("name", "width", "height"), three(CASES, 1))
def test_the_picture_and_its_notice_are_in_the_untouched_window(
    server: str, open_page: OpenPage, name: str, width: int, height: int
) -> None:
    page = open_page(f"{server}/{address_of(name)}", width=width, height=height)
    settle(page)
    page.wait_for_function(f"() => ({PICTURES})().length && ({NOTICE})() < Infinity")
    top, bottom, what = page.evaluate(PICTURES)[0]
    assert (top + bottom) / 2 <= height, (what, top, bottom)
    assert page.evaluate(NOTICE) <= height
