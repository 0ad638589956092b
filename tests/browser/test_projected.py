"""Lessons on a projector: each scene is large, whole and tells no answer before its time."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.program.steps import Step
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, words
from tests.browser.stage import focus_cell, heard
from tests.browser.test_present import look
from tests.browser.waiting import settle
from tests.deep import some
from ui.lessons.shelf import NAMES, place_of, shipped

SIZES = {(1280, 720): 18, (1920, 1080): 27}
"""Windows of a projector, and the smallest digits in them."""
SCENES = [
    (name, number)
    for name in NAMES
    for number, scene in enumerate(shipped(name).scenes, start=1)
    if place_of(scene.link).stage and not place_of(scene.link).asks
]
"""Every scene that is about a stage."""


def projected(page: Page, server: str, name: str, number: int) -> None:
    scene = shipped(name).scenes[number - 1]
    path = scene.link.partition("?")[0]
    page.goto(f"{server}/{path}?lesson={name}.{number}&present=1")
    arrived(page, number, len(shipped(name).scenes))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_a(server: str, open_page: OpenPage, name: str, size: tuple[int, int]) -> None:
    page = open_page("about:blank", width=size[0], height=size[1], settled=False)
    bad = []
    for own, number in SCENES:
        if own != name: continue
        projected(page, server, name, number)
        stage = page.locator(f".st-key-{place_of(shipped(name).scenes[number-1].link).stage} .stage.present")
        try:
            expect(stage).to_be_visible(timeout=8000)
            expect(stage.locator(".focus .cell").first).to_be_visible()
        except AssertionError as e:
            bad.append((number, "no present")); continue
        seen = stage.evaluate(f"""async (stage) => {{ const look = {__import__('tests.browser.test_present').browser.test_present.LOOK}; let seen;
          for (let f=0; f<60; f++) {{ await new Promise(p=>requestAnimationFrame(p)); seen = look(stage); if (f>2 && !seen.cut.length && seen.digits>={SIZES[size]}) break; }} return seen; }}""")
        panel = words(page).evaluate("p => [p.scrollHeight, p.clientHeight]")
        bad.append((number, seen["digits"], seen["cut"], seen["scrolls"], panel))
    print(*bad, sep="\n")
    assert 0
