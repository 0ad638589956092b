"""A page by keys alone: where the focus is, whether it is seen, and what was announced."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import OpenPage
from tests.browser.page import settle

LISTEN = """
globalThis.announced = [];
const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
const note = (node) => {
  const region = (node.nodeType === 1 ? node : node.parentElement)?.closest(LIVE);
  const text = region?.textContent.replace(/\\s+/g, " ").trim();
  if (text && announced.at(-1) !== text) announced.push(text);
};
const changed = ({ target, addedNodes }) => {
  note(target);
  addedNodes.forEach((node) => {
    note(node);
    node.querySelectorAll?.(LIVE).forEach(note);
  });
};
const hear = (root) => new MutationObserver((changes) => changes.forEach(changed))
  .observe(root, { subtree: true, childList: true, characterData: true });
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (how) {
  const root = attach.call(this, how);
  hear(root);
  return root;
};
hear(document);
"""
"""Before a page: from then on `announced` has what its live regions said, in order."""
AT = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  // A slider's own field is not drawn and may be wider than what is: its handle.
  const seen = node.type === "range" ? node.closest("[data-rac]") ?? node : node;
  const box = seen.getBoundingClientRect(), style = getComputedStyle(node);
  const [line] = seen.getClientRects(), text = line ?? box; // a link may go on in the next line
  const x = text.left + Math.min(text.width / 2, 40);
  // Of a table that is higher than the window the middle of what is in it.
  const y = (Math.max(text.top, 0) + Math.min(text.bottom, innerHeight)) / 2;
  let top = document.elementFromPoint(x, y);
  while (top?.shadowRoot?.elementFromPoint(x, y)) {
    const inner = top.shadowRoot.elementFromPoint(x, y);
    if (inner === top) break;
    top = inner;
  }
  const host = ({ parentNode: parent }) => (parent instanceof ShadowRoot ? parent.host : parent);
  let over = top, above = top ? `${top.localName}.${top.className?.baseVal ?? top.className}` : "";
  while (over && over !== node) over = over.assignedSlot ?? host(over);
  const label = node.labels?.[0]?.textContent;
  const name = node.ariaLabel || label || node.innerText || node.value || node.textContent || "";
  return {
    tag: node.localName, name: name.replace(/\\s+/g, " ").trim(), role: node.role ?? "",
    inside: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    covered: !over && !top?.closest("label, [data-rac]")?.contains(node) && box.height > 0,
    above, marked: node.matches(":focus-visible"),
    box: [box.left, box.top, box.width, box.height].map(Math.round),
    keyed: node.closest("[class*='st-key-']")?.className.match(/st-key-([^ ]+)/)?.[1] ?? "",
  };
}"""


TO_STAGE, TO_NEXT, TO_MATRIX = 2, 12, 14
"""How many Tabs there are to the link that skips to the stage; from there to the next step's
button, and to the first matrix."""

HAS_FOCUS = f"""([wanted, tag]) => {{
  const found = ({AT})();
  return new RegExp(wanted).test(found.name) && found.tag !== "body" && (!tag || found.tag === tag);
}}"""
CALLED = """(one) =>
  [one.ariaLabel, one.textContent, one.value, one.labels?.[0]?.textContent].join(" ")"""
"""Whatever a control may be called."""
FOCUSED = f"""() => {{
  const one = document.activeElement;
  return one.matches("body, [data-testid=stMain]") ? "" : ({CALLED})(one);
}}"""
"""What has the focus, by its name; nothing where that is the page."""
CONTROLS = "a, button, input, textarea, summary"
CAN_BE_REACHED = f"""(names) => [...document.querySelectorAll("{CONTROLS}")]
  .some((one) => names.some((name) => ({CALLED})(one).includes(name)))"""
WAS_SAID = "(words) => words.every((word) => announced.some((said) => said.includes(word)))"
TOLD = """(cell) => {
  const told = cell.getRootNode().getElementById(cell.getAttribute("aria-describedby"));
  return told.getAttribute("aria-label");
}"""
"""What describes a cell to those who hear the page."""


def at(page: Page) -> SimpleNamespace:
    """What has the focus, as `AT` tells it."""
    return SimpleNamespace(**page.evaluate(AT))


def announced(page: Page) -> list[str]:
    """What was said since it was last asked for."""
    said: list[str] = page.evaluate("announced.splice(0)")
    return said


def reach(page: Page, wanted: Locator, most: int = 120, key: str = "Tab") -> int:
    """Press Tab, or another key, until what is wanted has the focus: how often."""
    wanted.wait_for(state="attached")
    for presses in range(1, most + 1):
        page.keyboard.press(key)
        if wanted.evaluate("(node) => node.getRootNode().activeElement === node"):
            return presses
    raise AssertionError(f"not reached by {most} times {key}; at {at(page)}")


def reach_named(page: Page, *names: str) -> None:
    """Press Tab until something of one of these names has the focus."""
    page.wait_for_function(CAN_BE_REACHED, arg=list(names))
    for _ in range(40):
        page.keyboard.press("Tab")
        if any(name in page.evaluate(FOCUSED) for name in names):
            return
    raise AssertionError(f"nothing called {names} is reached")


def here(page: Page, name: str | re.Pattern[str] = "", tag: str = "") -> SimpleNamespace:
    """Wait until that has the focus, in sight: it is marked, inside the window and not covered."""
    wanted = re.escape(name) if isinstance(name, str) else name.pattern
    try:
        page.wait_for_function(HAS_FOCUS, arg=[wanted, tag])
        settle(page)
        page.wait_for_function(HAS_FOCUS, arg=[wanted, tag])  # what is drawn anew gets it back
    except TimeoutError as late:
        raise AssertionError(f"the focus is at {at(page)}, not at {name} {tag}") from late
    found = at(page)
    assert found.marked, found
    assert found.inside, found
    assert not found.covered, found
    return found


@contextmanager
def says(page: Page, *words: str) -> Iterator[None]:
    """What is done meanwhile is said by a live region, in these words."""
    announced(page)
    yield
    try:
        page.wait_for_function(WAS_SAID, arg=words)
    except TimeoutError as late:
        raise AssertionError(f"of {words} only {announced(page)} was said") from late


def press(page: Page, wanted: Locator, key: str = "Enter") -> None:
    reach(page, wanted)
    page.keyboard.press(key)


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True).first


def to_the_stage(page: Page) -> None:
    skip = page.get_by_role("link", name="Skip to the stage")
    assert reach(page, skip) <= TO_STAGE
    page.keyboard.press("Enter")
    here(page, "Step ", "h2")
    expect(page.locator(".stage h2:visible").first).to_be_focused()  # of several, the first


def listened_to(open_page: OpenPage, url: str) -> Page:
    """Open a page, settled, of which `says` hears what is announced."""
    page = open_page(url, script=LISTEN)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    return page
