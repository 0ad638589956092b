"""The debug lab in a browser: nothing on its page tells a case but the numbers of its run."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core.chapters.debug_lab.lab import CASES, NUMBERS, order
from tests.browser.conftest import OpenPage
from tests.browser.page import settle, type_in
from tests.browser.stage import arithmetic, focus_cell, said

# Every element of the page, also inside components: its tag, its attributes, its own text. Of the
# choice of a case only the tags and texts: which one is chosen may differ.
WHOLE = """() => {
  const found = [[document.title, location.pathname]];
  const take = (node) => {
    if (node.nodeType === Node.TEXT_NODE) found.push([node.data]);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("script, style")) return;
    const told = node.closest(".st-key-lab_case") ? [] : [...node.attributes];
    found.push([node.localName, ...told.map(({ name, value }) => `${name}=${value}`).sort()]);
    (node.shadowRoot ? [...node.shadowRoot.childNodes] : []).forEach(take);
    node.childNodes.forEach(take);
  };
  take(document.body);
  return found;
}"""
NUMBER = re.compile(
    r"(?:minus )?\d[\d.]* times 10 to the (?:minus )?\d+"
    r"|(?<![\w.])[−-]?(?:\d+(?:\.\d+)?(?:e[−-]?\d+)?|∞)|NaN|not a number"
    r"|(?:minus )?(?:infinity|\d[^\s,]*)"
)
COLOUR = re.compile(r"\b([sw])\d+\b|\bnan\b")
# What the browser's libraries number as they please, in two visits of one case too.
DRAWN_BY_LOT = re.compile(r":r\w+:|react-aria\d+|stAppEmbeddingId-\w+")


def without_numbers(page: Page) -> list[list[str]]:
    """The page's elements, with the numbers of cells, their colours and the case taken out."""
    found: list[list[str]] = page.evaluate(WHOLE)
    return [[neutral(part) for part in element] for element in found]


def neutral(text: str) -> str:
    text = DRAWN_BY_LOT.sub("", text)
    return COLOUR.sub("#", text) if text.startswith("class=") else NUMBER.sub("#", text)


def visited(open_page: OpenPage, link: str, step: str) -> list[list[str]]:
    page = open_page(f"{link}&lab_step={step}&lab_cell={step}.0.1.1", step=step)
    expect(page.get_by_role("button", name="Reveal the mistake")).to_be_visible()
    expect(page.get_by_text("In code", exact=True)).to_be_visible()
    expect(arithmetic(page)).to_contain_text("Closed until")
    page.wait_for_load_state("networkidle")
    settle(page)
    said(page)
    return without_numbers(page)


@pytest.mark.deep
@pytest.mark.parametrize("step", ["scaled", "masked", "weights", "Q"])
def test_before_the_guess_two_cases_differ_in_numbers_alone(open_page: OpenPage, step: str) -> None:
    first, *others = (
        visited(open_page, f"debug-lab?lab_case={number}", step) for number in NUMBERS
    )
    for other in others:
        assert [pair for pair in zip(first, other, strict=False) if pair[0] != pair[1]] == []
        assert len(first) == len(other)
    page = open_page("debug-lab?lab_case=1&lab_told=yes")
    expect(page.get_by_role("button", name="Close it again")).to_be_visible()
    assert without_numbers(page) != first, "of a case that is shown much differs"


@pytest.mark.deep
def test_a_step_a_cell_and_the_mistake_are_found_on_the_stage(open_page: OpenPage) -> None:
    page = open_page("debug-lab?lab_case=1", step="Q_all")
    page.locator('.strip .phase[data-step="masked"]').click()
    page.get_by_role("button", name="1. The first wrong step: Mask").click()
    right = "Right: 42 of 72 numbers of masked (21 of 36 in head 1"
    expect(page.get_by_text(right)).to_be_visible()
    focus_cell(page, "masked.0.1.1").click()
    page.get_by_role("button", name="2. A wrong cell of it: masked[cat, cat] of head 1").click()
    expect(page.get_by_text("This number is correct: masked[cat, cat]")).to_be_visible()
    focus_cell(page, "masked.0.1.3").click()
    page.get_by_role("button", name="2. A wrong cell of it: masked[cat, on] of head 1").click()
    expect(page.get_by_text("Right: in the correct run, masked[cat, on]")).to_be_visible()
    expect(arithmetic(page)).to_contain_text("Closed until the mistake is revealed")
    expect(page.locator(".stage .change")).to_have_count(0)
    named(page, "the divisor is √d_model")
    refuted = page.get_by_text("Not here. With the mistake “the divisor is")
    expect(refuted).to_be_visible()
    expect(refuted.locator(".katex").first).to_be_attached()  # √d_model, set as a symbol
    expect(refuted).to_contain_text("Here it is")
    expect(page.locator(".stage .change")).to_have_count(0)
    named(page, CASES["zero"].name)
    place = order().index(1) + 1
    heading = opened_heading(page)
    expect(heading).to_have_text(f"Right. Case {place}: {CASES['zero'].name}")
    expect(arithmetic(page)).not_to_contain_text("Closed")
    expect(page.locator(".stage .change").first).to_be_attached()
    settle(page)
    assert "lab_guess=zero" in page.url
    again = open_page(page.url)
    expect(opened_heading(again)).to_have_text(heading.inner_text())
    expect(again.locator(".stage .change").first).to_be_attached()


def opened_heading(page: Page) -> Locator:
    """The heading of a case that is shown: the stage has headings of this level too."""
    return page.get_by_role("heading", level=2, name=re.compile(r"\bCase \d"))


def named(page: Page, mistake: str) -> None:
    field = page.get_by_role("combobox", name="3. The mistake")
    field.click()
    field.fill(mistake[:12])
    page.get_by_role("option", name=mistake).click()


def test_a_number_typed_for_a_cover_is_compared_and_not_judged(open_page: OpenPage) -> None:
    """In the case of √d_model 0.05 is the broken number, and −0.07 the right one."""
    page = open_page("debug-lab?lab_case=8&lab_step=scaled&lab_cover=scaled", step="scaled")
    focus_cell(page, "scaled.0.0.0").click()
    field = arithmetic(page).get_by_role("textbox")
    another = "This run has another number than -0.07. Reveal it: at least one of the two is wrong."
    for typed, verdict in (("-0.07", another), ("-0.05", "-0.05 agrees with this run.")):
        type_in(field, typed)
        expect(arithmetic(page).locator(".verdict")).to_have_text(verdict)
    expect(focus_cell(page, "scaled.0.0.0")).to_contain_text("−0.05")
