"""What each component shows of what it is given, keeps and tells: alone, without a server."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.texts.text_file import Plain, TextFile
from stage.hosts.assets import module, sheet
from tests.browser.conftest import ROOT
from ui.page_texts import component_texts

TABLES = [Path(__file__).parent / f"components{part}.js" for part in ("", "_drawn", "_of_pages")]
ADDRESS = "http://components.test/"
SCRIPTS = {
    "arrows": "components/arrows/arrows",
    "cache_rows": "components/cache_rows/cache_rows",
    "cards": "components/head_maps/cards",
    "class_button": "classroom/questions/class_button",
    "graph": "components/graph/graph",
    "header": "page/path_navigation",
    "history": "page/browser/history",
    "join_code": "classroom/teacher/join_code",
    "kept_keys": "classroom/kept_keys",
    "layer_diagram": "components/layer_diagram/layer_diagram",
    "lesson_links": "page/browser/lesson_links",
    "library": "components/library/library",
    "maps": "components/maps/maps",
    "options": "classroom/teacher/room",
    "own_pace": "classroom/student/own_pace",
    "panel": "lessons/panel",
    "player": "components/player/player",
    "readings": "components/readings/readings",
    "step_picture": "classroom/questions/step_picture",
    "student": "classroom/student/student",
    "trees": "components/trees/trees",
    "two_orders": "components/two_orders/two_orders",
    "weight_maps": "components/weight_maps/weight_maps",
}

SHORT = {
    "graph": "covered press look draw back clear idle drawing held=held+…"
    " edge_drawn=…+reads+… edge_taken=…+no+more+…",
    "layer_diagram": "diagram=title press changes no_row=none look mixes apart adds",
    "cache_rows": "play stop one_back=before next_token=after work_so_far=cost with_bar=with"
    " without_bar=without kept_row=kept new_row=new again_row=again",
    "two_orders": "board_mask=mask board_positions=places board_same=same board_other=other",
    "trees": "board board_counts=counts board_covered=covered board_merged=merged"
    " board_whole=whole board_shapes=shapes board_again=again board_back=back board_idle=idle"
    " board_leave=leave board_apart=apart board_look=look board_twice=twice+… board_held=held+…",
    "weight_maps": "reads open",
    "library": "library_label=label library_key=key library_value=value library_query=query"
    " library_returned=result library_fit={{+number+}} library_asks={{+topics+}}"
    " library_gets={{+row+}}",
}
"""Short texts for what a component says by texts of its own, + for a space; an id is its own."""
IN_BARS = {"graph", "trees", "two_orders"}
"""Components with buttons in bars."""


def short_texts(said: str, file: Path) -> TextFile[Plain]:
    pairs = (one.partition("=")[::2] for one in said.split())
    file.write_text(
        "\n\n".join(f"<!-- {id} -->\n{(text or id).replace('+', ' ')}" for id, text in pairs)
    )
    return TextFile(file, Plain)


@pytest.fixture(scope="module")
def page(empty: Page) -> Page:
    """A page of an address, so that it may keep something, with a clock that a test turns."""
    empty.clock.install(time=0)
    empty.route(ADDRESS, lambda asked: asked.fulfill(body="<!doctype html>"))
    empty.goto(ADDRESS)
    empty.clock.pause_at(1)
    for table in TABLES:
        empty.add_script_tag(path=table)
    return empty


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_component_shows_what_it_is_given_and_tells_what_is_done(
    page: Page, name: str, tmp_path: Path
) -> None:
    file = ROOT / f"ui/{SCRIPTS[name]}.js"
    said = SHORT.get(name)
    texts = short_texts(said, tmp_path / "short.md") if said else component_texts()
    source = module(file, texts) if file.exists() else ""
    bars = [ROOT / "ui/components/buttons.css"] if name in IN_BARS else []
    styles = [*bars, style] if (style := file.with_suffix(".css")).exists() else []
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
