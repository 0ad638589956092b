"""A page by keys alone: where the focus is, whether it is seen, and what was announced."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page

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
  const box = node.getBoundingClientRect(), style = getComputedStyle(node);
  const [line] = node.getClientRects(), text = line ?? box; // a link may go on in the next line
  const x = text.left + Math.min(text.width / 2, 40), y = text.top + text.height / 2;
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


@dataclass(frozen=True)
class At:
    """What has the focus."""

    tag: str
    name: str
    role: str
    inside: bool
    covered: bool
    above: str
    marked: bool
    box: list[int]
    keyed: str


def at(page: Page) -> At:
    return At(**page.evaluate(AT))


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
