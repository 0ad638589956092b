"""Every page on a phone, and twelve heads on any screen: all is there, and no text is cut."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.page import fits, settle
from tests.browser.stage import arithmetic, choice, expect_selected, focus_cell, go_to_step
from tests.sampling import DEEP, three
from ui.links.path import PAGE_NAMES, address_of

# What scrolls sideways without an edge, holds a formula and scrolls, or cuts what is written in it.
FAULTS = """() => {
  const FORMULAS = ".katex, .katex-display, .formula, .formula *, .maths, math";
  const hides = (part) => getComputedStyle(part).clipPath !== "none"; // for screen readers alone
  const edged = (part) => {
    const { backgroundImage, borderRightWidth } = getComputedStyle(part);
    return backgroundImage.includes("gradient") || parseFloat(borderRightWidth) > 0;
  };
  const faults = (part) => {
    if (!part.getClientRects().length || hides(part)) return [];
    const { overflowX } = getComputedStyle(part), over = part.scrollWidth - part.clientWidth;
    if (overflowX === "visible" || part.clientWidth < 8 || over < 2) return [];
    const name = `${part.localName}.${part.className} ${part.textContent}`.slice(0, 80);
    const scrolls = ["auto", "scroll"].includes(overflowX), code = part.closest("pre");
    return [
      [!scrolls && over > 4 && part.textContent.trim(), "cut"],
      [scrolls && !code && !edged(part), "no edge"],
      [scrolls && part.matches(FORMULAS), "a formula scrolls"],
    ].filter(([is]) => is).map(([, said]) => `${said}: ${name}`);
  };
  const main = document.querySelector("[data-testid=stMain]");
  return laterSeen(() => everywhere("*", main).flatMap(faults), (found) => !found.length);
}"""


CLICK_ALL = "all => all.forEach((one) => one.click())"
SHOW_ALL = "all => all.forEach((one) => { one.style.contentVisibility = 'visible'; })"
PLACES = [*map(address_of, PAGE_NAMES), "other-kinds?kinds_part=paint"]
SAMPLE = [address_of("real_heads"), *three(PLACES, 2)[:1]]


@pytest.mark.parametrize("place", PLACES if DEEP else SAMPLE)
def test_on_a_phone_wide_parts_have_an_edge_no_text_is_cut(open_page: OpenPage, place: str) -> None:
    page = open_page(place, size=(390, 844))
    page.locator("[data-testid=stExpander] details:not([open]) > summary").evaluate_all(CLICK_ALL)
    page.locator("[class*=st-key-question_]").evaluate_all(SHOW_ALL)
    fits(page, 390)
    assert page.evaluate(FAULTS) == []


def test_nothing_lies_over_the_sentence_that_is_typed(open_page: OpenPage) -> None:
    page = open_page(size=(390, 844), step="X")
    field = page.get_by_role("textbox", name="Sentence", exact=True)
    field.press_sequentially("now")
    hint = page.locator(".st-key-controls [data-testid=InputInstructions]")
    expect(hint).to_be_attached()
    expect(hint).to_be_hidden()


# What people read or press, and that reaches out of the window.
CUT = """() => [...document.querySelectorAll(
  '[data-testid=stMain] :is(button, input, label, p, .cell, .caption, .heading)')]
  .map(e => [e.className, e.innerText, e.getBoundingClientRect()])
  .filter(([, , r]) => r.width && (r.left < -0.5 || r.right > innerWidth + 0.5))
  .map(([name, text, r]) => `${name} ${text} ${r.left} to ${r.right}`)"""
ENDS = "rows => rows.map(row => row.getBoundingClientRect().right)"
STEPS = ("X", "Q", "scores", "weights", "context", "output")


@pytest.mark.deep
@pytest.mark.parametrize("width", [390, 1440])
def test_twelve_heads_are_walked_and_the_last_is_picked(open_page: OpenPage, width: int) -> None:
    page = open_page("?heads=12&d_model=48&step=X", size=(width, 900))
    for step in STEPS:
        go_to_step(page, step)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        rows = arithmetic(page).locator("math")
        expect(rows.first).to_be_attached()
        assert max(rows.evaluate_all(ENDS)) <= width, step
        assert page.evaluate(CUT) == [], step
        fits(page, width)
    go_to_step(page, "weights")
    shut = page.locator(".toolbar:not([open]) > summary")  # on a phone
    shut.evaluate_all(CLICK_ALL)
    picker = page.get_by_test_id("stage").locator('[data-control="head"] [role="radio"]')
    expect(picker).to_have_text([str(n + 1) for n in range(12)])
    choice(page, "head", "12").click()
    expect_selected(page, "weights.11.2.1")
    expect(focus_cell(page, "weights.11.5.5")).to_be_visible()
    settle(page)
    expect_selected(open_page(page.url), "weights.11.2.1")
