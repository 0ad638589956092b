"""Twelve heads, as GPT-2 has: everything is there, on a wide screen and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, choice, expect_selected, expect_step, focus_cell
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
def test_twelve_heads_are_walked_with_nothing_cut(
    server: str, open_page: OpenPage, width: int, height: int
) -> None:
    first, *_ = STEPS
    page = open_page(f"{server}/?heads=12&d_model=48&step={first}", width=width, height=height)
    for step in STEPS:
        page.locator(f'.strip .phase[data-step="{step}"]').click()
        expect_step(page, step)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        rows = arithmetic(page).locator("math")
        expect(rows.first).to_be_attached()
        assert max(rows.evaluate_all(ENDS)) <= width, step
        assert page.evaluate(CUT) == [], step
        fits(page, width)


@pytest.mark.deep
def test_the_last_of_twelve_heads_is_picked_by_hand(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/?d_model=48&step=weights", width=390, height=844)
    page.locator(".toolbar summary").click()
    choice(page, "heads", "12").click()
    picker = page.get_by_test_id("stage").locator('[data-control="head"] [role="radio"]')
    expect(picker).to_have_text([str(n + 1) for n in range(12)])
    picker.last.click()
    expect_selected(page, "weights.11.2.1")
    expect(focus_cell(page, "weights.11.5.5")).to_be_visible()
    settle(page)
    again = open_page(page.url)
    expect_selected(again, "weights.11.2.1")
