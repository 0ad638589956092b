"""The block in a real browser: toggles, room for every step, one token changed."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention.layers.block import POST, PRE, BlockKind
from core.chapters.block.stack import boxes
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import expect_same, settle, type_in
from tests.browser.stage import choice, focus_cell
from tests.sampling import some

TEXT = "The cat sat on the mat"


def token(page: Page, label: str) -> Locator:
    return page.get_by_role("button", name=f"Change the row of {label}", exact=True)


LIT = """(columns) => columns.map(({ children }) => (
  [...children].flatMap((dot, row) => (dot.className ? [row] : []))))"""
"""The rows that are filled in the diagram, before each box and after the last."""


@pytest.mark.parametrize(("norm", "at"), some([(POST, 3), (PRE, 1)], 2))
def test_changed_rows_are_seen_at_once_and_said(open_page: OpenPage, norm: str, at: int) -> None:
    """A link from before shows the two tokens that it showed."""
    page = open_page(f"block?block_norm={norm}&block_step=attn_1")
    expect(page.locator('[data-testid=layer] button[aria-pressed="true"]')).to_have_text("The")
    expect(focus_cell(page, "attn_1.5.0")).to_have_attribute("aria-selected", "true")
    label = TEXT.split()[at]
    shown = boxes(BlockKind(norm, "relu"), TEXT)
    expect(page.get_by_test_id("layer").locator(".box")).to_have_count(len(shown))
    with stopped(page.url):
        token(page, label).click()
        expect(token(page, label)).to_have_attribute("aria-pressed", "true")
        inside = [[row for row, moved in enumerate(box.inside[at]) if moved] for box in shown]
        assert page.get_by_test_id("layer").locator(".dots").evaluate_all(LIT) == [[at], *inside]
    settle(page)
    expect(page.get_by_text(f"changes only the row of {label}.")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"block_cell=\w+\.{at}\.0"))
    row = page.get_by_test_id("stage").first.locator('[data-part="focus"] [aria-selected="true"]')
    expect(row).to_have_attribute("data-cell", re.compile(rf"\w+\.{at}\.0"))
    mixing = page.get_by_test_id("layer").locator(".box.mixes")
    expect(mixing).to_have_count(1)
    expect(mixing).to_contain_text("Attention")


@pytest.mark.deep
def test_a_norm_opens_into_its_steps(open_page: OpenPage) -> None:
    page = open_page("block?block_step=Z_1")
    page.locator(".stage .open").first.click()
    expect(page.get_by_text("Subtract the mean").first).to_be_visible()
    expect(focus_cell(page, "mean_1a.0.0")).to_be_visible()


@pytest.mark.deep
def test_a_sentence_without_the_chosen_token_takes_the_stages(open_page: OpenPage) -> None:
    page = open_page("block?block_changed=6")
    field = page.get_by_label("Sentence", exact=True)
    type_in(field, "<b>a</b> $x$")
    settle(page)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(1)  # nine tokens are too many
    type_in(field, "two words")
    settle(page)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    assert "block_changed=6" not in page.url
    expect(page.get_by_role("button", name="Change the row of", pressed=True)).to_have_count(1)


@pytest.mark.deep
def test_the_tiny_model_writes_on_and_takes_other_numbers(open_page: OpenPage) -> None:
    page = open_page("block?block_part=model")
    prompt = page.get_by_role("textbox", name="Prompt")
    for written in ("a cat saw a cat", "a cat saw a cat saw"):
        page.get_by_role("button", name="Write the next word").click()
        expect(prompt).to_have_value(written)
        expect(page.get_by_text(f"What may come after {written.split()[-1]}:")).to_be_visible()
    stage = page.locator(".st-key-block_model_stage")
    probability = stage.locator('[data-part="focus"] [data-cell="probs.5.0"] .number')
    expect(probability).to_have_text("1.00")  # after saw: a
    choice(page, "block_weights", "random").click()
    expect(page.get_by_text("All numbers are random")).to_be_visible()
    expect(probability).not_to_have_text("1.00")
    choice(page, "block_weights", "hand").click()
    expect(probability).to_have_text("1.00")
    settle(page)
    # The answer's feature no longer counts for the word "a".
    stage.get_by_role("button", name="Compare with every word").first.click()
    cell = stage.locator('[data-part="focus"] [data-cell="W_U.6.0"]')
    cell.click()
    page.keyboard.type("-10")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Some numbers have been changed since")).to_be_visible()
    settle(page)
    fresh = open_page(page.url)
    cell = focus_cell(fresh.locator(".st-key-block_model_stage"), "W_U.6.0")
    expect(cell.locator(".number")).to_have_text("\u221210.00")
    expect(fresh.get_by_role("button", name="Reset the numbers")).to_be_visible()
    expect_same(fresh, page)
    page.get_by_role("button", name="Reset the numbers").click()
    expect(page.get_by_text("The last word, saw, occurred before, and")).to_be_visible()


def test_tokens_and_boxes_lead_the_stage_and_what_is_said_follows(open_page: OpenPage) -> None:
    page = open_page("block")
    expect(page.get_by_test_id("stage").first).to_have_attribute("data-step", "attn_1")
    pressed = page.get_by_test_id("layer").locator('button[aria-pressed="true"]')
    expect(pressed).to_have_text("sat")
    ribbon = page.get_by_test_id("ribbon").first
    expect(ribbon).to_contain_text("“sat” reads 77 % from “we”")
    focus_cell(page, "attn_1.4.0").click()
    expect(pressed).to_have_text("river")
    expect(page.get_by_text("changes only the row of river.")).to_be_visible()
    token(page, "by").click()
    expect(focus_cell(page, "attn_1.2.0")).to_have_attribute("aria-selected", "true")
    expect(ribbon).to_contain_text("“by” reads")
    said = page.get_by_test_id("stCaptionContainer")
    by_hand = said.get_by_text("Attention in layer 1 was made by hand")
    expect(by_hand).to_be_visible()
    settle(page)
    page.locator(".st-key-block_stage").get_by_text("random", exact=True).click()
    expect(said.get_by_text("Random weights")).to_be_visible()
    expect(by_hand).to_have_count(0)
    stage = page.get_by_test_id("stage").first
    for box in boxes(BlockKind(POST, "relu"), TEXT)[::-2]:
        page.get_by_test_id("layer").locator(f'[data-array="{box.array}"] a').click()
        expect(stage).to_have_attribute("data-step", box.array)
        expect(stage).to_be_in_viewport()
