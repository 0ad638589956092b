"""Links: the whole view in the URL, the same in a fresh browser; garbage is said, never fatal.

A link to any page works when it is the first thing that a fresh server is asked for.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.attention.examples.presets import PRESETS
from core.attention.tokens import tokenise
from tests.browser.conftest import ROOT, ColdServer, OpenPage, stopped
from tests.browser.page import go_by_path, header_of
from tests.browser.stage import (
    arithmetic,
    choice,
    choose_example,
    expect_selected,
    expect_step,
    focus_cell,
    heard,
    numbers,
    option,
    told_ahead,
)
from tests.pages.test_any_link import MOVED
from tests.sampling import some
from ui.chapters.walkthrough.keys import packed_edits
from ui.links.path import address_of

CELLS = '[data-part="focus"] [data-cell]'


def test_a_new_browser_shows_a_link_s_step_cell_numbers(server: str, open_page: OpenPage) -> None:
    link = f"{server}/?text={quote('a dog saw the dog')}&mask=window&window=2&heads=4&kv_heads=2"
    # The cell decides.
    first = open_page(f"{link}&scale=off&seed=3&step=weights&head=1&cell=weights.2.4.3")
    expect_selected(first, "weights.2.4.3")
    focus_cell(first, "weights.2.3.3").click()
    expect_selected(first, "weights.2.3.3")
    expect(arithmetic(first)).to_contain_text("weights[the, the] of head 3")
    expect(arithmetic(first)).to_be_visible()
    shown = numbers(first, "weights"), arithmetic(first).inner_text()
    second = open_page(first.url)
    expect_selected(second, "weights.2.3.3")
    expect(arithmetic(second)).to_contain_text("weights[the, the] of head 3")
    expect(arithmetic(second)).to_be_visible()
    assert (numbers(second, "weights"), arithmetic(second).inner_text()) == shown
    assert urlsplit(second.url).query == urlsplit(first.url).query


STAGES_MOVED = sorted(MOVED.keys() - {"practice", "real_heads"})


@pytest.mark.parametrize("path", some(STAGES_MOVED, 5, 2))
def test_a_page_with_old_links_is_the_same_after_a_press(path: str, open_page: OpenPage) -> None:
    first = open_page(address_of(path), until=heard)
    assert not urlsplit(first.url).query
    stage = first.get_by_test_id("stage").first
    step = stage.get_attribute("data-step")
    stage.locator(f'[data-part="focus"] [data-cell^="{step}."]').last.click()
    heard(first)
    second = open_page(first.url, until=heard)
    assert shown(second) == shown(first)
    assert (second.url, urlsplit(first.url).query != "") == (first.url, True)


def shown(page: Page) -> Sequence[str]:
    found = page.locator(CELLS).all_inner_texts()
    assert found
    return found


GARBAGE = {
    "mask": "sideways", "heads": "nine", "d_model": "-3", "seed": "1e9", "scale": "-2",
    "preset": "P99", "step": "attention", "cell": "<b>", "compare": "x", "window": "0",
}  # fmt: skip


@pytest.mark.parametrize(
    "garbage", some([{**GARBAGE, "m": "AAAA"}, {"cell": "scores.9.9.9", "m": "9" * 9000}], 2)
)
def test_garbage_in_every_key_is_said_and_the_defaults_are_shown(
    open_page: OpenPage, garbage: dict[str, str]
) -> None:
    page = open_page(f"?{urlencode(garbage)}", step="scores")
    expect_selected(page, "scores.0.2.1")
    told_ahead(page)  # a rerun that nobody asked for
    alerts = page.get_by_test_id("stAlert")
    for key, value in garbage.items():
        said = "matrices in the link" if key == "m" else re.compile(f"{key}.*{re.escape(value)}")
        expect(alerts.filter(has_text=said).first).to_be_visible()


@pytest.mark.deep
def test_reset_takes_its_own_message_with_it(open_page: OpenPage) -> None:
    given = packed_edits({"scores": np.zeros((2, 6, 6))})
    page = open_page(f"?m={given}")
    expect(choice(page, "heads", "2")).to_have_attribute("aria-checked", "true")
    choice(page, "heads", "4").click()
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("Your edited scores does not fit")
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(alert).to_have_count(0)
    expect(page.get_by_text("starts from given")).to_have_count(0)


@pytest.mark.deep
def test_another_page_gets_none_of_the_stages_keys_and_back_finds_them(open_page: OpenPage) -> None:
    page = open_page("?text=red+green")
    page.locator('.strip .phase[data-step="weights"]').click()
    expect(page).to_have_url(re.compile("step=weights"))
    go_by_path(page, "Heads")
    expect(page.get_by_role("heading", level=1)).to_contain_text("heads")
    page.wait_for_url("**/heads?heads_text=red+green")  # the sentence comes along, and it alone
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Self-attention")
    expect(page.get_by_test_id("stage")).to_have_count(1)
    expect_step(page, "weights")
    # What the page that was left still says of its address may come a moment later.
    expect(page).to_have_url(re.compile(r"/\?text=red\+green&step=weights$"))


@pytest.mark.deep
def test_toggles_lie_on_a_preset_and_another_has_its_own(open_page: OpenPage) -> None:
    page = open_page("?preset=P3&step=weights", until=told_ahead)
    with stopped(page.url):
        choice(page, "mask", "none").click()
        expect(focus_cell(page, "weights.0.0.4")).to_have_text("0.20")
        choice(page, "scale", "off").click()
        assert urlsplit(page.url).query == "preset=P3&step=weights&mask=none&scale=off"
    changed = page.get_by_text("You have changed the mask and the scale of the example.")
    expect(changed).to_be_visible()
    choice(page, "scale", "on").click()
    expect(page.get_by_text("You have changed the mask of the example.")).to_be_visible()
    assert urlsplit(page.url).query == "preset=P3&step=weights&mask=none"
    choose_example(page, "P1")
    expect(choice(page, "mask", "causal")).to_have_attribute("aria-checked", "true")
    expect(choice(page, "scale", "off")).to_have_attribute("aria-checked", "true")
    expect(page).to_have_url(re.compile(r"\?preset=P1&step=weights$"))
    choice(page, "scale", "on").click()
    expect(page).to_have_url(re.compile("scale=on"))


@pytest.mark.deep
def test_an_example_is_left_by_its_heads_or_for_ones_own_sentence(open_page: OpenPage) -> None:
    page = open_page("?text=red+green&preset=P4&step=weights")
    field = page.get_by_role("textbox", name="Sentence")
    expect(field).to_have_value("river bank")
    expect(page.locator(".story strong")).to_have_text(PRESETS["P4"].title)
    expect(page.locator(".story .token")).to_have_text(["bank", "river"])
    told_ahead(page)
    with stopped(page.url):
        choice(page, "heads", "2").click()
        expect(page.locator('[data-control="head"] [role=radio]')).to_have_count(2)
    expect(page.get_by_text("This is no longer the example")).to_be_visible()
    expect(page.locator(".story strong")).to_have_count(0)
    expect(field).to_have_value("river bank")
    page.wait_for_url("**/?text=river+bank&step=weights*")
    shown = numbers(page, "weights")
    again = open_page(page.url, step="weights")
    expect(focus_cell(again, "weights.0.1.0")).to_be_visible()
    assert numbers(again, "weights") == shown
    choose_example(page, "P9")
    expect(field).to_have_value("loud quiet")
    page.get_by_role("button", name="Back to my sentence").click()
    expect(field).to_have_value("river bank")
    expect(page.locator(".story strong")).to_have_count(0)


HOSTILE = [
    "<img/src=x/onerror=document.title='owned'> e" + "\u0301" * 2000,
    "$\\frac{1}{ $$ \\end{aligned} "
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd \U0001f468\u200d\U0001f469\u200d\U0001f467 a\u0000b",
    "](javascript:alert(1)) **bold** `code` :red[x] <b>b</b>",
]


@pytest.mark.parametrize("text", some(HOSTILE, len(HOSTILE)))
def test_hostile_tokens_appear_as_text(open_page: OpenPage, text: str) -> None:
    tokens = tokenise(text)
    at = f"weights.0.{len(tokens) - 1}.0"
    page = open_page(f"?step=weights&cell={at}&text={quote(text)}")
    expect_selected(page, at)
    assert page.title() == "Walkthrough · Attention, step by step"
    stage = page.get_by_test_id("stage")
    assert stage.locator("img, b, a, script").count() == 0
    expect(arithmetic(page)).to_contain_text("weights[")
    expect(arithmetic(page).locator("math mtext").first).to_be_attached()
    assert arithmetic(page).locator("img, a, b").count() == 0


@pytest.mark.deep
def test_the_shared_link_is_a_code_too_and_says_where_nobody_else_can_open_it(
    server: str, open_page: OpenPage
) -> None:
    page = open_page("?text=one+two")
    page.get_by_role("button", name="Share", exact=True).click()
    code = page.get_by_role("img", name="The link as a QR code")
    expect(code).to_be_visible()
    page.wait_for_function("image => image.naturalWidth > 0", arg=code.element_handle())
    expect(page.get_by_text("This link works only on this computer")).to_be_visible()
    expect(page.get_by_test_id("stCode").first).to_contain_text(f"{server}/?text=one+two")


@pytest.mark.deep
def test_reset_is_there_on_a_link_that_changes_a_toggle_of_a_chapter(open_page: OpenPage) -> None:
    page = open_page("softmax?softmax_made=square")
    page.get_by_role("button", name="Reset toggles: Made positive by eˣ").click()
    chosen = page.locator(option("softmax_made", "exp"))
    expect(chosen).to_have_attribute("aria-checked", "true")
    heard(page)
    assert "softmax_made" not in page.url


def test_a_first_link_shows_its_page_as_asked(cold_server: ColdServer, open_page: OpenPage) -> None:
    """Of a page whose address is not its file's stem; then the default page by its name."""
    url = cold_server(ROOT)
    link = f"{url}/debug-lab?lab_step=scaled&lab_cover=scaled"
    page = open_page(link)
    expect(page.locator('[data-matrix="scaled"] .covered').first).to_be_visible()
    assert page.url == link
    is_found(page)
    page.goto(f"{url}/walkthrough?heads=4")
    expect(choice(page, "heads", "4")).to_have_attribute("aria-checked", "true")
    assert page.url.startswith(f"{url}/?heads=4")
    is_found(page)


def is_found(page: Page) -> None:
    expect(header_of(page).get_by_role("button", name="Chapters")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)  # such as "Page not found"


@pytest.mark.deep
def test_below_a_base_path_links_are_the_same(cold_server: ColdServer, open_page: OpenPage) -> None:
    url = cold_server(ROOT, "for/class-3b")
    page = open_page(f"{url}/one-query?query_text=a+b")
    expect(page.locator(".st-key-query_text input")).to_have_value("a b")
    expect(page.get_by_test_id("stage").first.locator(".cell").first).to_be_visible()
    page.get_by_role("link", name="Recursive attention").first.click()
    expect(page).to_have_url(re.compile(f"^{url}/recursive-attention"))
    expect(page.locator("h1")).to_contain_text("Recursive attention")
    start = open_page(f"{url}/walkthrough?text=c+d")
    expect(start.get_by_role("textbox", name="Sentence")).to_have_value("c d")
    assert start.url.startswith(f"{url}/?")
