"""What each component shows of what it is given, keeps and tells: alone, without a server."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

from stage.hosts.assets import compact, module, sheet, text_script
from stage.hosts.component import CURTAIN
from tests.browser.conftest import ROOT, BrowserWith
from ui.components.component_events import EVENTS
from ui.page_texts import component_texts

TABLES = [Path(__file__).parent / f"components{part}.js" for part in ("", "_drawn", "_of_pages")]
ADDRESS = "http://components.test/"
SCRIPTS: dict[str, Sequence[str]] = {
    "arrows": ["components/arrows/arrows"],
    "cache_rows": ["components/cache_rows/cache_rows"],
    "cards": [
        "../stage/browser/draw/css_colours",
        "components/head_maps/weight_canvas",
        "components/head_maps/cards",
    ],
    "class_button": ["classroom/questions/class_button"],
    "graph": [
        f"components/graph/{part}" for part in ("curves", "picture", "edges", "gestures", "graph")
    ],
    "header": [
        "page/browser/in_app_navigation",
        "page/ticks",
        "page/header",
        "page/path_navigation",
    ],
    "history": ["page/browser/history"],
    "join_code": ["classroom/teacher/join_code"],
    "kept_keys": ["classroom/kept_keys"],
    "layer_diagram": ["components/layer_diagram/layer_diagram"],
    "lesson_links": ["page/browser/in_app_navigation", "page/browser/lesson_links"],
    "library": ["components/library/library"],
    "maps": ["components/maps/maps"],
    "options": ["classroom/teacher/room"],
    "own_pace": ["classroom/student/own_pace"],
    "panel": ["page/browser/in_app_navigation", "lessons/panel"],
    "player": ["components/player/player"],
    "readings": ["components/readings/readings"],
    "step_picture": ["../stage/browser/formula/formula", "classroom/questions/step_picture"],
    "student": ["classroom/student/student"],
    "trees": [f"components/trees/{part}" for part in ("forest", "counts", "gestures", "trees")],
    "two_orders": ["components/two_orders/two_orders"],
    "weight_maps": ["components/weight_maps/weight_maps"],
}


@pytest.fixture(scope="module")
def page(browser_with: BrowserWith) -> Iterator[Page]:
    """A page of an address, so that it may keep something, with a clock that a test turns."""
    made = browser_with("wide").new_page()
    made.clock.install(time=0)
    made.route(ADDRESS, lambda asked: asked.fulfill(body="<!doctype html>"))
    made.goto(ADDRESS)
    made.clock.pause_at(1)
    for table in TABLES:
        made.add_script_tag(path=table)
    yield made
    made.close()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_component_shows_what_it_is_given_and_tells_what_is_done(page: Page, name: str) -> None:
    files = [ROOT / f"ui/{part}.js" for part in SCRIPTS[name]]
    texts = component_texts()
    scripts = filter(Path.exists, files)
    source = module(CURTAIN, EVENTS, *scripts, texts=texts)
    if name == "header":  # it builds its parts in its own way
        source = "\n".join([text_script(texts), *map(compact, files)])
    styles = [style for file in files if (style := file.with_suffix(".css")).exists()]
    page.evaluate("given => load(...given)", [source, name, sheet(*styles)])
    steps = page.evaluate("name => COMPONENTS[name].steps.map(String)", name)
    for number, does in enumerate(steps):
        if (time := does.partition(",")[0]).isdigit():
            page.clock.run_for(int(time))
        found, answer = page.evaluate("([name, number]) => step(name, number)", [name, number])
        assert [does, found] == [does, answer]
    is_seen = page.evaluate("name => isSeen(name)", name)
    page.emulate_media(media="print")
    assert page.evaluate("name => isSeen(name)", name) == [False] * len(is_seen)
    page.emulate_media(media="screen")
    assert any(is_seen) == bool(is_seen)
