"""What methods of the stage decide, asked of each by itself on an empty page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, BrowserWith
from ui.links import UNTOUCHED

PARTS = {"url_state.js": "Addressed", "drawing.js": "Drawing", "projected.js": "Projected"}


@pytest.fixture(scope="module")
def page(browser_with: BrowserWith) -> Iterator[Page]:
    made = browser_with("wide").new_page()
    scripts = [(ROOT / "stage" / name).read_text(encoding="utf-8") for name in PARTS]
    made.evaluate(
        "\n".join([*scripts, f"Object.assign(globalThis, {{ {', '.join(PARTS.values())} }});"])
    )
    yield made
    made.close()


ADDRESS = """([home, own]) => Object.assign(Object.create(Addressed), {
  home, options: {}, at: {}, link: () => own, ownCell: () => "",
}).address()"""


@pytest.mark.parametrize(
    ("part", "untouched"), [("head", "1"), ("cell", UNTOUCHED), ("cover", UNTOUCHED)]
)
def test_a_link_says_what_is_untouched_where_its_scene_has_something_else(
    page: Page, part: str, untouched: str
) -> None:
    for own, said in (("", untouched), ("2", ""), ("3", "3")):
        assert page.evaluate(ADDRESS, [{part: "2"}, {part: own}])[part] == said
        assert page.evaluate(ADDRESS, [{}, {part: own}])[part] == own


def test_what_can_wait_is_said_once_after_several_changes_and_again_after_the_next(
    page: Page,
) -> None:
    asked = """() => {
      const tasks = [], said = [];
      globalThis.whenIdle = (task) => tasks.push(task);
      const stage = { ...Drawing, run: {}, runs: new Map(), say: () => said.push("") };
      for (const changes of [2, 1, 3]) {
        for (let n = 0; n < changes; n += 1) stage.later();
        tasks.splice(0).forEach((task) => task());
      }
      return said.length;
    }"""
    assert page.evaluate(asked) == 3


FIT = """([across, down, width, height]) => {
  let sizes = {};
  const px = (name) => Number.parseFloat(sizes[name]);
  const focus = {
    get scrollWidth() { return across * px("--cell"); },
    get scrollHeight() { return down * px("--cell-height"); },
  };
  const stage = { ...Projected, focus, uprightOf: () => [], putSizes: (put) => { sizes = put; } };
  const asked = { cell: 60, high: 40, digits: 30, size: 20, rows: down, tall: 1.2, lines: [] };
  const digits = stage.fitCells(asked, width, height);
  const put = ["--cell", "--cell-height", "--digits"].map(px);
  return [digits, focus.scrollWidth, focus.scrollHeight, ...put];
}"""


@pytest.mark.parametrize(
    ("width", "height", "kept"),
    [(600, 400, "both"), (450, 400, "height"), (600, 250, "width"), (450, 250, "")],
)
def test_a_projected_step_gets_smaller_until_it_fits_both_ways_and_not_the_way_it_fits(
    page: Page, width: int, height: int, kept: str
) -> None:
    digits, wide, high, cell, cell_height, drawn = page.evaluate(FIT, [10, 10, width, height])
    assert wide <= width
    assert high <= height
    assert (cell == 60) == (kept in ("both", "width"))
    assert (cell_height == 40) == (kept in ("both", "height"))
    assert 0 < drawn <= digits <= min(30, cell / 2, cell_height / 1.2)
    assert drawn > digits - 0.1


def test_what_never_fits_has_no_size(page: Page) -> None:
    assert page.evaluate(FIT, [10, 10, 600, -10])[0] == 0
