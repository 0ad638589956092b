"""The sentence ribbon: arcs and percentages are the trace's weights, on every host."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from core.attention.setups import Setup
from core.chapters.attention_graph.other_graphs import cross_family
from core.limits import MAX_TOKENS
from core.program.reading import made_between, percentages, weights_between_tokens
from core.program.trace import Trace
from stage import show
from stage.hosts.standalone import standalone
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import box_of
from tests.browser.stage import (
    STAGE,
    expect_selected,
    focus_cell,
    go_to_step,
    option,
    strip_phase,
    told_ahead,
    tool,
)
from tests.browser.test_saved_pictures import ENOUGH, contrast
from tests.registry import REGISTRY
from tests.sampling import some

Where = Page | FrameLocator
SETUP = Setup(preset="river-bank")
TOKENS = SETUP.trace.tokens
LAST = len(TOKENS) - 1
MANY_KEYS = 12
"""More keys than this have no arcs below one percent."""
SEEN = """(ribbon) => ({
  arcs: [...ribbon.querySelectorAll("[data-arc]")]
    .map((arc) => [arc.dataset.arc, Number(arc.getAttribute("stroke-width"))]),
  percents: [...ribbon.querySelectorAll(".percents span")]
    .map((share) => share.textContent.replace("\\u00a0%", "")),
  labels: [...ribbon.querySelectorAll("[data-query]")]
    .map((chip) => chip.getAttribute("aria-label")),
  said: ribbon.querySelector(".reads").textContent.replaceAll("\\u00a0", " "),
  list: [...ribbon.querySelectorAll("li")].map((item) => item.textContent),
})"""
CLICKED = f"""(stage, clicked) => {{
  const control = stage.querySelector(clicked);
  if (!control?.checkVisibility()) throw Error(`nobody can click ${{clicked}}`);
  control.click();
  return ({SEEN})(stage.querySelector("[data-testid=ribbon]"));
}}"""


def ribbon(where: Where) -> Locator:
    return where.get_by_test_id("ribbon").first


def seen(where: Where) -> dict[str, Any]:
    found: dict[str, Any] = ribbon(where).evaluate(SEEN)
    return found


def after_click(where: Where, clicked: str) -> dict[str, Any]:
    """What the ribbon shows at once, before any frame, when something on the stage is clicked."""
    found: dict[str, Any] = where.get_by_test_id("stage").first.evaluate(CLICKED, clicked)
    return found


def chip(where: Where, query: int) -> Locator:
    return ribbon(where).locator(f'[data-query="{query}"]')


def check(
    found: dict[str, Any], trace: Trace, row: tuple[int, ...], array: str = "weights"
) -> None:
    """Whether arcs, their widths and the percentages are those of a row of weights."""
    weights, gone = trace[array][row], trace.removed[array]
    texts = percentages(weights, None if gone is None else gone[row])
    assert found["percents"] == texts
    few = len(weights) <= MANY_KEYS
    drawn = [
        key for key, text in enumerate(texts) if text not in ("", "0") and (few or text != "<1")
    ]
    arcs = {f"{row[-1]}.{key}": float(weights[key]) for key in drawn}
    assert [arc for arc, _ in found["arcs"]] == list(arcs)
    assert len(found["list"]) == len(arcs)
    widths = np.array([width for _, width in found["arcs"]])
    assert (widths > 1).all()
    if len({texts[key] for key in drawn}) > 1:
        slope, start = np.polyfit(list(arcs.values()), widths, 1)
        assert slope > 5
        np.testing.assert_allclose(widths, start + slope * np.array(list(arcs.values())), atol=0.1)


def check_hidden(found: dict[str, Any], query: int) -> None:
    """Whether nothing of a query's row is given away."""
    assert (found["arcs"], found["said"], found["list"]) == ([], "", [])
    assert not any(found["percents"])
    assert found["labels"][query] == TOKENS[query]


def test_arcs_follow_every_toggle_at_once_with_the_server_stopped(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights&cell=weights.0.5.4", until=told_ahead)
    lights_the_row_of_a_chip_that_is_pointed_at_and_shows_its_arcs(page)
    can_be_told_from_the_paper(page)
    river, itself = (round(100 * w) for w in SETUP.trace["weights"][0, LAST, LAST - 1 : LAST + 1])
    assert seen(page)["said"] == f"“bank” reads {river} % from “river”."
    aloud = f"bank, reads {river}\u00a0% from river, {itself}\u00a0% from itself"
    assert seen(page)["labels"][LAST].startswith(aloud)
    expect(ribbon(page).locator(".of").first).to_have_text("Head 1: which meaning?")
    box = box_of(ribbon(page))
    assert box.height <= 125
    assert box.bottom < 330
    tool(page, "Show all controls").click()
    with stopped(page.url):
        chosen: dict[str, Any] = {}
        for key, value in [("mask", "none"), ("scale", "off"), ("mask", "window"), ("scale", "on")]:
            chosen[key] = value
            mask, scale = chosen["mask"], chosen.get("scale", "on") == "on"
            found = after_click(page, option(key, value))
            check(found, SETUP.run(mask=mask, scale=scale), (0, LAST))
        found = after_click(page, option("head", "2"))
        check(found, SETUP.run(mask="window"), (1, LAST))
        assert "reads" in found["said"]
        expect(ribbon(page).locator(".of").first).to_have_text("Head 2: who does it?")
        after_click(page, option("mask", "causal"))
        check(after_click(page, option("heads", "1")), SETUP.run(heads=1), (0, LAST))
        expect(ribbon(page).locator(".of").first).to_be_hidden()  # there is one alone
        keeps_the_query_that_was_chosen_at_a_cell_without_tokens(page)


@pytest.mark.deep
def test_rows_say_when_they_do_not_add_up(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights&cell=weights.0.2.0")
    shares = seen(page)["percents"][:3]
    assert sum(int(share) for share in shares) == 99
    expect(ribbon(page).get_by_text("(rounding: 99\u00a0%)")).to_be_visible()
    chip(page, 1).click()
    expect(ribbon(page).locator(".told")).not_to_contain_text("(rounding: 99\u00a0%)")


@pytest.mark.parametrize("cover", some(made_between(SETUP.trace, "weights"), 5))
def test_a_cover_of_what_makes_weights_hides_the_ribbon(cover: str, open_page: OpenPage) -> None:
    page = open_page(f"?preset=river-bank&step={cover}&cover={cover}")
    expect(page.locator(".focus .covered").first).to_be_visible()
    for query in range(len(TOKENS)):
        chip(page, query).hover()
        check_hidden(seen(page), query)
    page.keyboard.press("u")
    expect(page.locator(".focus .covered")).to_have_count(0)
    chip(page, LAST).click()
    check(seen(page), SETUP.trace, (0, LAST))


def test_of_more_than_twelve_keys_arcs_begin_at_one_percent(open_page: OpenPage) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen"
    page = open_page(f"?text={text.replace(' ', '+')}&mask=none&step=weights&cell=weights.0.12.0")
    check(seen(page), Setup(text=text, mask="none").trace, (0, 12))


def test_a_cover_of_one_weight_hides_the_row_that_it_is_of(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights&cell=weights.0.5.4&cover=weights.0.5.4")
    expect(page.locator(".focus .covered")).to_have_count(1)
    check_hidden(seen(page), LAST)
    chip(page, 1).hover()
    check(seen(page), SETUP.trace, (0, 1))


@pytest.mark.deep
def test_a_cover_lifted_from_the_weights_alone_still_hides_the_ribbon(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights&cell=weights.0.5.4&cover=scores.5")
    expect(page.locator(".focus .covered").first).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator('[data-part="focus"][data-matrix="weights"] .covered')).to_have_count(0)
    check_hidden(seen(page), LAST)
    chip(page, 1).hover()
    check(seen(page), SETUP.trace, (0, 1))  # nothing of this row was covered


def lights_the_row_of_a_chip_that_is_pointed_at_and_shows_its_arcs(page: Page) -> None:
    chip(page, 2).hover()
    check(seen(page), SETUP.trace, (0, 2))
    page.evaluate(f"{STAGE}.draw()")  # as when an answer comes meanwhile
    lit = page.locator('[data-part="strip"] .cell').evaluate_all(
        """(cells) => cells.filter((cell) => /source|here|use/.test(cell.className))
          .map(({ dataset, className }) => [dataset.cell.split("."), className.split(" ").pop()])"""
    )
    by_array = {array: kind for (array, *_), kind in lit}
    assert by_array == {
        "X": "source", "Q": "source", "scores": "source", "scaled": "source", "masked": "source",
        "weights": "here", "context": "use", "output": "use",
    }  # fmt: skip
    assert {index[-2] for (_, *index), _ in lit} == {"2"}
    assert len(lit) == 8 + 4 + 4 * 6 + 4 + 8
    page.mouse.move(0, 0)
    check(seen(page), SETUP.trace, (0, LAST))
    expect(page.locator(".focus .here")).to_have_count(1)


@pytest.mark.deep
def test_chips_are_reached_and_chosen_by_keys(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=scores&cell=scores.0.5.4")
    expect_selected(page, "scores.0.5.4")
    assert chip(page, LAST).evaluate("chip => chip.tabIndex") == 0
    assert ribbon(page).locator('[tabindex="0"]').count() == 1
    chip(page, LAST).focus()
    page.keyboard.press("ArrowLeft")
    expect(chip(page, 4)).to_be_focused()
    check(seen(page), SETUP.trace, (0, 4))
    page.keyboard.press("Home")
    expect(chip(page, 0)).to_be_focused()
    assert seen(page)["said"] == "“we” reads only itself."
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect_selected(page, "scores.0.1.4")
    expect(chip(page, 1)).to_be_focused()
    expect(chip(page, 1)).to_have_attribute("aria-checked", "true")
    expect(ribbon(page).locator("svg")).to_have_attribute("aria-hidden", "true")


def keeps_the_query_that_was_chosen_at_a_cell_without_tokens(page: Page) -> None:
    go_to_step(page, "output")
    chip(page, 2).click()
    for cell in ("W_O.3.4", "W_O.0.1"):
        focus_cell(page, cell).click()
        expect_selected(page, cell)
        expect(chip(page, 2)).to_have_attribute("aria-checked", "true")
    page.locator(strip_phase("context")).click()
    expect_selected(page, "context.0.2.0")


@pytest.mark.deep
def test_in_a_notebook_is_the_ribbon_too(open_file: OpenPage) -> None:
    page = open_file(f"<!doctype html><body>{show(SETUP.trace)._repr_html_()}")
    where = page.frame_locator("iframe")
    chip(where, LAST).click()
    check(seen(where), SETUP.trace, (0, LAST))
    check(after_click(where, option("head", "2")), SETUP.trace, (1, LAST))


def scrolls_to_its_query(page: Page) -> bool:
    """Whether it scrolls, the row that reads is in its box, and what is said stands below that."""
    found: bool = ribbon(page).evaluate(
        """(ribbon) => {
          const reading = ribbon.querySelector(".reading"), box = reading.getBoundingClientRect();
          const chip = ribbon.querySelector("[aria-checked=true]").getBoundingClientRect();
          const told = ribbon.querySelector(".told").getBoundingClientRect();
          return chip.left >= box.left && chip.right <= box.right
            && reading.scrollWidth > reading.clientWidth && box.bottom <= told.top;
        }"""
    )
    return found


@pytest.mark.deep
def test_on_a_phone_the_ribbon_scrolls_to_its_query(open_page: OpenPage) -> None:
    text = "we+sat+by+the+river+bank+and+saw+the+water"
    link = f"?preset=river-bank&text={text}&step=weights&cell=weights.0.9.8"
    page = open_page(link, size=(390, 844))
    expect(chip(page, 9)).to_be_in_viewport()
    assert scrolls_to_its_query(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    edge = "(reading) => getComputedStyle(reading).backgroundImage"
    assert "gradient" in ribbon(page).locator(".reading").evaluate(edge)
    expect(ribbon(page).locator("[data-arc]").first).to_be_visible()


@pytest.mark.deep
def test_as_many_tokens_as_a_sentence_may_have(open_page: OpenPage) -> None:
    words = [f"antidisestablishment{n}" if n == 7 else f"w{n}" for n in range(MAX_TOKENS)]
    text = " ".join(words)
    address = f"?text={text.replace(' ', '+')}&step=weights&cell=weights.0.63.7"
    page = open_page(address, theme="dark", step="weights")
    can_be_told_from_the_paper(page)
    check(seen(page), Setup(text=text).trace, (0, MAX_TOKENS - 1))
    assert scrolls_to_its_query(page)
    assert box_of(ribbon(page)).height <= 126
    assert chip(page, 7).inner_text() == "antidisestab…"
    expect(chip(page, 7)).to_have_attribute("title", words[7])
    expect(chip(page, 7)).to_have_attribute("aria-label", re.compile(f"^{words[7]}, reads "))
    assert not chip(page, 8).get_attribute("title")


def alone(open_file: OpenPage, trace: Trace, array: str) -> Page:
    """A page that has the stage of a run, at the first cell of an array."""
    page = open_file(standalone(trace, (array, (0,) * trace[array].ndim)))
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", array)
    return page


@pytest.mark.deep
def test_two_sentences_stand_on_two_lines(open_file: OpenPage) -> None:
    trace = cross_family("we saw it", "wir sahen das Haus").run(graph_side="cross")
    page = alone(open_file, trace, "weights")
    check(seen(page), trace, (0, 0))
    rows = ribbon(page).locator(".chips")
    keys, queries = rows.nth(0), rows.nth(1)
    expect(keys.locator(".chip")).to_have_text(["wir", "sahen", "das", "Haus"])
    expect(keys.locator("[data-query]")).to_have_count(0)
    expect(queries.locator("[data-query]")).to_have_text(["we", "saw", "it"])
    above, below = box_of(keys), box_of(queries)
    assert above.bottom < below.top
    chip(page, 2).click()
    check(seen(page), trace, (0, 2))
    assert "itself" not in seen(page)["said"]


READ = [
    (name, array) for name in REGISTRY for array in weights_between_tokens(REGISTRY[name].run())
]


@pytest.mark.parametrize(("name", "array"), some(READ, len(READ) // 2))
def test_each_program_with_weights_shows_rows(name: str, array: str, open_file: OpenPage) -> None:
    trace = REGISTRY[name].run()
    page = alone(open_file, trace, array)
    *before, queries, _ = trace[array].shape
    for query in range(queries):
        chip(page, query).click()
        check(seen(page), trace, (*(0 for _ in before), query), array)


NOT_READ = [name for name in REGISTRY if name not in dict(READ)]


@pytest.mark.parametrize("name", some(NOT_READ, len(NOT_READ) // 2))
def test_other_programs_have_no_ribbon_and_no_room_for_one(name: str, open_file: OpenPage) -> None:
    trace = REGISTRY[name].run()
    page = alone(open_file, trace, trace.program.steps[-1].name)
    expect(ribbon(page)).to_be_hidden()
    assert ribbon(page).bounding_box() is None


WITHOUT = ["debug-lab?lab_case=4&lab_step=weights", "?preset=river-bank&step=weights&present=1"]
"""Before a guess of the lab; while it is projected."""


@pytest.mark.parametrize("path", some(WITHOUT, 2))
def test_no_ribbon_where_it_would_tell_much_or_take_room(path: str, open_page: OpenPage) -> None:
    page = open_page(path, step="weights")
    expect(page.locator(".focus .cell").first).to_be_visible()
    for one in page.get_by_test_id("ribbon").all():
        expect(one).to_be_hidden()


@pytest.mark.deep
def test_a_row_without_a_key_reads_nothing(open_file: OpenPage) -> None:
    mask = np.tri(6, dtype=bool)
    mask[0] = False
    trace = Setup(mask="custom", edits={"mask": mask}).trace
    page = alone(open_file, trace, "weights")
    expect(ribbon(page).locator(".reads")).to_have_text("“The” reads nothing.")
    assert seen(page)["arcs"] == []
    chip(page, 1).click()
    check(seen(page), trace, (0, 1))


def can_be_told_from_the_paper(page: Page) -> None:
    arc, *texts = (contrast(*pair) for pair in ribbon(page).evaluate(COLOURS))
    assert arc >= 3
    assert min(texts) >= ENOUGH
    assert ribbon(page).evaluate(ASKS_IN_BLUE)


ASKS_IN_BLUE = """(ribbon) => {
  ribbon.appendChild(document.createElement("i")).style.color = "var(--query)";
  const asked = getComputedStyle(ribbon.lastChild).color;
  ribbon.lastChild.remove();
  return asked === getComputedStyle(ribbon.querySelector(".asking")).backgroundColor;
}"""
COLOURS = """(ribbon) => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const hex = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const parts = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  };
  const style = (selector) => getComputedStyle(ribbon.querySelector(selector));
  const paper = getComputedStyle(ribbon.closest(".stage")).backgroundColor;
  const pairs = [[style("[data-arc]").stroke, paper], [style(".percents span").color, paper],
    [style(".asking").color, style(".asking").backgroundColor]];
  return pairs.map((pair) => pair.map(hex));
}"""
"""Of an arc, a percentage and the chip that asks: its colour, and that of its ground."""
