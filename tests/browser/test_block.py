"""The block in a real browser: toggles, room for every step, one token changed."""

import pytest
from playwright.sync_api import Page, expect

from core.attention.block import POST, PRE, Kind, block_inputs, block_program
from core.program.display import shown
from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice, focus_cell, told_ahead
from tests.browser.waiting import fits, settle

TEXT = "The cat sat on the mat"
ROOM = """() => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map((part) => part.shadowRoot.querySelector('.stage .focus')).filter(Boolean)
  .slice(0, 1).some((focus) => focus.scrollWidth <= focus.clientWidth + 1)"""


def printed(kind: Kind, array: str, cell: tuple[int, ...]) -> str:
    trace = block_program(kind, 1).run(block_inputs(TEXT, 1))
    return shown(trace, array, cell).replace("-", "−")


def expect_same(fresh: Page, page: Page) -> None:
    """The fresh page comes to say what the other one says."""
    said = page.locator("[data-testid=stMarkdown]").all_text_contents()
    expect(fresh.locator("[data-testid=stMarkdown]")).to_have_text(said)


def test_norms_and_units_change_without_the_server(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/block?block_step=units_1")
    told_ahead(page)
    unit = focus_cell(page, "units_1.5.0").locator(".number")
    with stopped(server):
        expect(unit).to_have_text(printed(Kind(POST, "relu"), "units_1", (5, 0)))
        choice(page, "block_units", "gelu").click()
        expect(unit).to_have_text(printed(Kind(POST, "gelu"), "units_1", (5, 0)))
    settle(page)
    choice(page, "block_norm", "pre").click()
    expect(unit).to_have_text(printed(Kind(PRE, "gelu"), "units_1", (5, 0)))
    expect(page.get_by_text("The norm stands before each part")).to_be_visible()
    settle(page)
    fresh = open_page(page.url)
    expect(focus_cell(fresh, "units_1.5.0").locator(".number")).to_have_text(
        printed(Kind(PRE, "gelu"), "units_1", (5, 0))
    )
    expect_same(fresh, page)


@pytest.mark.parametrize("step", ["attn_1", "added_1", "mean_1a", "normed_1a", "Z_1", "up_1",
                                  "units_1", "down_1", "H_1"])  # fmt: skip
def test_every_step_fits_beside_its_arithmetic(server: str, open_page: OpenPage, step: str) -> None:
    page = open_page(f"{server}/block?block_step={step}", width=1440, height=900)
    page.wait_for_function(ROOM)
    if page.locator(".stage .open").count():
        page.locator(".stage .open").first.click()
        settle(page)
        page.keyboard.press("PageDown")
        page.wait_for_function(ROOM)


def test_a_norm_opens_into_its_steps(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/block?block_step=Z_1")
    page.locator(".stage .open").first.click()
    expect(page.get_by_text("Take off the mean").first).to_be_visible()
    expect(focus_cell(page, "mean_1a.0.0")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_token_changed_on_a_phone(server: str, open_page: OpenPage, theme: str) -> None:
    page = open_page(f"{server}/block", width=390, height=844, theme=theme)
    page.get_by_role("radio", name="3 sat").click()
    settle(page)
    rows = page.locator("table").first.locator("tbody tr")
    expect(rows.first).to_contain_text("sat, on, the, mat")
    fits(page, 390)
    fresh = open_page(page.url)
    expect_same(fresh, page)


def test_another_sentence_begins_with_its_first_token(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/block?block_changed=6")
    field = page.get_by_label("Sentence", exact=True)
    field.fill("<b>a</b> $x$")
    field.press("Enter")
    settle(page)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(1)  # nine tokens are too many
    field.fill("two words")
    field.press("Enter")
    settle(page)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    assert "block_changed" not in page.url
    expect(page.get_by_role("radio", name="1 two")).to_be_checked()
