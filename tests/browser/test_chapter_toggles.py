"""Toggles of a chapter's stage that lead to another step."""

import re

import pytest
from playwright.sync_api import expect

from core.chapters.queries_keys_values.ladder import RUNGS
from tests.browser.conftest import OpenPage
from tests.browser.folds import unfold
from tests.browser.stage import choice
from tests.browser.test_chapters import AHEAD, first_stage
from tests.browser.waiting import settle
from tests.sampling import some

NOT_AHEAD = """() => {
  const register = globalThis[Symbol.for("attention-told")] = new Map();
  const get = register.get.bind(register);
  register.get = (key) => get(key) && Object.assign(get(key), { ahead: null });
}"""


@pytest.mark.parametrize("ahead", some([True, False], 2))
def test_a_rung_leads_to_what_it_adds(server: str, open_page: OpenPage, ahead: bool) -> None:
    """At once where its run is told ahead, else when it comes; the server knows where one looks."""
    prepare = None if ahead else lambda page: page.add_init_script(f"({NOT_AHEAD})()")
    page = open_page(f"{server}/queries-keys-values", prepare=prepare)
    first_stage(page)
    stage = page.locator(".st-key-qkv_ladder_stage").get_by_test_id("stage")
    if ahead:
        page.wait_for_function(AHEAD, arg=["qkv_ladder_stage", "qkv_rung", "4"])
    for number in (4, 3, 1):
        choice(page, "qkv_rung", str(number)).click()
        shown = RUNGS[number - 1].shows
        expect(stage).to_have_attribute("data-step", shown)
        expect(stage.locator('[aria-selected="true"]')).to_have_attribute(
            "data-cell", f"{shown}.0.2.1"
        )
        words = max(re.split(r"√d_k|W_[QKV]|X Xᵀ", RUNGS[number - 1].adds), key=len)
        expect(page.get_by_test_id("stMain")).to_contain_text(words)
    expect(page).to_have_url(re.compile(r"\?qkv_rung=1&qkv_ladder_step=scores$"))
    settle(page)


@pytest.mark.deep
def test_turned_values_are_shown_where_they_are_used(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/dot-products")
    settle(page)
    unfold(page, "One similarity among several")
    first_stage(page)
    page.get_by_role("button", name=re.compile("Turn the values by 90")).click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "context")
    expect(page).to_have_url(re.compile("dot_step=context"))
