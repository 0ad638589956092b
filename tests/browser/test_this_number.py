""" "This number": MathML in a font that is shipped, copied with one click, and never cut."""

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from core import explain
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.rounding import typeset
from stage.hosts.component import FONT, font_script
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of
from tests.browser.scripts import explained, show_number_alone
from tests.browser.stage import (
    arithmetic,
    expect_selected,
    focus_cell,
    go_to_step,
    strip_phase,
    tool,
    untouched,
)
from tests.sampling import some

CELL = (0, 2, 1)
BROUGHT = """family => [...document.fonts].filter((face) => face.family.includes(family))
  .map(({ status }) => status)"""
INSIDE = """(block, end) => {
  const [room, mine] = [block, end].map((part) => part.getBoundingClientRect());
  return mine.left >= room.left - 1 && mine.right <= room.right + 1;
}"""
LEAVES = ("mi", "mn", "mo", "mtext")
ROWS = ".rows > *"
FIRST = f"{ROWS} > .term:first-child > math:first-child > mrow > mo:first-of-type:nth-child(1)"


def copied(page: Page, form: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tool(page, f"Copy the arithmetic as {form}").click()
    expect(page.locator(".tools .said")).to_have_text(f"Copied the arithmetic as {form}.")
    return str(page.evaluate("navigator.clipboard.readText()"))


def leaves(node: Formula) -> Iterator[str]:
    """The symbols of a formula, in the order in which they are read."""
    kind, *rest = node
    if kind == "name":
        yield from filter(None, rest[:2])
    elif kind in ("word", "text", "mark"):
        yield rest[0]
    elif kind == "number":
        yield typeset(rest[0])
    else:
        for part in rest:
            yield from leaves(part)


def symbols(row: Locator) -> list[str]:
    return row.locator(", ".join(LEAVES)).all_text_contents()


# In the app


def test_each_row_is_mathml_in_colours_of_the_formula_said_and_copied(open_page: OpenPage) -> None:
    page = open_page("?step=scores&cell=scores.0.2.1")
    is_copied_as_latex_and_as_text(page)
    for array, shape in (("scores", "mo"), ("scaled", "msqrt"), ("weights", "mfrac")):
        page.locator(strip_phase(array)).click()
        expect_selected(page, f"{array}.0.2.1")
        explanation = explain(untouched(), array, CELL)
        line = "; ".join(explanation.plain)
        expect(arithmetic(page).get_by_role("img", name=line, exact=True)).to_be_visible()
        for said in (explanation.title, explanation.words, explanation.feeds):
            expect(arithmetic(page).get_by_text(said, exact=True)).to_be_visible()
        tokens = arithmetic(page).locator(".sentence .token")
        expect(tokens).to_have_text(explanation.said[1::2])
        rows = arithmetic(page).locator(ROWS)
        expect(rows).to_have_count(len(explanation.rows))
        for drawn, row in zip(rows.all(), explanation.rows, strict=True):
            assert symbols(drawn) == list(leaves(row))
        assert rows.locator(shape).count()
        signs = arithmetic(page).locator(FIRST).filter(has_text=re.compile("^[=≈]$"))
        lefts = {round(box_of(sign).left) for sign in signs.filter(visible=True).all()}
        assert len(lefts) == 1
    has_the_colour_of_a_name_in_the_formula_bar(page)


def has_the_colour_of_a_name_in_the_formula_bar(page: Page) -> None:
    colour = "name => getComputedStyle(name).color"
    named = arithmetic(page).locator("mi", has_text="weights")
    above = page.locator(".formula mi", has_text="softmax").first
    assert named.evaluate(colour) == above.evaluate(colour)
    assert named.evaluate(colour) != arithmetic(page).locator("mo").first.evaluate(colour)


def fonts_of(page: Page, names: tuple[str, ...]) -> list[tuple[str, list[tuple[str, bool]]]]:
    """For each element of these names that is drawn its text, and which fonts its glyphs are from.

    A step that is kept out of sight has no glyphs; prose has formulas of Streamlit's own.
    """
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    nodes = tools.send("DOM.getFlattenedDocument", {"depth": -1, "pierce": True})["nodes"]
    text = {node["parentId"]: node["nodeValue"] for node in nodes if node["nodeName"] == "#text"}
    above = {node["nodeId"]: node.get("parentId") for node in nodes}
    prose = {node["nodeId"] for node in nodes if "katex" in node.get("attributes", [])}

    def in_prose(node: int | None) -> bool:
        return node is not None and (node in prose or in_prose(above.get(node)))

    found = []
    for node in nodes:
        if node["localName"] in names and not in_prose(node["nodeId"]):
            asked = {"nodeId": node["nodeId"]}
            fonts = tools.send("CSS.getPlatformFontsForNode", asked)["fonts"]
            used = [(font["familyName"], font["isCustomFont"]) for font in fonts]
            found += [(text[node["nodeId"]], used)] if fonts else []
    tools.detach()
    return found


@pytest.mark.deep
def test_every_formula_of_the_page_is_in_the_font_that_is_shipped_and_fetched_from_nowhere(
    server: str, open_page: OpenPage
) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page = open_page(
        f"{server}/?step=scores&text={quote('Un café (naïve) 10^-7 a_b')}",
        prepare=lambda page: page.on("request", note),
    )
    for step in ("scores", "weights"):
        go_to_step(page, step)
        expect(arithmetic(page)).to_contain_text(f"{step}[")
        earlier = arithmetic(page).get_by_role("button", name="lines before this one")
        if earlier.is_visible():
            earlier.click()
        page.evaluate("document.fonts.ready")
        formulas = fonts_of(page, LEAVES)
        assert len(formulas) > 40
        assert [found for found in formulas if found[1] != [(FONT, True)]] == []
        assert fonts_of(page, ("h3",)) != [], "nothing is told apart"
        assert all(FONT not in str(fonts) for _, fonts in fonts_of(page, ("h3",)))
    assert all(url.startswith((server, "data:", "blob:")) for url in asked), asked
    assert not [url for url in asked if "stix" in url.lower()]


def is_copied_as_latex_and_as_text(page: Page) -> None:
    explanation = explain(untouched(), "scores", CELL)
    assert copied(page, "text").splitlines() == explanation.plain
    first, *rows, last = copied(page, "LaTeX").splitlines()
    assert (first, last) == (r"\begin{aligned}", r"\end{aligned}")
    assert [row.removesuffix(r" \\") for row in rows] == explanation.latex
    page.locator(strip_phase("weights")).click()
    expect_selected(page, "weights.0.2.1")
    expect(arithmetic(page)).to_contain_text("weights[sat, cat]")
    expect(page.locator(".tools .said")).to_have_text("")


@pytest.mark.deep
@pytest.mark.parametrize("width", some([390, 1440], 2))
def test_a_softmax_of_eighteen_keys_is_not_cut(open_page: OpenPage, width: int) -> None:
    words = " ".join(f"word{n}" for n in range(18))
    link = f"?step=weights&mask=none&cell=weights.0.17.3&text={quote(words)}"
    page = open_page(link, size=(width, 900), step="weights")
    arithmetic(page).get_by_role("button", name="lines before this one").click()
    rows = arithmetic(page).locator(ROWS)
    assert rows.count() > 18 + 2 * (18 // 4)
    around = box_of(arithmetic(page).locator(".maths"))
    assert around.left >= 0
    assert around.right <= width
    for row in rows.all():
        box = box_of(row)
        assert around.left <= box.left
        assert box.right <= around.right
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# Alone on a page, without Streamlit


Alone = Callable[..., Page]


@pytest.fixture(scope="module")
def alone(empty: Page) -> Alone:
    """`alone(*rows)`: "this number" in a page that holds nothing else, 390 pixels wide."""
    show_number_alone(empty, (390, 844), "document.body")

    def shown(*rows: Formula) -> Page:
        empty.evaluate("told => number.show(told)", asdict(explained(*rows)))
        empty.evaluate("document.fonts.ready")
        return empty

    return shown


def test_a_row_too_long_for_its_room_scrolls_in_it_by_keyboard_too(alone: Alone) -> None:
    """A root has no place to break."""
    one = f.row(f.number_formula("1"))
    more = (part for n in range(14) for part in f.added(f.number_formula(f"-{n}")))
    page = alone(one, f.root(f.row(f.number_formula("1"), *more)))
    block = page.locator(".maths")
    expect(block).to_have_attribute("tabindex", "0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    end = page.locator("mn").last.element_handle()
    assert not block.evaluate(INSIDE, end)
    block.focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    arrived = f"([block, end]) => ({INSIDE})(block, end)"
    page.wait_for_function(arrived, arg=[block.element_handle(), end])
    alone(one)
    expect(block).not_to_have_attribute("tabindex", "0")


def test_a_font_that_is_there_is_not_brought_again(alone: Alone) -> None:
    page = alone(f.row(f.number_formula("1")))
    again = f"{font_script()}\nglobalThis.again = true;"
    page.add_script_tag(content=again, type="module")
    page.wait_for_function("() => globalThis.again")
    assert page.evaluate(BROUGHT, FONT) == ["loaded"]


def test_a_hostile_token_is_text(alone: Alone) -> None:
    hostile = (
        "<img src=x onerror=alert(1)>",
        "$\\frac{1}{",
        "&lt;b&gt;",
        "\u202eevil\u202c",
        "é🙂",
    )
    for token in hostile:
        page = alone(f.row(f.name("X"), f.word_formula("["), f.text(token), f.word_formula("]")))
        assert page.locator("mtext").all_text_contents() == [token]
        assert page.locator("img, b").count() == 0


def test_numbers_words_and_rows_are_set_as_in_a_book(alone: Alone) -> None:
    texts = ("-1.56", "-inf", "NaN", "3e-7")
    page = alone(*(f.row(f.number_formula(text)) for text in texts))
    rows = [symbols(row) for row in page.locator(ROWS).all()]
    assert rows == [["−1.56"], ["−∞"], ["NaN"], ["3", "×", "10", "−7"]]
    ten, power = (box_of(page.locator("msup mn").nth(n)) for n in (0, 1))
    assert power.height < ten.height
    assert power.top < ten.top
    assert power.left >= ten.right - 1

    alone(f.row(f.name("concat"), f.name("W")), f.row(f.name("Q"), f.name("K")))
    boxes = [box_of(name) for name in page.locator("mi").all()]
    word, letters = (b.left - a.right for a, b in (boxes[:2], boxes[2:]))
    assert word > 2
    assert letters < 1

    one, two = f.number_formula("1"), f.number_formula("2")
    alone(f.row(one), f.row(f.bracketed(one), f.bracketed(two)), f.row(f.word_formula("="), two))
    first, second, third = (box_of(row).top for row in page.locator(ROWS).all())
    assert second - first == pytest.approx(third - second, abs=0.5), "whatever they hold"


def test_lines_on_the_way_to_a_cell_come_on_demand_and_its_own_first(open_page: OpenPage) -> None:
    page = open_page("?preset=river-bank&step=weights&cell=weights.0.5.4")
    card = arithmetic(page)
    own, before = card.locator(".rows > :not(.before)"), card.locator(".rows > .before")
    expect(own.first).to_be_visible()
    expect(before.first).to_be_hidden()
    more = card.get_by_role("button", name="Show the 8 lines before this one")
    more.click()
    expect(before.first).to_be_visible()
    focus_cell(page, "weights.0.5.5").click()
    expect(before.first).to_be_visible()
    card.get_by_role("button", name="Hide the 8 lines before this one").click()
    expect(before.first).to_be_hidden()
    focus_cell(page, "weights.0.1.0").click()  # two keys: what comes before is short
    expect_selected(page, "weights.0.1.0")
    expect(card.get_by_role("button", name="lines before")).to_have_count(0)
