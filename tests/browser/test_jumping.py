"""Nothing of a page moves while it loads, and nothing of it is seen without its style."""

from functools import partial
from itertools import product

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.page import SETTLED, nothing_of
from tests.sampling import DEEP
from ui.links.path import HOME, PAGE_NAMES, address_of

MOST = 0.1
"""What a page may move: Chromium's layout shifts, from navigation until it has long settled."""
SIZES, SLOWED = ((1440, 900), (390, 844)), (1, 4)
SCENE = f"{address_of(HOME)}?lesson=from-nothing.5"
ALL = (*map(address_of, PAGE_NAMES), SCENE)
SAMPLE = ((SCENE, SIZES[0], 1), (address_of("recursive_attention"), SIZES[1], 1))

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
LONG = 4000 if DEEP else 1500
"""Milliseconds for which a page has stood still, to have long settled."""
STANDS = f"""(settled) => {{
  if (!document.querySelector(settled)) globalThis.since = null;
  else globalThis.since ??= performance.now();
  return globalThis.since !== null && performance.now() - since > {LONG};
}}"""
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
    """Note what moves on a page and is there early, in a browser that is so many times slower."""
    page.add_init_script(NOTE + EARLY)
    if rate > 1:
        tools = page.context.new_cdp_session(page)
        tools.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def nothing_jumps(page: Page) -> None:
    """Until a page stands that was opened `slowed`."""
    page.wait_for_function(STANDS, arg=SETTLED, timeout=120_000, polling=100)
    shifts = page.evaluate("shifts")
    assert sum(shift["value"] for shift in shifts) <= MOST, shifts


def is_dressed_before_it_is_painted(page: Page) -> None:
    early = page.evaluate("early")
    here = page.locator("[data-testid=stMainBlockContainer]")
    assert early["painted"] == 0
    padding = here.evaluate("(block) => getComputedStyle(block).padding")
    assert padding.startswith(early["padding"])  # beside a lesson there is more on the left
    assert early["padding"] in ("52px 40px 48px", "52px 12.8px 32px")
    assert early["font"]


@pytest.mark.parametrize(
    ("address", "size", "rate"), list(product(ALL, SIZES, SLOWED)) if DEEP else SAMPLE
)
def test_nothing_jumps_nor_is_painted_before_its_style(
    address: str, size: tuple[int, int], rate: int, open_page: OpenPage
) -> None:
    width, height = size
    page = open_page(address, size=(width, height), until=None, prepare=partial(slowed, rate=rate))
    nothing_jumps(page)
    page.wait_for_function(f"() => {WAITING}.length === 0")  # a slow one comes later
    nothing_of(page, UNDRAWN)  # one in a closed fold, which nothing waits for, later still
    is_dressed_before_it_is_painted(page)


@pytest.mark.deep
def test_below_a_base_path_too_nothing_is_painted_before_its_style(
    cold_server: ColdServer, open_page: OpenPage
) -> None:
    url = cold_server(ROOT, "below/here")
    page = open_page(f"{url}/softmax", prepare=partial(slowed, rate=1))
    is_dressed_before_it_is_painted(page)
