"""Another sentence for the stage that fills the window: typed there, shown there, refused there."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.lessons import open_scene, words
from tests.browser.page import settle, type_in
from ui.lessons.shelf import shipped

SCENES = len(shipped("class").scenes)
HOSTILE = "<img src=x onerror=alert(1)> *b* $x$ cat"


def last_scene(open_page: OpenPage) -> Page:
    page = open_scene(open_page, f"class.{SCENES}", "&present=1", size=(1280, 720))
    expect(page.locator(".stage.present .focus .cell").first).to_be_visible()
    return page


def test_the_class_s_sentence_is_typed_without_leaving_the_full_window(open_page: OpenPage) -> None:
    page = last_scene(open_page)
    page.keyboard.press("t")
    field = page.get_by_label("Your sentence")
    expect(field).to_be_focused()
    expect(field).to_have_value("The cat sat on the mat")
    expect(field).to_be_in_viewport(ratio=1)
    page.keyboard.insert_text(HOSTILE)
    page.keyboard.press("Enter")
    expect(field).to_have_count(0)
    rows = page.locator(".stage.present .focus .label.side")
    expect(rows.filter(has_text="onerror")).to_have_count(1)
    expect(page.locator(".stage.present img")).to_have_count(0)
    expect(words(page)).to_contain_text(shipped("class").scenes[-1].title)
    expect(page.locator(".stage.present")).to_have_count(1)
    settle(page)
    assert "present=1" in page.url
    assert "onerror" in page.url
    page.keyboard.press("PageDown")
    expect(page.locator(".stage.present")).to_have_attribute("data-step", "Q")
    page.keyboard.press("t")
    expect(field).to_have_value(HOSTILE)
    page.keyboard.press("PageDown")
    expect(field).to_have_count(0)
    expect(page.locator(".stage.present")).to_have_attribute("data-step", "K")


@pytest.mark.deep
def test_what_cannot_be_shown_is_kept_in_the_field_a_menu_opens_too(open_page: OpenPage) -> None:
    page = last_scene(open_page)
    page.keyboard.press("t")
    field = page.get_by_label("Your sentence")
    for typed, reason in (("", "empty"), ("a " * 65, "64")):
        type_in(field, typed)
        expect(page.locator(".sentence-field .refused")).to_contain_text(reason)
        expect(page.locator(".stage.present").get_by_text("Shown below")).to_have_count(1)
        expect(field).to_have_value(typed)
        expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    rows = page.locator(".stage.present .focus .label.side")
    expect(rows.filter(has_text="cat")).to_have_count(1)
    page.keyboard.press("PageDown")
    expect(page.locator(".stage.present")).to_have_attribute("data-step", "Q")
    page.locator(".stage.present [data-testid=tools] > summary").click()
    page.get_by_role("button", name="Another sentence").click()
    expect(field).to_be_focused()
    page_without_a_sentence_has_no_field(open_page)


def page_without_a_sentence_has_no_field(open_page: OpenPage) -> None:
    page = open_scene(open_page, "class.1", "&present=1", size=(1280, 720))
    page.keyboard.press("t")
    page.locator(".stage.present [data-testid=tools] > summary").click()
    expect(page.get_by_role("button", name="Another sentence")).to_have_count(0)
    expect(page.get_by_label("Your sentence")).to_have_count(0)
