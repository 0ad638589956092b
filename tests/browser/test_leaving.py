"""A page that is left is left, whatever it still has to say."""

import re
from collections.abc import Callable
from contextlib import nullcontext

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import go_by_path, settle
from tests.browser.stage import STAGE, choice, expect_step, focus_cell, strip_phase, told_ahead
from tests.browser.test_alone import PRESSED
from tests.sampling import some
from ui.links.path import BESIDE


def by_link(page: Page) -> None:
    go_by_path(page, PATH["debug_lab"].title)


def by_history(page: Page) -> None:
    page.evaluate("history.back()")


@pytest.mark.parametrize("leave", some([by_link, by_history], 2))
def test_what_a_page_says_late_does_not_empty_the_one_that_comes(
    open_page: OpenPage, leave: Callable[[Page], None]
) -> None:
    page = open_page("?step=scores", until=told_ahead)
    if leave is by_history:
        by_link(page)
        expect(page.get_by_role("heading", level=1)).to_contain_text("ebug")
        settle(page)
        expect(page.locator(strip_phase("weights")).first).to_be_attached()
    here = page.get_by_role("heading", level=1).inner_text()
    with stopped(page.url):
        leave(page)
        page.keyboard.press("PageDown")
        page.locator(strip_phase("weights")).first.click()
        page.wait_for_function(f"() => !{STAGE}.unsent")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(here)
    settle(page)
    expect(page.locator(".focus .cell").first).to_be_visible()


@pytest.mark.parametrize("server_stopped", some([True, False], 2))
def test_what_was_done_before_leaving_is_done(open_page: OpenPage, server_stopped: bool) -> None:
    """An edit, a toggle and a step, and at once another page: all are there on the way back."""
    page = open_page("?step=X", until=told_ahead)
    with stopped(page.url) if server_stopped else nullcontext():
        focus_cell(page, "X.0.0").focus()
        page.keyboard.type("33")
        page.keyboard.press("Enter")
        choice(page, "mask", "none").click()
        page.locator(strip_phase("Q")).click()
        by_link(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("ebug")
    settle(page)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Self-attention")
    expect_step(page, "Q")
    expect(choice(page, "mask", "none")).to_have_attribute("aria-checked", "true")
    assert {"step=Q", "mask=none"} <= set(re.split("[?&]", page.url))
    page.locator(strip_phase("X")).click()
    expect(focus_cell(page, "X.0.0")).to_have_text("33.00")


@pytest.mark.deep
def test_who_leaves_at_once_leaves_the_link_of_what_was_seen(open_page: OpenPage) -> None:
    """Seven presses, and in the same moment the page is loaded again."""
    page = open_page("?step=X", until=told_ahead)
    page.evaluate(f"() => {{ ({PRESSED})(['PageDown', 7, 0]).then(() => location.reload()); }}")
    page.wait_for_url("**step=output**")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "output")
    settle(page)
    assert "step=output" in page.url


@pytest.mark.deep
def test_back_from_a_page_that_a_link_led_to_finds_the_address_that_was_left(
    server: str, open_page: OpenPage
) -> None:
    """Also what no session keeps: the projector's view."""
    left = f"{server}/lessons?present=1"
    page = open_page(left)
    page.locator(".st-key-page_footer a").first.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(PATH["words"].title)
    settle(page)
    page.go_back()
    title = re.compile(BESIDE["lessons"], re.IGNORECASE)
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)
    settle(page)
    expect(page).to_have_url(left)
