"""Two arrows in a real browser: dragged, moved by keys, and the same digits as the core's."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from core.chapters.dot_products.vector_pair import SIGNS, VectorPair
from stage.hosts.assets import module
from tests.browser.conftest import ROOT, OpenPage
from tests.browser.fonts import FONTS
from tests.browser.page import box_of, fits, settle, unfold
from tests.browser.tabs import Finger
from tests.sampling import DEEP
from ui.components.arrows import LARGEST_COORDINATE
from ui.page_texts import component_texts

CHAPTER = "dot-products"
SCRIPT = module(ROOT / "ui/components/arrows/arrows.js", component_texts())
NUMBERS = ("q", "k", "terms", "dot", "length_q", "length_k", "degrees", "cosine", "shadow")


def arrows(page: Page) -> Locator:
    return page.get_by_test_id("arrows")


def grip(page: Page, name: str) -> Locator:
    return arrows(page).locator(f'[data-grip="{name}"]')


def in_space(page: Page) -> Locator:
    """What the page says of the arrows in space."""
    return page.get_by_test_id("stMarkdown").filter(has_text="in the plane above")


SAID = """() => {
  const [arrows] = everywhere("[data-testid=arrows]");
  if (!arrows) return null;
  const text = (part) => part?.textContent.trim().replace(/\\s+/g, " ");
  const grip = (name) => arrows.querySelector(`[data-grip="${name}"]`);
  return {
    ...Object.fromEntries([...arrows.querySelectorAll("[data-number]")].map((part) => (
      [part.dataset.number, text(part)]))),
    sign: arrows.dataset.sign, words: text(arrows.querySelector('[role="status"]')),
    grips: [..."qk"].map((name) => grip(name).getAttribute("aria-valuetext")),
  };
}"""
SAYS = f"""(expected) => {{
  const said = ({SAID})();
  const same = (name) => JSON.stringify(said[name]) === JSON.stringify(expected[name]);
  return said && Object.keys(expected).every(same);
}}"""


def expect_pair(page: Page, q: tuple[float, ...], k: tuple[float, ...]) -> None:
    """Every number in the frame is the core's, and so are the words for the sign."""
    pair = VectorPair(tuple(map(float, q)), tuple(map(float, k)))
    expected = {name: pair.printed[name] for name in NUMBERS} | {
        "sign": pair.sign,
        "words": SIGNS[pair.sign],
        "grips": [pair.printed["q"], pair.printed["k"]],
    }
    try:
        page.wait_for_function(SAYS, arg=expected)
    except TimeoutError:
        assert page.evaluate(SAID) == expected
        raise


def on_screen(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a point of the plane is in the window."""
    placed = "(svg, [x, y]) => new DOMPoint(x, -y).matrixTransform(svg.getScreenCTM()).toJSON()"
    found: dict[str, float] = arrows(page).locator("svg").evaluate(placed, [x, y])
    return found["x"], found["y"]


def point_at(page: Page, name: str) -> None:
    """Put the mouse on a tip, after the house's own style has moved the page to its place."""
    main = page.get_by_test_id("stMainBlockContainer")
    expect(main).to_have_css("padding-left", re.compile("^(40|12.8)px$"))
    grip(page, name).hover()


def drag(page: Page, name: str, *path: tuple[float, float]) -> None:
    point_at(page, name)
    page.mouse.down()
    for x, y in path:
        page.mouse.move(*on_screen(page, x, y))
    page.mouse.up()


def test_numbers_follow_mouse_and_keys_and_the_server_on_release(open_page: OpenPage) -> None:
    """Keys move a tip in tenths."""
    sent: list[object] = []
    page = open_page(CHAPTER, sent=sent)
    expect_pair(page, (1, 0), (3, 4))  # P11
    settle(page)
    point_at(page, "k")
    sent.clear()
    page.mouse.down()
    for k in ((2.0, 3.0), (0.0, 2.5), (-1.7, 2.3), (-4.3, -0.6)):
        page.mouse.move(*on_screen(page, k[0] + 0.03, k[1] - 0.03))
        expect_pair(page, (1, 0), k)
    paper = page.locator(".st-key-dot_pair_arithmetic")
    expect(paper).to_contain_text("(1)(3)+(0)(4)=3")
    assert not sent
    assert "dot_k" not in page.url
    page.mouse.up()
    expect(paper).to_contain_text("(1)(−4.3)+(0)(−0.6)=−4.3")
    expect(page).to_have_url(re.compile(r"dot_k=-4\.3%2C-0\.6"))
    expect_pair(page, (1, 0), (-4.3, -0.6))
    grip(page, "q").focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect_pair(page, (0.9, 0.2), (-4.3, -0.6))
    expect(page).to_have_url(re.compile(r"dot_q=0\.9%2C0\.2"))
    settle(page)
    page.keyboard.down("ArrowDown")
    expect_pair(page, (0.9, 0.1), (-4.3, -0.6))
    page.keyboard.up("ArrowDown")
    expect(page).to_have_url(re.compile(r"dot_q=0\.9%2C0\.1"))
    expect(grip(page, "q")).to_be_focused()
    page.keyboard.press("Tab")
    expect(grip(page, "k")).to_be_focused()


@pytest.mark.deep
def test_arrows_in_space_words_and_examples_follow_the_plane(open_page: OpenPage) -> None:
    page = open_page(f"{CHAPTER}?dot_q=4,2")
    unfold(page, "The same in space")
    expect(in_space(page)).to_contain_text("k = (3.0, 4.0, 3.0)")
    drag(page, "k", (-2, 1))
    expect(in_space(page)).to_contain_text("k = (−2.0, 1.0, 3.0)")
    drag(page, "k", (9, -12))  # it stays in the plane
    expect_pair(page, (4, 2), (LARGEST_COORDINATE, -LARGEST_COORDINATE))
    expect(page).to_have_url(re.compile(r"dot_k=5%2C-5"))
    page.get_by_role("button", name="(1.0, 0.0)").click()
    expect_pair(page, (1, 0), (1, 0))
    expect(in_space(page)).to_contain_text("k = (1.0, 0.0, 3.0)")
    slider = page.locator(".st-key-dot_kz").get_by_role("slider")
    slider.press("ArrowLeft")
    expect(in_space(page)).to_contain_text("k = (1.0, 0.0, 2.9)")


def test_every_printed_digit_is_the_cores(empty: Page) -> None:
    """Pairs of tenths all over the plane, many at right angles, parallel, or nearly so."""
    spread = [-50, -37, -30, -8, -4, -3, -1, 0, 1, 2, 4, 5, 6, 13, 40, 49, 50]
    vectors = [(a, b) for a in spread for b in spread]
    pairs = [(vectors[(7 * n) % len(vectors)], v) for n, v in enumerate(vectors * 5)]
    pairs += [(vectors[(n * n + 3 * n) % len(vectors)], v) for n, v in enumerate(vectors * 2)]
    pairs += [((0, n), (m, 1)) for n in range(1, 51) for m in range(-50, 51)]
    pairs += [((50, -49), (49 + a, 50 - b)) for a in (0, 1) for b in (0, 1)]
    pairs = pairs if DEEP else pairs[::5]
    empty.add_script_tag(content=SCRIPT.replace("export default", "window.draw ="))
    measured = "pairs => pairs.map(([q, k]) => measure(q, k))"
    found: list[dict[str, Any]] = empty.evaluate(measured, pairs)
    small = 0
    for (q, k), numbers in zip(pairs, found, strict=True):
        pair = VectorPair(*(tuple(x / 10 for x in v) for v in (q, k)))
        assert numbers["printed"] == dict(pair.printed), (q, k)
        assert numbers["sign"] == pair.sign
        small += "e" in pair.printed["cosine"] + pair.printed["shadow"]
    assert small > (5 if DEEP else 0)


@pytest.mark.deep
@pytest.mark.parametrize("fonts", FONTS)
def test_a_phone_is_wide_enough_and_a_finger_drags_a_tip(open_page: OpenPage) -> None:
    finger = Finger()
    link = f"{CHAPTER}?dot_q=-4.9,-4.9&dot_k=-4.9,-4.9"
    page = open_page(link, size=(390, 844), prepare=finger)
    expect_pair(page, (-4.9, -4.9), (-4.9, -4.9))
    for part in ("svg", ".side", ".product >> nth=0", "dl"):
        box = box_of(arrows(page).locator(part))
        assert box.left >= 0
        assert box.right <= 390
    fits(page, 390)
    assert grip(page, "k").evaluate("grip => getComputedStyle(grip).touchAction") == "none"
    point_at(page, "k")
    finger.touch("touchStart", *on_screen(page, -4.9, -4.9))
    finger.touch("touchMove", *on_screen(page, 1, 1))
    finger.touch("touchMove", *on_screen(page, 0, -2))
    expect_pair(page, (-4.9, -4.9), (0, -2))
    finger.touch("touchEnd")
    expect(page).to_have_url(re.compile(r"dot_k=0%2C-2"))
