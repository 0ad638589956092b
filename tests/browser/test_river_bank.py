"""The opening example in a browser: names of features and heads, its sentence, its heads."""

import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.presets import preset
from core.program.numbers.rounding import decimal_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import arithmetic, choice, expect_step, focus_cell, heard, told_ahead
from tests.sampling import some

RIVER = preset("river-bank")
FEATURES = list(RIVER.labels["m"])


CUT = """() => {
  const found = [];
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(".focus .label:not(.corner)") || !node.clientWidth) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    const words = range.getBoundingClientRect(), box = node.getBoundingClientRect();
    const cut = words.width > box.width + 1 || words.height > box.height + 1;
    const size = parseFloat(getComputedStyle(node).fontSize);
    const beyond = box.left < 0 || box.right > innerWidth + 1;
    if (cut || size < 12 || beyond) found.push(`${node.textContent} ${size}`);
  });
  look(document);
  return found;
}"""
"""The labels of the focus that are cut, too small, or beyond the window."""


def overlapping(page: Page) -> list[str]:
    """Names of columns that touch the next one."""
    boxes = page.locator('[data-part="focus"] .label.top.named').evaluate_all(
        """(labels) => labels.map((label) => {
          const range = document.createRange();
          range.selectNodeContents(label);
          const { left, right } = range.getBoundingClientRect();
          const { top } = label.closest(".row").getBoundingClientRect();
          return [label.textContent, left, right, top];
        })"""
    )
    return [a[0] for a, b in pairwise(boxes) if a[3] == b[3] and b[1] > a[1] and a[2] > b[1]]


def test_the_opening_example_follows_its_link_its_sentence_and_its_heads(
    open_page: OpenPage,
) -> None:
    page = open_page("?preset=river-bank&step=output")
    expect(page.locator(".story")).to_contain_text(
        "bank can mean two things. It reads mostly river, so here it is the shore."
    )
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
    field = page.get_by_role("textbox", name="Sentence")
    field.fill("we sat by the money bank")
    field.press("Enter")
    expect(focus_cell(page, "output.5.1")).to_have_text("1.46")
    expect(page.locator(".story")).to_contain_text(
        "The largest feature of its output is money, 1.46"
    )
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
        expect(story).to_contain_text(
            "bank can mean two things. It reads mostly river, so here it is the shore."
        )
        choice(page, "head", "2").click()
        expect(story).to_contain_text("bank is not an action: head 2 looks for the action")
        chips.filter(has_text="sat").click()
        expect(story).to_contain_text("sat is an action: head 2 looks for a person who does it.")
        expect(story).to_contain_text("a real model learns them")


@pytest.mark.deep
@pytest.mark.parametrize("width", some([1440, 390], 2, 1))
def test_names_of_features_are_whole_at_every_step(width: int, open_page: OpenPage) -> None:
    for step in ("X", "Q", "output"):
        page = open_page(f"?preset=river-bank&step={step}", width=width, height=844)
        expect_step(page, step)
        named = page.locator('[data-part="focus"] .label', has_text="small word")
        expect(named.first).to_be_visible()
        assert not page.evaluate(CUT), step
        assert not overlapping(page), step


@pytest.mark.deep
def test_a_bare_address_names_the_example_once_something_is_done(open_page: OpenPage) -> None:
    page = open_page()
    expect_step(page, "X")
    expect(focus_cell(page, "X.5.6")).to_have_attribute("aria-selected", "true")
    told_ahead(page)
    assert urlsplit(page.url)[2:] == ("/", "", "")
    with stopped(page.url):
        page.keyboard.press("PageDown")
        expect_step(page, "Q")
        assert page.url.endswith("/?step=Q&preset=river-bank")
    heard(page)
    again = open_page(page.url)
    expect_step(again, "Q")
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
        page = open_page(f"?{query}", width=1280, height=720)
        expect_step(page, "scores")
        expect(focus_cell(page, "scores.0.2.1")).to_have_attribute("aria-selected", "true")
        assert "preset" not in page.url
