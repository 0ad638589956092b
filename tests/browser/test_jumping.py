"""Nothing of a page moves while it loads, and nothing of it is seen without its style."""

from functools import partial
from itertools import cycle, product

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.waiting import SETTLED
from tests.sampling import DEEP, some
from ui.path import HOME, PAGE_NAMES, address_of

MOST = 0.1
"""What a page may move: Chromium's layout shifts, from navigation until it has long settled."""
SIZES, SLOWED = ((1440, 900), (390, 844)), (1, 4)
SCENE = f"{address_of(HOME)}?lesson=from-nothing.5"
SAMPLE = (address_of(HOME), address_of("softmax"), SCENE)
ALL = (*map(address_of, PAGE_NAMES), SCENE)

NOTE = """
globalThis.shifts = [];
const name = (node) => node?.nodeType === 1 ? node.className || node.tagName : "?";
new PerformanceObserver((list) => {
  for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    const moved = sources.map(({ node, previousRect: { y: from }, currentRect: { y: to } }) => (
      `${name(node)} from ${Math.round(from)} to ${Math.round(to)}`
    ));
    shifts.push({ value, at: Math.round(startTime), moved });
  }
}).observe({ type: "layout-shift", buffered: true });
"""
STANDS = """(settled) => {
  if (!document.querySelector(settled)) globalThis.since = null;
  else globalThis.since ??= performance.now();
  return globalThis.since !== null && performance.now() - since > 4000;
}"""
WAITING = """[...document.querySelectorAll("[data-testid=stMainBlockContainer] *")]
  .filter((part) => getComputedStyle(part).animationName === "come-anyway")
  .map(({ className }) => className)"""
"""What is kept unseen until something above it has its size."""

UNDRAWN = """() => [...document.querySelectorAll('.stElementContainer')]
  .filter((box) => /(stage|board|arrows|picture|maps) |lesson_way/.test(box.className))
  .filter((box) => !box.hasAttribute("data-drawn")).map(({ className }) => className)"""
"""Components that did not say that they have their size: what is below them came by the clock."""

# Asked before Streamlit's scripts run: what has been painted, and is the house's style there?
EARLY = """
addEventListener("DOMContentLoaded", () => {
  const probe = document.body.appendChild(document.createElement("div"));
  probe.dataset.testid = "stMainBlockContainer";
  globalThis.early = {
    painted: performance.getEntriesByType("paint").length,
    padding: getComputedStyle(probe).padding,
    font: [...document.fonts].some(({ family }) => family.includes("STIX Two Math")),
  };
  probe.remove();
});
"""


def slowed(page: Page, rate: int) -> None:
    """Note what moves on a page, in a browser that is so many times slower."""
    page.add_init_script(NOTE)
    tools = page.context.new_cdp_session(page)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": rate})


@pytest.mark.parametrize(
    ("address", "rate"), [*product(ALL, SLOWED)] if DEEP else [*zip(SAMPLE, cycle(SLOWED))]
)
def test_nothing_jumps(address: str, rate: int, server: str, open_page: OpenPage) -> None:
    pages = [
        open_page(
            f"{server}/{address}", width=width, height=height, settled=False,
            prepare=partial(slowed, rate=rate),
        )
        for width, height in SIZES
    ]  # fmt: skip
    for page in pages:
        page.wait_for_function(STANDS, arg=SETTLED, timeout=120_000)
        shifts = page.evaluate("shifts")
        assert sum(shift["value"] for shift in shifts) <= MOST, shifts
        page.wait_for_function(f"() => {WAITING}.length === 0")  # a slow one comes later
        assert page.evaluate(UNDRAWN) == []


@pytest.mark.parametrize("base", some(["", "below/here"], 2))
def test_nothing_is_painted_before_its_style(
    base: str, cold_server: ColdServer, open_page: OpenPage
) -> None:
    url = cold_server(ROOT, base)
    page = open_page(f"{url}/softmax", prepare=lambda tab: tab.add_init_script(EARLY))
    early = page.evaluate("early")
    here = page.locator("[data-testid=stMainBlockContainer]")
    assert early["painted"] == 0
    assert early["padding"] == here.evaluate("(block) => getComputedStyle(block).padding")
    assert early["padding"] == "52px 40px 48px"
    assert early["font"]
