"""The opening example in a browser: names of features and heads, its story, its last pictures."""

import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.presets import preset
from core.program.numbers.rounding import decimal_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import box_of, settle, type_in
from tests.browser.stage import arithmetic, choice, expect_step, focus_cell, heard, told_ahead
from tests.sampling import some

RIVER = preset("river-bank")
SHORE = "bank can mean two things. It reads mostly river, so here it is the shore."
FEATURES = list(RIVER.labels["m"])


CUT = """() => everywhere(".focus .label:not(.corner)").filter((node) => {
  const words = written(node).getBoundingClientRect(), box = node.getBoundingClientRect();
  const cut = words.width > box.width + 1 || words.height > box.height + 1;
  const beyond = box.left < 0 || box.right > innerWidth + 1;
  const small = parseFloat(getComputedStyle(node).fontSize) < 12;
  return node.clientWidth && (cut || small || beyond);
}).map((node) => `${node.textContent} ${getComputedStyle(node).fontSize}`)"""
"""The labels of the focus that are cut, too small, or beyond the window."""


def overlapping(page: Page) -> list[str]:
    """Names of columns that touch the next one."""
    boxes = page.locator('[data-part="focus"] .label.top.named').evaluate_all(
        """(labels) => labels.map((label) => {
          const { left, right } = written(label).getBoundingClientRect();
          const { top } = label.closest(".row").getBoundingClientRect();
          return [label.textContent, left, right, top];
        })"""
    )
    return [a[0] for a, b in pairwise(boxes) if a[3] == b[3] and b[1] > a[1] and a[2] > b[1]]


def test_the_opening_example_follows_its_link_sentence_and_heads(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=output")
    expect(page.locator(".story")).to_contain_text(SHORE)
    heads = page.locator('[data-control="head"] [role=radio]')
    expect(heads).to_have_text(["1: which meaning?", "2: who does it?"])
    names = page.locator('[data-matrix="output"][data-part="focus"] [role=columnheader]')
    expect(names).to_have_text(FEATURES)
    expect(focus_cell(page, "output.5.0")).to_have_text("1.46")
    focus_cell(page, "output.5.0").click()
    expect(arithmetic(page)).to_contain_text("output[bank, water]")
    sharper = decimal_text(float(RIVER.run(scale=False)["output"][5, 0]), 2)
    assert sharper != "1.46"
    told_ahead(page)
    with stopped(page.url):
        choice(page, "scale", "off").click()
        expect(focus_cell(page, "output.5.0")).to_have_text(sharper)
        choice(page, "scale", "on").click()
    type_in(page.get_by_role("textbox", name="Sentence"), "we sat by the money bank")
    expect(focus_cell(page, "output.5.1")).to_have_text("1.46")
    largest = "The largest feature of its output is money, 1.46"
    expect(page.locator(".story")).to_contain_text(largest)
    expect(page).to_have_url(re.compile(r"preset=river-bank&.*text=we\+sat\+by\+the\+money\+bank"))
    choice(page, "heads", "4").click()
    expect(page.get_by_text("This is no longer the example")).to_be_visible()
    expect(page.locator('[data-control="head"] [role=radio]')).to_have_text(["1", "2", "3", "4"])
    page.get_by_role("button", name="Back to the example").click()
    expect(focus_cell(page, "output.5.1")).to_have_text("1.46")
    expect(page).to_have_url(re.compile("preset=river-bank"))


def test_what_is_said_follows_the_word_and_the_head_that_are_looked_at(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=X")
    story, chips = page.locator(".story"), page.get_by_role("option")
    told_ahead(page)
    with stopped(page.url):
        chips.filter(has_text="river").hover()
        expect(story).to_contain_text("river has one meaning here")
        page.mouse.move(5, 5)
        expect(story).to_contain_text(SHORE)
        choice(page, "head", "2").click()
        expect(story).to_contain_text("bank is not an action: head 2 looks for the action")
        chips.filter(has_text="sat").click()
        expect(story).to_contain_text("sat is an action: head 2 looks for a person who does it.")
        expect(story).to_contain_text("a real model learns them")


@pytest.mark.deep
@pytest.mark.parametrize("width", some([1440, 390], 2, 1))
def test_names_of_features_are_whole_at_every_step(width: int, open_page: OpenPage) -> None:
    for step in ("X", "Q", "output"):
        page = open_page(f"?preset=river-bank&step={step}", size=(width, 844), step=step)
        named = page.locator('[data-part="focus"] .label', has_text="small word")
        expect(named.first).to_be_visible()
        assert not page.evaluate(CUT), step
        assert not overlapping(page), step


@pytest.mark.deep
def test_a_bare_address_names_the_example_once_something_is_done(open_page: OpenPage) -> None:
    page = open_page(step="X")
    expect(focus_cell(page, "X.5.6")).to_have_attribute("aria-selected", "true")
    told_ahead(page)
    assert urlsplit(page.url)[2:] == ("/", "", "")
    with stopped(page.url):
        page.keyboard.press("PageDown")
        expect_step(page, "Q")
        assert page.url.endswith("/?step=Q&preset=river-bank")
    heard(page)
    again = open_page(page.url, step="Q")
    expect(again.get_by_role("textbox", name="Sentence")).to_have_value(RIVER.text)
    page.keyboard.press("PageDown")
    expect(focus_cell(page, "scores.0.5.4")).to_have_attribute("aria-selected", "true")
    for _ in range(2):
        page.keyboard.press("PageUp")
    expect_step(page, "X")
    heard(page)
    expect(page).to_have_url(re.compile(r"\?(?=.*step=X)(?=.*preset=river-bank).*cell=X\.5\.6$"))


@pytest.mark.deep
def test_a_projected_or_embedded_bare_address_means_what_it_meant(open_page: OpenPage) -> None:
    for query in ("present=1", "embed=true"):
        page = open_page(f"?{query}", size=(1280, 720), step="scores")
        expect(focus_cell(page, "scores.0.2.1")).to_have_attribute("aria-selected", "true")
        assert "preset" not in page.url


def test_a_number_of_a_story_lights_its_cell_and_leads_to_it(open_page: OpenPage) -> None:
    page = open_page("?preset=P5-previous")
    numbers = page.locator(".story a.leads")
    expect(numbers).to_have_text(["24.00", "24.00", "43.00", "58.00", "5.00"])
    numbers.nth(2).hover()
    expect(page.locator('.here[data-cell="context.0.2.0"]').first).to_be_attached()
    numbers.nth(2).click()
    expect_step(page, "context")
    cell = page.locator('[data-part="focus"] [data-cell="context.0.2.0"]')
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(cell).to_have_text("43.00")
    settle(page)
    assert "#stage" not in page.url


@pytest.mark.deep
def test_of_an_example_that_was_changed_the_numbers_lead_nowhere(open_page: OpenPage) -> None:
    page = open_page("?preset=P5-previous&mask=none")
    expect(page.locator(".story")).to_contain_text("24.00, 24.00, 43.00, 58.00, 5.00")
    expect(page.locator(".story a")).to_have_count(0)


SIZES = [(1366, 657), (1440, 900), (390, 844)]


@pytest.mark.parametrize("size", some(SIZES, 3, 2))
def test_value_rows_are_as_wide_as_their_weights_and_the_end_leads_to_real_heads(
    open_page: OpenPage, size: tuple[int, int]
) -> None:
    page = open_page("?preset=river-bank&step=context", size=size, step="context")
    expect(page.locator(".workings .bar")).to_have_count(7)
    *parts, whole = (box_of(bar).width for bar in page.locator(".workings .bar").all())
    assert parts[4] == pytest.approx(0.79 * whole, abs=0.02 * whole)
    assert sum(parts) == pytest.approx(whole, abs=0.06 * whole)
    if size[0] > 1000:  # the picture is in sight as it opens
        assert box_of(page.locator(".workings table")).bottom <= size[1]
    page.keyboard.press("PageDown")
    expect_step(page, "output")
    expect(page.locator(".workings tr.total th")).to_have_text("after")
    room = page.locator(".workings").evaluate("(part) => part.clientWidth - part.scrollWidth")
    assert room >= 0, "all of its features are in sight"
    line = page.get_by_text("What it is for")
    expect(line).to_be_visible()
    links = page.locator("p", has=line).get_by_role("link")
    expect(links).to_have_text(["The block", "Real heads"])
    page.keyboard.press("PageUp")
    expect(line).to_have_count(0)


def test_nothing_of_a_covered_row_is_drawn(open_page: OpenPage) -> None:
    for cover, step in some([("V", "context"), ("X", "output"), ("X.5", "output")], 3, 2):
        page = open_page(f"?preset=river-bank&step={step}&cover={cover}", step=step)
        expect(page.locator('[data-part="focus"] [role=gridcell]').first).to_be_visible()
        expect(page.locator(".workings :is(.bar, td)")).to_have_count(0)


def test_the_card_says_what_a_number_is_covered_or_not(open_page: OpenPage) -> None:
    link = "preset=river-bank&step=scores&cell=scores.0.5.4&cover=scores"
    page = open_page(f"?{link}")
    for covered in (True, False):
        title = arithmetic(page).locator("h3")
        expect(title).to_contain_text("How well bank matches river")
        expect(title.locator(".cell-name")).to_contain_text("scores[bank, river]")
        expect(arithmetic(page)).to_have_attribute(
            "aria-label",
            "This number: How well bank matches river, scores[bank, river] of head 1 "
            "(which meaning?)",
        )
        shown = expect(arithmetic(page))
        (shown.not_to_contain_text if covered else shown.to_contain_text)("6.86")
        page.keyboard.press("u")
