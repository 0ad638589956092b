"""What methods of the stage decide, asked of each by itself on an empty page."""

import pytest
from playwright.sync_api import Page

from tests.browser.scripts import script_of
from ui.links.links import PAGE_DEFAULT

PARTS = {"url_state.js": "Addressed", "drawing.js": "Drawing", "projected.js": "Projected"}


@pytest.fixture(scope="module")
def page(empty: Page) -> Page:
    empty.evaluate(script_of(*PARTS, shown=", ".join(PARTS.values())))
    return empty


ADDRESS = """([home, own]) => Object.assign(Object.create(Addressed), {
  home, options: {}, at: {}, link: () => own, ownCell: () => "",
}).address()"""


@pytest.mark.parametrize(
    ("part", "untouched"), [("head", "1"), ("cell", PAGE_DEFAULT), ("cover", PAGE_DEFAULT)]
)
def test_a_link_says_what_is_untouched_where_its_scene_has_something_else(
    page: Page, part: str, untouched: str
) -> None:
    for own, said in (("", untouched), ("2", ""), ("3", "3")):
        assert page.evaluate(ADDRESS, [{part: "2"}, {part: own}])[part] == said
        assert page.evaluate(ADDRESS, [{}, {part: own}])[part] == own


def test_what_can_wait_is_said_once_after_several_changes_again_after_the_next(page: Page) -> None:
    asked = """() => {
      const tasks = [], said = [];
      globalThis.requestIdleCallback = (task) => tasks.push(task);
      const stage = { ...Drawing, run: {}, runs: new Map(), leads: [], say: () => said.push("") };
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


KEYED = ("toolbar.js", "ribbon.js", "focus.js")
KEYS = """const rows = {
  choices: () => {
    const place = element("div"), options = ["a", "b", "c"].map((one) => [one, one]);
    const choose = (to) => place.dispatchEvent(
      new CustomEvent("chosen", { detail: options.findIndex(([one]) => one === to) })
    );
    new Choices(place).draw([{ key: "k", word: "K", options, chosen: "a", choose }]);
    return [place, [...place.querySelectorAll("button")]];
  },
  tabs: () => {
    const list = element("div"), tabs = ["a", "b", "c"].map((one) => element("button", "", one));
    list.append(...tabs);
    tabs.forEach((tab, at) => {
      tab.setAttribute("role", "tab");
      tab.onclick = () => list.dispatchEvent(new CustomEvent("chosen", { detail: at }));
    });
    list.addEventListener("keydown", (event) => Faces.turnTab(event));
    return [list, tabs];
  },
  ribbon: () => {
    const list = element("div"), chips = ["a", "b", "c"].map((one) => element("button", "", one));
    list.append(...chips);
    const ribbon = { chips: new Map(chips.map((chip, at) => [at, [chip]])) };
    list.addEventListener("keydown", (event) => Ribbon.prototype.key.call(ribbon, event));
    chips.forEach((chip, detail) => {
      chip.onfocus = () => list.dispatchEvent(new CustomEvent("chosen", { detail }));
    });
    return [list, chips];
  },
};
const led = ([kind, at, key]) => {
  const [list, parts] = rows[kind](), found = [];
  document.body.replaceChildren(list);
  list.addEventListener("chosen", ({ detail }) => found.push(detail));
  parts[at].dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  return found;
};
Object.assign(globalThis, { led });"""
Ends = dict[str, tuple[int | None, ...]]
NEXT: Ends = {"ArrowRight": (1, 2, 0), "ArrowLeft": (2, 0, 1)}
ROWS: dict[str, Ends] = {
    "choices": {**NEXT, "ArrowDown": (1, 2, 0), "ArrowUp": (2, 0, 1)},
    "tabs": NEXT,
    "ribbon": {
        "ArrowRight": (1, 2, None), "ArrowLeft": (None, 0, 1), "End": (2, 2, 2), "Home": (0, 0, 0),
    },
}  # fmt: skip
"""Of three in a row: where a key leads from each."""


@pytest.mark.parametrize("kind", ROWS)
def test_arrow_keys_lead_to_the_one_beside(page: Page, kind: str) -> None:
    page.evaluate(script_of(*KEYED, code=KEYS, shown="led"))
    for key, ends in ROWS[kind].items():
        for at, end in enumerate(ends):
            assert page.evaluate("led", [kind, at, key]) == [end] * (end is not None), (key, at)
