"""One press changes the word that tells a meaning: the page's own example, and one from a link."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.two_meanings import BANK_MEANINGS
from core.attention.setups import Setup
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, settle
from tests.browser.stage import expect_step, focus_cell
from tests.sampling import some

BOW = ("bow", "arrow,violin", "weapon,music")
SIZES = [(1366, 657), (390, 844)]


def expect_told(page: Page, setup: Setup, cue: str, meaning: str) -> None:
    """The ribbon says that the last word reads the cue, and its output is mostly the meaning."""
    output = setup.trace["output"]
    row, column = len(output) - 1, int(output[-1].argmax())
    assert setup.example.labels["m"][column] == meaning
    expect(page.get_by_test_id("ribbon").locator(".reads")).to_contain_text(f"from “{cue}”")
    expect(focus_cell(page, f"output.{row}.{column}")).to_have_text(f"{output[-1, column]:.2f}")
    shown = page.locator(f'[data-part="focus"][data-matrix="output"] [data-row="{row}"] .number')
    numbers = [float(text.replace("\u2212", "-")) for text in shown.all_text_contents()]
    assert numbers.index(max(numbers)) == column


def test_one_press_flips_the_meaning_and_the_next_one_back(open_page: OpenPage) -> None:
    page = open_page("/")
    page.locator('.strip .phase[data-step="output"]').click()
    expect_step(page, "output")
    two, text = BANK_MEANINGS, BANK_MEANINGS.text
    for here in (0, 1, 0):
        expect_told(page, Setup(preset=two.id, text=text), two.cues[here], two.features[here])
        expect(page.get_by_role("textbox", name="Sentence")).to_have_value(text)
        text = two.flipped(text)
        page.get_by_role("button", name=f"Change {two.cues[here]} to {two.cues[1 - here]}").click()
        settle(page)


@pytest.mark.parametrize("size", some(SIZES, 2))
def test_a_word_of_ones_own_is_made_and_flipped(size: tuple[int, int], open_page: OpenPage) -> None:
    page = open_page("?step=output&preset=river-bank", size=size)
    page.get_by_role("button", name="Examples").click()
    page.locator("summary", has_text="Your own").click()
    made = page.get_by_role("button", name="Show my example")
    told = ("Cue for meaning 1", "Cue for meaning 2", "Name of meaning 1", "Name of meaning 2")
    names = ("Word with two meanings", *told, "Sentence with the word and one cue")
    word, cues, meanings = BOW
    values = (word, *cues.split(","), *meanings.split(","), "we saw the arrow bow")
    for name, value in zip(names, values, strict=True):
        page.get_by_role("textbox", name=name).fill(value)
    if size == SIZES[0]:
        expect(made).to_be_in_viewport(ratio=1)
    made.click()
    page.get_by_role("button", name="Change arrow to violin").click()
    sentence = page.get_by_role("textbox", name="Sentence", exact=True)
    expect(sentence).to_have_value("we saw the violin bow")
    settle(page)
    chosen: dict[str, Any] = {"word": word, "cues": cues, "meanings": meanings}
    setup = Setup(preset="own", text="we saw the violin bow", **chosen)
    expect_told(page, setup, "violin", "music")


@pytest.mark.parametrize("size", some(SIZES, 2, 1))
def test_no_new_sentence_moves_a_control(size: tuple[int, int], open_page: OpenPage) -> None:
    link = "?preset=river-bank&text=we+sat+by+the+bank"
    page = open_page(link, size=size, step="scores")
    field = page.get_by_role("textbox", name="Sentence", exact=True)
    others = page.locator(".st-key-controls button:not(.st-key-way_in button)")
    before = [box_of(button) for button in (field, *others.all())]
    for name, text in (
        ("Back to the example", "we sat by the river bank"),
        ("Change river to money", "we sat by the money bank"),
    ):
        page.get_by_role("button", name=name).click()
        expect(field).to_have_value(text)
        settle(page)
        assert [box_of(button) for button in (field, *others.all())] == before
    expect(page.get_by_role("link", name="New to this?")).to_be_visible()
