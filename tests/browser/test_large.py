"""Matrices too large for numbers: what is dropped is said, with what helps."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import (
    arithmetic,
    choice,
    expect_step,
    focus_cell,
    heard,
    numbers,
    told_ahead,
)
from tests.sampling import DEEP, some

DROPPED = [
    (24, 24, "Q", ""),
    (25, 24, "scores", "Q is 25 × 12, Kᵀ is 12 × 25, scores is 25 × 25 | at most 24 tokens."),
    (3, 34, "Q", "X is 3 × 34, W_Q is 34 × 17, W_K is 34 × 17, W_V is 34 × 17 | d_model ≤ 24."),
    (3, 34, "scores", ""),
    (25, 26, "X", "X is 25 × 26 | at most 24 tokens and d_model ≤ 24."),
]
"""Tokens and d_model, the step, and what is said."""


@pytest.mark.parametrize(("tokens", "d_model", "step", "says"), some(DROPPED, len(DROPPED), 1))
def test_numbers_that_are_dropped_are_said_with_what_helps(
    server: str, open_page: OpenPage, tokens: int, d_model: int, step: str, says: str
) -> None:
    text = "+".join(f"w{n}" for n in range(tokens))
    page = open_page(f"{server}/?text={text}&d_model={d_model}&step={step}")
    expect_step(page, step)
    said = page.locator(".notes .too-large")
    if not says:
        expect(said).to_have_count(0)
        assert all(numbers(page, step))
        return
    sizes, helps = says.split(" | ")
    labels = ", labels up to 32" if d_model > 32 else ""
    expect(said).to_have_text(
        f"Colours without numbers: {sizes}. Numbers are written up to 24 rows and columns{labels}. "
        f"Click a cell for its number, or choose {helps}"
    )
    # Q is small enough, but its cells are as small as those of the X that it is made of.
    assert page.locator("[data-part=focus] .number:visible").count() == 0
    focus_cell(page, f"{step}.0.0" + ".0" * (step != "X")).click()
    expect(arithmetic(page)).to_contain_text(f"{step}[")


FIRST_STAGE = '[...globalThis[Symbol.for("attention-stages")]][0]'
STRIP = f"""() => [...{FIRST_STAGE}.strip.querySelectorAll(".cell")]
  .map((cell) => [cell.dataset.cell, cell.className])"""


def strip(page: Page) -> list[list[str]]:
    """The cells of the strip: which they are, and how they look."""
    page.mouse.move(0, 0)
    page.wait_for_function(f"!{FIRST_STAGE}.owesMinis")
    found: list[list[str]] = page.evaluate(STRIP)
    return found


@pytest.mark.deep
def test_a_strip_of_very_many_cells_follows_the_numbers(server: str, open_page: OpenPage) -> None:
    text = "+".join(f"w{n}" for n in range(24))
    page = open_page(f"{server}/?text={text}&heads=8&step=weights")
    told_ahead(page)
    before = strip(page)
    assert len(before) > 1500
    for control, value in (("mask", "none"), ("head", "2"), ("cover", "result"), ("heads", "4")):
        choice(page, control, value).click()
        heard(page)
        drawn = strip(page)
        assert drawn != before
        before = drawn
        if DEEP or control == "heads":
            again = open_page(page.url)
            expect_step(again, "weights")
            assert drawn == strip(again), control
