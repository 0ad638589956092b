"""Small maps in a row: a press on one opens its place on the stage, at once."""

import pytest
from playwright.sync_api import Locator, Page, expect

from core.chapters.debug_lab.lab import right_program
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import box_of, settle
from tests.browser.stage import choice, focus_cell, heard
from tests.sampling import some


def maps(page: Page) -> Locator:
    return page.get_by_test_id("maps").locator(".map")


def expect_step(page: Page, step: str) -> None:
    """Wait for the first of the page's stages."""
    stage = page.locator(".st-key-heads_stage").get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", step)
    settle(page)


def test_the_heads_stand_side_by_side_and_a_press_opens_one(open_page: OpenPage) -> None:
    page = open_page("heads?heads_count=4")
    expect_step(page, "weights")
    expect(maps(page)).to_have_count(4)
    boxes = [box_of(each) for each in maps(page).all()]
    assert len({box.top for box in boxes}) == 1
    assert max(box.bottom for box in boxes) < 560
    page.locator('.strip .phase[data-step="X"]').first.click()
    expect_step(page, "X")
    maps(page).nth(2).click()
    expect_step(page, "weights")
    expect(focus_cell(page, "weights.2.2.1")).to_have_attribute("aria-selected", "true")
    head = choice(page.locator(".st-key-heads_stage"), "head", "3")
    expect(head).to_have_attribute("aria-checked", "true")
    heard(page)
    expect(maps(page).nth(2)).to_have_attribute("aria-current", "true")
    expect(maps(page).nth(0)).to_have_attribute("aria-current", "false")
    assert "heads_head=3" in page.url
    page.locator('.strip .phase[data-step="Q"]').first.click()
    expect_step(page, "Q")
    expect(head).to_have_attribute("aria-checked", "true")
    heard(page)
    expect(maps(page).nth(2)).to_have_attribute("aria-current", "true")


@pytest.mark.deep
def test_what_is_chosen_is_framed_a_map_is_pressed_without_a_server(open_page: OpenPage) -> None:
    page = open_page("heads?heads_count=4")
    expect_step(page, "weights")
    choice(page.locator(".st-key-heads_stage"), "head", "2").click()
    expect(maps(page).nth(1)).to_have_attribute("aria-current", "true")
    focus_cell(page, "weights.1.4.0").click()
    expect(maps(page).first.locator(".said")).to_contain_text("“the” reads")
    heard(page)
    with stopped(page.url):
        maps(page).nth(3).press("Enter")
        expect(focus_cell(page, "weights.3.4.0")).to_have_attribute("aria-selected", "true")
        expect(maps(page).nth(3)).to_have_attribute("aria-current", "true")


@pytest.mark.deep
@pytest.mark.parametrize("cover", some(["weights", "masked"], 2))
def test_maps_hide_while_what_gives_them_away_is_covered(open_page: OpenPage, cover: str) -> None:
    page = open_page(f"heads?heads_cover={cover}")
    expect_step(page, "weights")
    settle(page)
    expect(maps(page).first).to_be_hidden()


@pytest.mark.deep
def test_every_step_of_a_case_is_in_sight_and_a_press_goes_there(open_page: OpenPage) -> None:
    page = open_page("debug-lab", size=(1366, 768))
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "Q_all")
    settle(page)
    expect(maps(page)).to_have_count(len(right_program().phases))
    boxes = [box_of(each) for each in maps(page).all()]
    assert max(box.bottom for box in boxes) < 768
    expect(maps(page).nth(7)).to_contain_text("NaN1.001.00")
    maps(page).nth(7).click()
    expect(stage).to_have_attribute("data-step", "weights")
    expect(maps(page).nth(7)).to_have_attribute("aria-current", "true")
