"""A page that is left is left, whatever its stage still has to say."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import strip_phase, told_ahead
from tests.browser.waiting import settle


STAGE = '[...globalThis[Symbol.for("attention-stages")]][0]'


def by_link(page: Page) -> None:
    page.get_by_test_id("stTopNavSection").last.click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Heads").click()


def by_history(page: Page) -> None:
    page.evaluate("history.back()")


@pytest.mark.parametrize("leave", [by_link, by_history])
def test_what_a_stage_says_late_does_not_empty_the_page_that_comes(
    server: str, open_page: OpenPage, leave: object
) -> None:
    page = open_page(server)
    told_ahead(page)
    if leave is by_history:
        by_link(page)
        page.wait_for_url("**/heads*")
        settle(page)
    here = page.get_by_role("heading", level=1).inner_text()
    with stopped(server):
        leave(page)
        page.keyboard.press("PageDown")
        # By a script, because the pointer no longer reaches the page that is left.
        page.locator(strip_phase("weights")).first.evaluate("phase => phase.click()")
        page.wait_for_function(f"!{STAGE}.unsent")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(here)
    settle(page)
    expect(page.locator(".focus .cell").first).to_be_visible()
    expect(page.get_by_test_id("stMain")).not_to_have_attribute("inert", "")


SOON = "const later = setTimeout; globalThis.setTimeout = (f, ms) => later(f, Math.min(ms, 1000));"
LOST = """() => {
  const link = document.createElement("a");
  link.href = "/heads";
  link.addEventListener("click", (event) => event.preventDefault());
  document.body.append(link);
  link.click();
}"""


def test_a_click_that_was_lost_leaves_the_page_as_it_is(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/?step=X", prepare=lambda page: page.add_init_script(SOON))
    told_ahead(page)
    page.evaluate(LOST)
    expect(page.get_by_test_id("stMain")).to_have_attribute("inert", "")
    page.keyboard.press("PageDown")
    settle(page)
    expect(page.get_by_test_id("stMain")).not_to_have_attribute("inert", "")
    page.wait_for_function(f"{STAGE}.answered.number === {STAGE}.number")
