"""Zoomed in, nothing hides the focus, no page scrolls sideways, and digits are read.

A window of 1280 × 800 that is zoomed to 200 % is one of 640 × 400 pixels; at 400 % of 320 × 256.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.by_keys import at, reach
from tests.browser.conftest import OpenPage
from tests.browser.page import settle, unfold
from tests.browser.stage import STAGE, tool
from tests.sampling import DEEP, paired, some
from ui.lessons.shelf import shipped
from ui.links.path import PAGE_NAMES, UNLISTED, address_of

SIZES = ((640, 400), (320, 256))
MOST = 400
"""So many stops no page has."""
SIDEWAYS = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return Math.max(main.scrollWidth - main.clientWidth, document.body.scrollWidth - innerWidth);
}"""
SCENES = [f"?lesson=from-nothing.{n + 1}" for n in range(len(shipped("from-nothing").scenes))]
ADDRESSES = [*map(address_of, PAGE_NAMES), *SCENES]


def hidden_stops(page: Page) -> list[tuple[str, str]]:
    """Stops of the Tab key that are not in sight when they have the focus."""
    found: list[tuple[str, str]] = []
    for _ in range(MOST):
        page.keyboard.press("Tab")
        here = at(page)
        if here.tag == "body":
            return found
        if here.tag != "main" and (not here.inside or here.covered):
            found.append((f"{here.tag} {here.name[:40]}", here.above))
    raise AssertionError(f"more than {MOST} stops")


@pytest.mark.parametrize(("address", "size"), paired(some(ADDRESSES, 37, 28), SIZES[::-1]))
def test_nothing_hides_the_focus(open_page: OpenPage, address: str, size: tuple[int, int]) -> None:
    page = open_page(address, size=size)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    assert page.evaluate(SIDEWAYS) <= 0
    if DEEP and not address.startswith("?lesson") and address not in UNLISTED:  # they have no folds
        unfold(page)
        settle(page)
        assert page.evaluate(SIDEWAYS) <= 0
        page.evaluate("document.activeElement.blur()")
    assert hidden_stops(page) == []


DIGITS = f"""() => Math.min(...[...{STAGE}.focus.querySelectorAll(".number, .label, .caption")]
  .filter((part) => part.getClientRects().length)
  .map((part) => parseFloat(getComputedStyle(part).fontSize)))"""


@pytest.mark.deep
def test_a_full_window_that_is_zoomed_is_read(open_page: OpenPage) -> None:
    """At four times it would have to shrink: then the page is there again, and scrolls."""
    page = open_page("?step=scores", size=(1280, 800))
    tool(page, "Full window").click()
    expect(page.locator(".stage.present")).to_be_visible()
    resize = page.context.new_cdp_session(page)  # a window that is full has one size
    screen = {"deviceScaleFactor": 1, "mobile": False}
    resize.send("Emulation.setDeviceMetricsOverride", {"width": 640, "height": 400, **screen})
    page.wait_for_function(f"() => ({DIGITS})() >= 12")
    expect(page.locator(".stage.present")).to_be_visible()
    resize.send("Emulation.setDeviceMetricsOverride", {"width": 320, "height": 256, **screen})
    expect(page.locator(".stage.present")).to_have_count(0)
    page.wait_for_function(f"() => ({DIGITS})() >= 12")
    expect(page.get_by_role("button", name="Full window")).to_have_count(0)
    reach(page, page.locator('.focus [role="gridcell"][tabindex="0"]').first)
    assert at(page).inside
    resize.detach()  # the next page of this tab has a size of its own
