"""First screens, untouched: of the walkthrough, whose controls are few, and of each chapter.

A chapter's picture and what to notice in it are in sight, before any stage.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.river_bank import RIVER_BANK
from core.path import PATH
from tests.browser.conftest import LookAt, OpenPage
from tests.browser.page import box_of, nothing_of
from tests.browser.stage import expect_step, told_ahead, tool
from tests.browser.tabs import Theme
from tests.sampling import DEEP
from ui.links.path import address_of

MOST = 30
CONTROLS = """() => {
  const kinds = ["button", "a[href]", "input", "select", "summary", "textarea",
    ...["button", "link", "radio", "tab", "slider", "combobox"].map((role) => `[role=${role}]`)];
  const found = everywhere(kinds.join()).filter((node) => {
    if (node.closest("[role=gridcell]")) return false;
    const { left, right, top, bottom, width, height } = node.getBoundingClientRect();
    const inside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    return inside && width && height && node.checkVisibility({ visibilityProperty: true });
  });
  const named = (node) => node.getAttribute("aria-label") || node.textContent || node.placeholder;
  return found.map((node) => [
    node.closest('[data-testid="stage"]') ? "stage" : "page", (named(node) || "").trim(),
  ]);
}"""
"""What one can press, type into or choose in the window, grids aside: where it is, and its name."""


def controls(page: Page, where: str = "") -> list[str]:
    found: list[list[str]] = page.evaluate(CONTROLS)
    return [name for place, name in found if where in ("", place)]


def test_the_untouched_walkthrough_shows_few_controls_with_the_way_in(look_at: LookAt) -> None:
    page = look_at("/", step="X")
    told_ahead(page)
    assert len(controls(page)) <= MOST, controls(page)
    assert len(controls(page, "page")) <= 20, controls(page, "page")
    row = page.locator(".st-key-controls")
    named = [
        row.get_by_role("textbox", name="Sentence"),
        row.get_by_role("button", name="Examples"),
        row.get_by_role("button", name="Numbers: made by hand"),
        row.get_by_role("link", name="New to this? Start from nothing →"),
    ]
    middles = [box_of(control).middle[1] for control in named]
    assert max(middles) - min(middles) < 2, middles
    assert max(middles) < 200
    assert row.get_by_role("button", name="Back to").count() == 0


SIZES = [
    *[(1440, high) for high in (900, 800, 720, 640)], *[(1366, high) for high in (768, 657, 600)],
    (1280, 720), (1280, 600), (1024, 768), (1024, 600), (820, 1180),
]  # fmt: skip
"""Windows that people have: what a laptop's browser shows, and a tablet upright."""
PHONES = [(390, 844), (360, 640)]
SEEN = """(root) => {
  const part = (selector, least = 0) => {
    const shown = [...root.querySelectorAll(selector)].filter((node) => node.checkVisibility());
    const boxes = shown.map((node) => node.getBoundingClientRect());
    const inside = ({ left, right, top, bottom }) => (
      left >= 0 && right <= innerWidth + 1 && top >= 0 && bottom <= innerHeight
    );
    return boxes.length > least && boxes.every(inside);
  };
  const cells = [...root.querySelectorAll(".focus [aria-selected=true]")].filter((cell) => {
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    const over = root.getRootNode().elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return cell === over || cell.contains(over);
  });
  return Object.entries({
    arcs: part(".reading path", 1), percentages: part(".percents span:not(:empty)", 1),
    sentence: part(".reads"), words: part(".words .summary"), button: part(".steps button"),
    focus: part(".focus"), reader: cells.length > 0,
  }).filter(([, seen]) => !seen).map(([name]) => name);
}"""
"""The names of what an untouched stage does not show whole in the window."""


@pytest.mark.parametrize("theme", ["light", "dark"] if DEEP else ["light"])
def test_each_step_shows_its_picture_untouched(open_page: OpenPage, theme: Theme) -> None:
    """In the opening the query of *bank* comes of the row *open* of W_Q, the seventh of eight."""
    page = open_page("/", size=(1366, 657), theme=theme, step="X")
    stage = page.get_by_test_id("stage")
    trace = RIVER_BANK.run()
    terms = trace["X"][5] * trace["W_Q"][0, :, 0]
    most = page.locator(f'[data-part="focus"] [data-cell="W_Q.0.{terms.argmax()}.0"]')
    for number, phase in enumerate(stage.locator(".strip .phase").all()):
        step = phase.get_attribute("data-step") or ""
        expect_step(page, stage.get_attribute("data-step") or "")
        for width, height in SIZES if DEEP else [((1024, 600), (1366, 657))[number % 2]]:
            page.set_viewport_size({"width": width, "height": height})
            nothing_of(page, SEEN, stage.element_handle(), (step, width, height))
            if step == "Q" and (width, height) == (1366, 657):
                expect(most).to_be_in_viewport(ratio=1)
                first = page.locator('.window[data-part="focus"] [data-cell="W_Q.0.0.0"]')
                expect(first).to_be_attached()
        page.keyboard.press("PageDown")


@pytest.mark.parametrize(("width", "height"), PHONES if DEEP else PHONES[:1])
def test_a_phone_shows_the_whole_ribbon_the_way_on_and_the_row_that_is_read(
    look_at: LookAt, width: int, height: int
) -> None:
    page = look_at("/", size=(width, height), step="X")
    missing = page.get_by_test_id("stage").evaluate(SEEN)
    story = page.get_by_test_id("ribbon").locator(".story")
    expect(story).to_contain_text("bank can mean two things. It reads mostly river")
    expect(story).to_be_in_viewport(ratio=1)
    rest = page.get_by_test_id("stage").locator(".remark")
    expect(rest).to_contain_text("Change river to money")
    assert {*missing} <= {"focus"}, missing


def test_what_is_chosen_stands_on_a_line_and_opens_at_its_step(open_page: OpenPage) -> None:
    page = open_page("/", size=(1366, 657), step="X")
    toolbar = page.get_by_test_id("stage").locator(".toolbar")
    line = toolbar.locator(".fold")
    expect(line).to_have_text([re.compile(word) for word in (
        "^Mask causal$", "^Scale .* on$", "^Heads 2$", "^Head 1: which meaning\\?$",
    )])  # fmt: skip
    options = toolbar.get_by_role("radio")
    expect(options).to_have_count(0)  # each is behind a press
    line.first.click()
    expect(toolbar.get_by_role("radio", name="causal")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(toolbar.get_by_role("radio", name="none")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_test_id("stage").locator(".reading path")).to_have_count(6)
    line.first.click()
    expect(options).to_have_count(0)
    expect(line.first).to_have_text("Mask none")
    page.locator('.strip .phase[data-step="scaled"]').click()
    expect(toolbar.get_by_role("radio", name="off")).to_be_visible()
    tool(page, "Show all controls").click()
    expect(toolbar.get_by_role("radiogroup")).to_have_count(4)
    page.reload()
    expect(toolbar.get_by_role("radiogroup")).to_have_count(4)
    tool(page, "Show fewer controls").click()
    expect(line.first).to_be_visible()


def test_a_link_that_sets_a_control_shows_it_open(look_at: LookAt) -> None:
    page = look_at("?preset=river-bank&step=X&mask=none", size=(1366, 657), step="X")
    groups = page.get_by_test_id("stage").get_by_role("radiogroup")
    expect(groups).to_have_count(1)
    expect(groups).to_have_attribute("data-control", "mask")


PICTURES = """() => {
  const drawn = [".matrix", ".bars", ".maps", ".cards", ".layer", ".js-plotly-plot"];
  const kinds = ["svg", "canvas", ...drawn];
  const found = everywhere(kinds.join(), document.querySelector("[data-testid=stMain]"));
  return found.flatMap((node) => {
    const { top, bottom, width, height } = node.getBoundingClientRect();
    const isPicture = width >= 100 && height >= 24 && !node.closest("header, button, a, .strip");
    const name = node.className.baseVal ?? node.className;
    const shown = isPicture && node.checkVisibility({ visibilityProperty: true });
    return shown ? [[top, bottom, `${node.localName}.${name}`]] : [];
  }).sort((a, b) => a[0] - b[0]);
}"""
"""What is drawn on a page, the map of a stage aside: top, bottom and name, the highest first."""


NOTICE = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const said = [...main.querySelectorAll("[data-testid=stMarkdownContainer] strong")];
  const shown = said.filter((node) => /^Notice/.test(node.textContent) && node.checkVisibility());
  return Math.min(...shown.map((node) => node.getBoundingClientRect().bottom));
}"""
"""Where the first line ends that says what to notice."""
CHAPTERS = [name for name in PATH if name not in ("walkthrough", "debug_lab")]
"""The walkthrough says it on its stage (`test_first_screen`). In the lab it would be the answer."""
CASES = [(name, width, height) for width, height in ((1366, 657), (390, 844)) for name in CHAPTERS]
SAMPLE = [("recursive_attention", 1366, 657), ("block", 390, 844)]
HIGHEST = 420
"""Where the first picture begins at the latest on a laptop, whose window may be 900 high."""


@pytest.mark.parametrize(("name", "width", "height"), CASES if DEEP else SAMPLE)
def test_the_picture_and_its_notice_are_in_the_untouched_window(
    server: str, look_at: LookAt, name: str, width: int, height: int
) -> None:
    page = look_at(f"{server}/{address_of(name)}", size=(width, height))
    page.wait_for_function(f"() => ({PICTURES})().length && ({NOTICE})() < Infinity")
    top, bottom, what = page.evaluate(PICTURES)[0]
    assert (top + bottom) / 2 <= height, (what, top, bottom)
    if width > height:
        assert top < HIGHEST, (what, top)
        assert bottom <= 900, (what, bottom)
    assert page.evaluate(NOTICE) <= height
