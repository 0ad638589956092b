"""Where a system forces its own colours, what is chosen is still told from what is not."""

from io import BytesIO

import pytest
from PIL import Image, ImageStat
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.page import settle, unfold
from tests.browser.tabs import THEMES, Theme
from tests.sampling import DEEP, paired
from ui.links.path import HOME, PAGE_NAMES, address_of

GROUPS = """() => {
  const STATES = ["aria-checked", "aria-pressed", "aria-selected", "aria-current", "data-selected"];
  const isChosen = (node) => (
    STATES.some((name) => !["false", null].includes(node.getAttribute(name))));
  const kindOf = ({ dataset, classList, parentNode }) => (
    dataset.testid || dataset.variant || classList[0] || parentNode.className);
  const groups = new Map();
  everywhere().forEach((node) => {
    const states = STATES.map((name) => `[${name}]`);
    const kinds = "button, a, [role=radio], [role=tab], [role=option]";
    const option = node.matches(`:is(${kinds}):is(${states}),
      .strip .phase, [data-testid=stRadioOption], [data-testid=stCheckbox]`);
    const folded = node.closest("[popover], details:not([open])");
    if (!option || folded || !node.checkVisibility()) return;
    const place = node.matches("[data-testid=stCheckbox]") ? document : node.parentNode;
    const key = groups.get(place) ?? groups.set(place, new Map()).get(place);
    const kind = kindOf(node), found = key.get(kind) ?? key.set(kind, [null, null]).get(kind);
    found[isChosen(node) ? 1 : 0] ??= node;
  });
  const both = [...groups.values()].flatMap((kinds) => [...kinds])
    .filter(([, pair]) => pair.every(Boolean));
  globalThis.pairs = both.map(([, pair]) => pair);
  return both.map(([kind]) => kind);
}"""
"""The kinds of control of which one that is chosen and one that is not stand beside each other."""
STYLES = """(n) => pairs[n].map((node) => {
  const { textDecorationLine, fontWeight, borderTopWidth } = getComputedStyle(node);
  return `${textDecorationLine} ${fontWeight} ${borderTopWidth}`;
})"""
DRAWN = {"stRadioOption", "stCheckbox"}
"""What Streamlit draws as a ring or a switch: its shape says it."""
DIFFERENT = 0.04
"""Of the pixels of a control, so much at least is other than in its neighbour."""


def seen(page: Page, number: int, which: int) -> Image.Image:
    node = page.evaluate_handle(f"pairs[{number}][{which}]").as_element()
    assert node
    return Image.open(BytesIO(node.screenshot())).convert("L")


def edges(image: Image.Image) -> float:
    """How bright the left end of a control is: its ground or its switch, not its word."""
    return float(ImageStat.Stat(image.crop((0, 0, min(image.width, 26), image.height))).mean[0])


def alike(page: Page) -> list[str]:
    """The kinds of control whose chosen option looks as the others do."""
    found = []
    for number, kind in enumerate(page.evaluate(GROUPS)):
        other, chosen = page.evaluate(STYLES, number)
        if kind not in DRAWN and other == chosen:
            found.append(f"{kind} by style: {chosen}")
        images = [seen(page, number, which) for which in (0, 1)]
        if abs(edges(images[0]) - edges(images[1])) < 255 * DIFFERENT:
            found.append(f"{kind} by pixels")
    return found


@pytest.mark.parametrize(("name", "theme"), paired(PAGE_NAMES if DEEP else (HOME,), THEMES))
def test_what_is_chosen_is_seen_all_the_same(open_page: OpenPage, name: str, theme: Theme) -> None:
    page = open_page(address_of(name), theme=theme, forced_colors="active")
    if DEEP and name in PATH:
        unfold(page)
        settle(page)
    assert alike(page) == []


@pytest.mark.deep
def test_a_look_that_is_alike_is_noticed(open_page: OpenPage) -> None:
    page = open_page("?step=scores", forced_colors="active")
    expect(page.locator(".stage .toolbar .choice").first).to_be_visible()
    settle(page)
    assert alike(page) == []
    plain = "* { forced-color-adjust: auto !important; text-decoration: none !important; }"
    plain += " * { background: Canvas !important; }"
    page.evaluate(
        """(plain) => document.querySelectorAll("*").forEach(({ shadowRoot }) => {
          if (!shadowRoot) return;
          shadowRoot.append(Object.assign(document.createElement("style"), { textContent: plain }));
        })""",
        plain,
    )
    assert any("choice" in one for one in alike(page))
