"""Matrices too large for numbers: what is dropped is said, with what helps."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, expect_step, focus_cell, numbers
from tests.deep import some

DROPPED = [
    (24, 24, "Q", ""),
    (25, 24, "scores", "Q is 25 × 12, Kᵀ is 12 × 25, scores is 25 × 25 | at most 24 tokens."),
    (3, 34, "Q", "X is 3 × 34, W_Q is 34 × 17, W_K is 34 × 17, W_V is 34 × 17 | d_model ≤ 24."),
    (3, 34, "scores", ""),
    (25, 26, "X", "X is 25 × 26 | at most 24 tokens and d_model ≤ 24."),
]
"""Tokens and d_model, the step, and what is said."""


@pytest.mark.parametrize(("tokens", "d_model", "step", "says"), some(DROPPED, 3, 1))
def test_numbers_that_are_dropped_are_said_with_what_helps(
    server: str, open_page: OpenPage, tokens: int, d_model: int, step: str, says: str
) -> None:
    text = "+".join(f"w{n}" for n in range(tokens))
    page = open_page(f"{server}/?text={text}&d_model={d_model}&step={step}")
    expect_step(page, step)
    said = page.locator(".heading .too-large")
    if not says:
        expect(said).to_have_count(0)
        assert all(numbers(page, step))
        return
    sizes, helps = says.split(" | ")
    labels = ", labels up to 32" if d_model > 32 else ""
    expect(said).to_have_text(
        f"Colours without numbers: {sizes}; numbers are written up to 24 rows and columns{labels}. "
        f"Click a cell for its number, or choose {helps}"
    )
    # Q is small enough, but its cells are as small as those of the X that it is made of.
    assert page.locator("[data-part=focus] .number:visible").count() == 0
    focus_cell(page, f"{step}.0.0" + ".0" * (step != "X")).click()
    expect(arithmetic(page)).to_contain_text(f"{step}[")
