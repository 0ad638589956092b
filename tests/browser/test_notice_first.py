"""A chapter's picture and what to notice in it are in the untouched window, before any stage."""

import pytest

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.test_first_screen import PICTURES
from tests.browser.waiting import settle
from tests.sampling import three
from ui.path import address_of

NOTICE = """() => {
  const said = document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdownContainer] strong");
  const found = [...said].filter((node) => /^Notice/.test(node.textContent) && node.checkVisibility());
  return found.map((node) => node.getBoundingClientRect().bottom).sort((a, b) => a - b)[0];
}"""
"""Where the first line ends that says what to notice."""
CHAPTERS = [name for name in PATH if name not in ("walkthrough", "debug_lab")]
"""The walkthrough's sentence is on its stage (`test_first_screen`); the lab's would be the answer."""
CASES = [
    (name, width, height) for width, height in ((1366, 657), (390, 844)) for name in CHAPTERS
]


@pytest.mark.parametrize(("name", "width", "height"), three(CASES, 1))
def test_the_picture_and_its_notice_are_in_the_untouched_window(
    server: str, open_page: OpenPage, name: str, width: int, height: int
) -> None:
    page = open_page(f"{server}/{address_of(name)}", width=width, height=height)
    settle(page)
    page.wait_for_function(f"() => ({PICTURES})().length && ({NOTICE})()")
    top, bottom, what = page.evaluate(PICTURES)[0]
    assert (top + bottom) / 2 <= height, (what, top, bottom)
    assert page.evaluate(NOTICE) <= height
