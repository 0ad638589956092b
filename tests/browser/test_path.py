"""The way through the pages: each says what to know before and leads to the next."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention.glossary import GLOSSARY
from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, expect_chapter, fits, go_by_path, settle, type_in, unfold
from tests.sampling import DEEP, some
from ui.links.path import HOME, chapter_number

FIELDS = {name: f"{chapter.key}_text" for name, chapter in PATH.items()} | {HOME: "sentence"}
"""Each page's own field for the sentence, by its key."""


def test_each_page_leads_to_the_next_and_the_sentence_comes_along(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator(".heading .count")).to_have_text("Step 1 of 8:")
    type_in(page.get_by_role("textbox", name="Sentence"), "red green blue")
    expect(page.locator(".focus .cell")).to_have_count(3 * 8)
    at = list(PATH).index(HOME)
    chapters = [*PATH.values()][at:] + [*PATH.values()][:at]
    walked = len(chapters) if DEEP else 1
    for chapter, following in list(pairwise([*chapters, chapters[0]]))[:walked]:
        expect_chapter(page, chapter_number(chapter.name))
        before = page.locator(".st-key-preamble [data-testid=stCaptionContainer]")
        said = f"Chapter {chapter_number(chapter.name)} of {len(PATH)} · {chapter.minutes} min · "
        expect(before).to_contain_text(said)
        for need in chapter.needs:
            expect(before).to_contain_text(PATH[need].title)
        has_sentence(page, chapter.name)
        expect(page.locator(".focus .cell").first).to_be_visible()
        page.locator(".st-key-page_footer a").filter(has_text=following.title).press("Enter")
        settle(page)
    expect_chapter(page, chapter_number(following.name))
    has_sentence(page, following.name)


def has_sentence(page: Page, name: str) -> None:
    """Wait for the sentence in the page's own field, which may be in a fold."""
    settle(page)
    if not (field := field_of(page, FIELDS[name])).count():
        unfold(page)
    expect(field).to_have_value("red green blue")


def field_of(page: Page, key: str) -> Locator:
    """A page's own field: the page that one leaves shows its own until the next one is there."""
    return page.locator(f'[class*="st-key-{key}"] input')


@pytest.mark.deep
def test_a_sentence_typed_on_a_later_page_comes_back_a_link_has_its(open_page: OpenPage) -> None:
    page = open_page("why-mask?mask_text=one+two+three+four+five+six")
    go_by_path(page, "Walkthrough")
    expect(field_of(page, "sentence")).to_have_value("one two three four five six")
    expect(page.locator(".face.focus .label").filter(has_text="three")).not_to_have_count(0)
    go_by_path(page, "Heads")
    field = field_of(page, "heads_text")
    expect(field).to_have_value("one two three four five six")
    type_in(field, "my own words")
    page.wait_for_url("**heads_text=my+own+words*")
    go_by_path(page, "Why mask")
    page.wait_for_url("**/why-mask*mask_text=my+own+words*")
    expect(field_of(page, "mask_text")).to_have_value("my own words")
    settle(page)
    alone = open_page(page.url)
    expect(alone.get_by_role("textbox", name="Sentence")).to_have_value("my own words")
    for one in (page, alone):
        settle(one)
        expect(one.locator(".st-key-page_footer a").last).to_be_visible()  # all of it has come
    main = "[data-testid=stMain]"
    said = page.locator(f"{main} [data-testid=stMarkdown]").all_inner_texts()
    assert alone.locator(f"{main} [data-testid=stMarkdown]").all_inner_texts() == said


# The stage fits itself once its words stand; a phone shows the top of it.
ON_SCREEN = """([height, whole]) => {
  const { root } = [...globalThis[Symbol.for("attention-stages")]][0];
  const shown = (part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top >= 0 && bottom <= height;
  };
  const cells = [...root.querySelectorAll(".face.focus .cell")];
  const drawn = (part) => part.getClientRects().length;
  const all = [...root.querySelectorAll(
    ".face.focus :is(.cell, .caption, .label), .words, .steps > button")].filter(drawn);
  const scrolled = document.querySelector("[data-testid=stMain]").scrollTop;
  return cells.length && !scrolled && (whole ? all.every(shown) : cells.some(shown));
}"""

TALLER = """(low) => {
  const { root } = [...globalThis[Symbol.for("attention-stages")]][0];
  return root.querySelector(".face.focus .cell").offsetHeight > low;
}"""


@pytest.mark.parametrize("fonts", ["narrow"])
@pytest.mark.parametrize("size", some([(1440, 900), (390, 844)], 2, 1))
def test_the_untouched_walkthrough_shows_its_step_in_the_first_screen(
    open_page: OpenPage, size: tuple[int, int]
) -> None:
    """On a wide screen whole, below its words; on a phone its first matrix begins there."""
    page, (width, height) = open_page(size=size), size
    for number in range(1, 9):
        expect(page.locator(".heading .count")).to_have_text(f"Step {number} of 8: ")
        expect(page.locator(".words")).to_have_text(re.compile(r".{20}"))
        if number == 2:  # symbols are set as symbols, in the colour of their role, and read as text
            for name, role in {"W_Q": "query", "W_K": "key", "W_V": "value"}.items():
                symbol = page.locator(f".words .symbol.{role}")
                expect(symbol).to_have_text(name)
                expect(symbol.locator("sub")).to_have_text(name[-1])
        fits(page, width)
        # On a phone the toolbar folds once the stage knows its width.
        shape = ".toolbar[open]" if width > height else ".toolbar:not([open])"
        expect(page.locator(shape)).to_have_count(1)
        page.wait_for_function(ON_SCREEN, arg=[height, width > height])
        bottoms = "(cells) => cells.map((cell) => cell.getBoundingClientRect().bottom)"
        rows = page.locator(".face.focus .cell:visible").evaluate_all(bottoms)
        assert box_of(page.locator(".words")).bottom <= min(rows)
        assert (max(rows) if width > height else min(rows)) <= height
        if number < 8:  # Playwright would scroll it into view
            page.locator('.steps [data-action="next"]').evaluate("button => button.click()")


@pytest.mark.deep
@pytest.mark.parametrize("fonts", ["narrow"])
def test_what_comes_above_later_cuts_nothing_off(open_page: OpenPage) -> None:
    """The cells have the room that is there, also when that changes while nobody steps on."""
    page = open_page("?step=scores")
    cell = page.locator(".face.focus .cell").first
    expect(cell).to_be_visible()
    settle(page)
    page.wait_for_function(ON_SCREEN, arg=[900, True])
    low = cell.evaluate("cell => cell.offsetHeight")
    hidden = page.add_style_tag(content="[data-testid=stHeading] { display: none }")
    page.wait_for_function(TALLER, arg=low)
    hidden.evaluate("style => style.remove()")
    page.wait_for_function(f"(low) => !({TALLER})(low)", arg=low)  # a frame later
    page.wait_for_function(ON_SCREEN, arg=[900, True])
    assert cell.evaluate("cell => cell.offsetHeight") == low


def test_a_term_says_what_it_means_while_pointed_at_focused_or_tapped(open_page: OpenPage) -> None:
    page = open_page("why-mask")
    said, link = page.get_by_role("tooltip"), page.locator('a[href="#term-mask"]').first
    address = page.url
    expect(page.locator("#term-said")).to_be_attached()
    expect(said).to_have_count(0)  # hidden
    link.hover()
    expect(said).to_have_text(GLOSSARY["mask"])
    expect(said).to_be_in_viewport(ratio=1)
    expect(link).to_have_accessible_description(GLOSSARY["mask"])
    page.mouse.move(1400, 880)
    expect(said).to_have_count(0)
    foot = box_of(link).bottom + 20
    page.set_viewport_size({"width": 1440, "height": round(foot)})
    link.hover()
    expect(said).to_be_in_viewport(ratio=1)  # above it, where below there is no room
    page.mouse.move(1400, 10)
    expect(said).to_have_count(0)
    link.focus()
    expect(said).to_have_text(GLOSSARY["mask"])
    page.keyboard.press("Escape")
    expect(said).to_have_count(0)
    link.click()
    expect(said).to_have_text(GLOSSARY["mask"])
    assert page.url == address


@pytest.mark.deep
def test_a_term_that_is_scrolled_under_a_resting_pointer_says_nothing(open_page: OpenPage) -> None:
    """Who walks by keys has the pointer lie anywhere: nothing comes over what has the focus."""
    page = open_page("why-mask", size=(640, 400))
    said, link = page.get_by_role("tooltip"), page.locator('a[href="#term-mask"]').first
    link.evaluate("(link) => link.scrollIntoView({ block: 'center' })")
    x, y = box_of(link).middle
    page.mouse.move(x, y - 40)
    expect(said).to_have_count(0)
    page.mouse.wheel(0, 40)
    page.wait_for_function("(link) => link.matches(':hover')", arg=link.element_handle())
    expect(said).to_have_count(0)
    page.mouse.move(x + 1, y - 40)
    expect(said).to_have_text(GLOSSARY["mask"])
