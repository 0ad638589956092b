"""Every page on a phone: what is wide scrolls and shows it, formulas never, no text is cut."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.stage import expect_step
from tests.browser.waiting import fits
from tests.sampling import DEEP, three
from ui.links.path import PAGE_NAMES, address_of

# What scrolls sideways without an edge, holds a formula and scrolls, or cuts what is written in it.
FAULTS = """async () => {
  let found;
  const FORMULAS = ".katex, .katex-display, .formula, .formula *, .maths, math";
  const hides = (part) => getComputedStyle(part).clipPath !== "none"; // for screen readers alone
  const edged = (part) => {
    const { backgroundImage, borderRightWidth } = getComputedStyle(part);
    return backgroundImage.includes("gradient") || parseFloat(borderRightWidth) > 0;
  };
  const look = (root) => root.querySelectorAll("*").forEach((part) => {
    if (part.shadowRoot) look(part.shadowRoot);
    if (!part.getClientRects().length || hides(part)) return;
    const { overflowX } = getComputedStyle(part), over = part.scrollWidth - part.clientWidth;
    if (overflowX === "visible" || part.clientWidth < 8 || over < 2) return;
    const name = `${part.localName}.${part.className} ${part.textContent}`.slice(0, 80);
    const scrolls = ["auto", "scroll"].includes(overflowX), code = part.closest("pre");
    if (!scrolls && over > 4 && part.textContent.trim()) found.push(`cut: ${name}`);
    if (scrolls && !code && !edged(part)) found.push(`no edge: ${name}`);
    if (scrolls && part.matches(FORMULAS)) found.push(`a formula scrolls: ${name}`);
  });
  for (let frame = 0; frame < 60; frame += 1) { // sizes follow the window by and by
    await new Promise((painted) => requestAnimationFrame(painted));
    found = [];
    look(document.querySelector("[data-testid=stMain]"));
    if (frame > 1 && !found.length) break;
  }
  return found;
}"""


@pytest.mark.parametrize("name", PAGE_NAMES if DEEP else ["real_heads", *three(PAGE_NAMES, 2)[:1]])
def test_on_a_phone_what_is_wide_scrolls_with_an_edge_and_no_text_is_cut(
    open_page: OpenPage, name: str
) -> None:
    page = open_page(address_of(name), width=390, height=844)
    page.locator(
        "[data-testid=stMain] [data-testid=stExpander] details:not([open]) > summary"
    ).evaluate_all("all => all.forEach((summary) => summary.click())")
    page.locator("[class*=st-key-question_]").evaluate_all(
        "all => all.forEach((one) => { one.style.contentVisibility = 'visible'; })"
    )
    fits(page, 390)
    assert page.evaluate(FAULTS) == []


def test_nothing_lies_over_the_sentence_that_is_typed(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844)
    expect_step(page, "X")
    field = page.get_by_role("textbox", name="Sentence", exact=True)
    field.press_sequentially("now")
    hint = page.locator(".st-key-controls [data-testid=InputInstructions]")
    expect(hint).to_be_attached()
    expect(hint).to_be_hidden()
