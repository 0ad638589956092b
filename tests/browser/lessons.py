"""A lesson's scene beside the page, as a person sees it."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from ui.lessons.shelf import place_of, shipped
from ui.links.path import address_of


def words(page: Page) -> Locator:
    return page.locator(".st-key-lesson")


def way(page: Page) -> Locator:
    return words(page).get_by_role("navigation", name="Scenes")


def open_scene(open_page: OpenPage, scene: str, asked: str = "", **look: Any) -> Page:
    """A scene such as `class.3` on the page that it is of, with what its link asks besides."""
    name, number = scene.split(".")
    scenes = shipped(name).scenes
    address = address_of(place_of(scenes[int(number) - 1].link).page)
    page = open_page(f"{address}?lesson={scene}{asked}", **look)
    arrived(page, int(number), len(scenes))
    return page


def arrived(page: Page, number: int, of: int) -> None:
    """Wait until a scene is there, with all its numbers."""
    expect(way(page)).to_contain_text(f"{number} / {of}")
    expect(words(page).get_by_text(re.compile(r"^[A-Za-z_]\w*(\.\d+)+$"))).to_have_count(0)
    settle(page)
