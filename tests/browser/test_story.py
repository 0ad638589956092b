"""The numbers in an example's story lead to their cells."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import expect_step
from tests.browser.waiting import settle


def test_a_number_of_a_story_lights_its_cell_and_leads_to_it(open_page: OpenPage) -> None:
    page = open_page("?preset=P5-previous")
    numbers = page.locator(".story a.leads")
    expect(numbers).to_have_text(["24.00", "24.00", "43.00", "58.00", "5.00"])
    numbers.nth(2).hover()
    expect(page.locator('.here[data-cell="context.0.2.0"]').first).to_be_attached()
    numbers.nth(2).click()
    expect_step(page, "context")
    cell = page.locator('[data-part="focus"] [data-cell="context.0.2.0"]')
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(cell).to_have_text("43.00")
    settle(page)
    assert "#stage" not in page.url


@pytest.mark.deep
def test_of_an_example_that_was_changed_the_numbers_lead_nowhere(open_page: OpenPage) -> None:
    page = open_page("?preset=P5-previous&mask=none")
    expect(page.locator(".story")).to_contain_text("24.00, 24.00, 43.00, 58.00, 5.00")
    expect(page.locator(".story a")).to_have_count(0)
