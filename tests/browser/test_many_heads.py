"""Twelve heads, as GPT-2 has: everything is there, on a wide screen and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, expect_selected, focus_cell, go_to_step
from tests.browser.waiting import fits, settle
from tests.sampling import some

# What people read or press, and that reaches out of the window.
CUT = """() => [...document.querySelectorAll(
  '[data-testid=stMain] :is(button, input, label, p, .cell, .caption, .heading)')]
  .map(e => [e.className, e.innerText, e.getBoundingClientRect()])
  .filter(([, , r]) => r.width && (r.left < -0.5 || r.right > innerWidth + 0.5))
  .map(([name, text, r]) => `${name} ${text} ${r.left} to ${r.right}`)"""
ENDS = "rows => rows.map(row => row.getBoundingClientRect().right)"
STEPS = ("X", "Q", "scores", "weights", "context", "output")


@pytest.mark.deep
@pytest.mark.parametrize(("width", "height"), some([(390, 844), (1440, 900)], 2))
def test_twelve_heads_are_walked_and_the_last_is_picked(
    open_page: OpenPage, width: int, height: int
) -> None:
    page = open_page("?heads=12&d_model=48&step=X", width=width, height=height)
    for step in STEPS:
        go_to_step(page, step)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        rows = arithmetic(page).locator("math")
        expect(rows.first).to_be_attached()
        assert max(rows.evaluate_all(ENDS)) <= width, step
        assert page.evaluate(CUT) == [], step
        fits(page, width)
    go_to_step(page, "weights")
    shut = page.locator(".toolbar:not([open]) > summary")  # on a phone
    shut.evaluate_all("all => all.forEach((summary) => summary.click())")
    picker = page.get_by_test_id("stage").locator('[data-control="head"] [role="radio"]')
    expect(picker).to_have_text([str(n + 1) for n in range(12)])
    picker.last.click()
    expect_selected(page, "weights.11.2.1")
    expect(focus_cell(page, "weights.11.5.5")).to_be_visible()
    settle(page)
    expect_selected(open_page(page.url), "weights.11.2.1")
