"""A chapter's toggles stand on its stage: what is chosen is shown at once, and said everywhere."""

import re
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.chapters.queries_keys_values.ladder import RUNGS
from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice
from tests.browser.test_chapters import first_stage
from tests.browser.waiting import settle

# For each chapter: a link that shows its stages, and what is chosen there, one after another.
CHOICES = {
    "dot-products": ("", [("dot_stage", "dot_rule", "cosine")]),
    "queries-keys-values": (
        "?qkv_part=lookup",
        [
            ("qkv_ladder_stage", "qkv_rung", "4"), ("qkv_ladder_stage", "qkv_numbers", "drawn"),
            ("qkv_lookup_stage", "qkv_beta", "64"),
        ],
    ),
    "why-scale": (
        "", [("scale_stage", "scale_d_k", "4")],
    ),
    "why-mask": (
        "",
        [
            ("mask_edit_stage", "mask_edit_mask", "none"),
            ("mask_gallery_stage", "mask_kind", "none"),
            ("mask_cheat_stage", "mask_cheat", "causal"),
        ],
    ),
    "heads": (
        "?heads_part=split",
        [("heads_stage", "heads_count", "8"), ("heads_split_stage", "heads_way", "right")],
    ),
}  # fmt: skip
AHEAD = """(key) => {
  const told = globalThis[Symbol.for("attention-told")]?.get(key);
  return told?.ahead?.documents.length;
}"""
TEXTS = "[data-testid=stMain] [data-testid=stMarkdownContainer]"
SAID = """() => {
  const asked = (part) => part.closest('[class*="st-key-question_"]'); // with numbers of its own
  const texts = (found) => (
    [...found].filter((part) => !asked(part)).map((part) => part.innerText.trim()).join("\\n"));
  const stages = [...globalThis[Symbol.for("attention-stages")]].map((stage) => stage.root);
  const charts = [...document.querySelectorAll("[data-testid=stPlotlyChart] [aria-label]")];
  return [
    texts(document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdownContainer]")),
    texts(stages.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)),
    charts.map((chart) => chart.getAttribute("aria-label")).join("\\n"),
  ].join("\\n");
}"""


def drawn(page: Page, key: str) -> str:
    """The numbers of a stage's focus, and what the stage says of them."""
    stage = page.locator(f".st-key-{key}").get_by_test_id("stage")
    return str(stage.locator(".body .focus").inner_text())


def chosen_in(control: str, value: str, url: str) -> bool:
    return parse_qs(urlsplit(url).query).get(control) == [value]


def says(page: Page, expected: str) -> None:
    """Wait until the page says that; what differs is shown where it does not come."""
    try:
        page.wait_for_function(f"(expected) => ({SAID})() === expected", arg=expected, timeout=9000)
    except Exception:
        assert page.evaluate(SAID).splitlines() == expected.splitlines()
        raise


@pytest.mark.parametrize("chapter", CHOICES)
def test_a_choice_is_shown_without_the_server_and_said_as_its_link_says_it(
    server: str, open_page: OpenPage, chapter: str
) -> None:
    link, chosen = CHOICES[chapter]
    page = open_page(f"{server}/{chapter}{link}")
    first_stage(page)
    for key, control, value in chosen:
        page.wait_for_function(AHEAD, arg=key)
        before = drawn(page, key)
        with stopped(server):
            choice(page, control, value).click()
            expect(choice(page, control, value)).to_have_attribute("aria-checked", "true")
            assert drawn(page, key) != before
            page.wait_for_url(partial(chosen_in, control, value))
    fresh = open_page(page.url)
    first_stage(fresh)
    fresh.wait_for_load_state("networkidle")
    settle(fresh)
    count = page.locator(TEXTS).count()
    expect(fresh.locator(TEXTS)).to_have_count(count)
    says(page, fresh.evaluate(SAID))
    assert page.url == fresh.url


NOT_AHEAD = """() => {
  const register = globalThis[Symbol.for("attention-told")] = new Map();
  const get = register.get.bind(register);
  register.get = (key) => get(key) && Object.assign(get(key), { ahead: null });
}"""


@pytest.mark.parametrize("ahead", [True, False])
def test_a_rung_leads_to_what_it_adds(server: str, open_page: OpenPage, ahead: bool) -> None:
    """At once where its run is told ahead, else when it comes; the server knows where one looks."""
    prepare = None if ahead else lambda page: page.add_init_script(f"({NOT_AHEAD})()")
    page = open_page(f"{server}/queries-keys-values", prepare=prepare)
    first_stage(page)
    stage = page.locator(".st-key-qkv_ladder_stage").get_by_test_id("stage")
    if ahead:
        page.wait_for_function(AHEAD, arg="qkv_ladder_stage")
    for number in (4, 3, 1):
        choice(page, "qkv_rung", str(number)).click()
        shown = RUNGS[number - 1].shows
        expect(stage).to_have_attribute("data-step", shown)
        expect(stage.locator('[aria-selected="true"]')).to_have_attribute(
            "data-cell", f"{shown}.0.2.1"
        )
        expect(page.get_by_test_id("stMain")).to_contain_text(RUNGS[number - 1].adds)
    expect(page).to_have_url(re.compile(r"\?qkv_rung=1$"))
    settle(page)


def test_turned_values_are_shown_where_they_are_used(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/dot-products")
    first_stage(page)
    page.get_by_role("button", name=re.compile("Turn the values by 90")).click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "context")
    expect(page).to_have_url(re.compile("dot_step=context"))
