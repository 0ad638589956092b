"""A chapter's picture and what to notice in it are in the untouched window, before any stage."""

import pytest

from core.path import PATH
from tests.browser.conftest import LookAt
from tests.browser.test_first_screen import PICTURES
from tests.sampling import DEEP
from ui.links.path import address_of

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
SAMPLE = [("recursive_attention", 1366, 657), ("block", 390, 844)]
HIGHEST = 420
"""Where the first picture begins at the latest on a laptop, whose window may be 900 high."""


@pytest.mark.parametrize(("name", "width", "height"), CASES if DEEP else SAMPLE)
def test_the_picture_and_its_notice_are_in_the_untouched_window(
    server: str, look_at: LookAt, name: str, width: int, height: int
) -> None:
    page = look_at(f"{server}/{address_of(name)}", width=width, height=height)
    page.wait_for_function(f"() => ({PICTURES})().length && ({NOTICE})() < Infinity")
    top, bottom, what = page.evaluate(PICTURES)[0]
    assert (top + bottom) / 2 <= height, (what, top, bottom)
    if width > height:
        assert top < HIGHEST, (what, top)
        assert bottom <= 900, (what, bottom)
    assert page.evaluate(NOTICE) <= height
