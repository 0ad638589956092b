"""The ribbon leads to its numbers, and says what the token that is looked at reads."""

import pytest
from playwright.sync_api import expect

from core.attention.setups import Setup
from core.program.numbers.display import shown
from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import expect_selected, expect_step, focus_cell, told_ahead

TRACE = Setup(preset="river-bank").trace
OPENED = "?preset=river-bank&step=scores&cell=scores.0.5.4"


def test_an_arc_and_a_percentage_lead_to_their_weight(open_page: OpenPage) -> None:
    page = open_page(OPENED, until=told_ahead)
    ribbon = page.get_by_test_id("ribbon")
    with stopped(page.url):
        arcs = {key: ribbon.locator(f'[data-arc="5.{key}"]') for key in (0, 4)}
        shares = {key: ribbon.locator(".percents span").nth(key) for key in (4, 0)}
        for key, part in (*arcs.items(), *shares.items()):
            part.dispatch_event("click")
            expect_step(page, "weights")
            cell = f"weights.0.5.{key}"
            expect_selected(page, cell)
            expect(focus_cell(page, cell)).to_have_text(shown(TRACE, "weights", (0, 5, key)))


@pytest.mark.deep
def test_a_key_or_value_that_is_looked_at_is_not_the_token_that_reads(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=Q&cell=Q.0.5.0")
    said = page.locator(".reads")
    told_ahead(page)
    with stopped(page.url):
        expect(said).to_contain_text("“bank” reads")
        focus_cell(page, "K.0.4.0").click()
        expect_selected(page, "K.0.4.0")
        expect(said).to_contain_text("“bank” reads")
        focus_cell(page, "Q.0.4.0").click()
        expect(said).to_contain_text("“river” reads")
