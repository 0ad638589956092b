"""Every chapter in a real browser: both themes, keys, toggles, its link, a phone's width."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from core.chapters.queries_keys_values.ladder import RUNGS
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import fits, settle, unfold
from tests.browser.stage import choice, has_rows, told_ahead
from tests.sampling import some

# For each chapter: its part or fold that has a stage too, and what is chosen on its stages: the
# stage, its control and the value.
CHOICES = {
    "dot-products": ("One similarity among several", "dot_stage dot_rule cosine"),
    "queries-keys-values": (
        "More about queries, keys and values", "qkv_ladder_stage qkv_rung 4",
        "qkv_ladder_stage qkv_numbers drawn", "qkv_lookup_stage qkv_beta 64",
    ),
    "words": (
        "The same in attention, step by step", "words_read_stage words_neighbour money",
        "words_bank_stage words_order money-bank",
    ),
    "softmax": (
        "Over which axis, and why divide at all?", "softmax_stage softmax_made square",
        "softmax_stage softmax_temperature 4", "softmax_over_stage softmax_over queries",
    ),
    "why-scale": ("", "scale_stage scale_d_k 4"),
    "why-mask": (
        "", "mask_edit_stage mask_edit_mask none", "mask_gallery_stage mask_kind none",
        "mask_cheat_stage mask_cheat causal",
    ),
    "heads": (
        "Split one projection", "heads_stage heads_count 8", "heads_split_stage heads_way right",
    ),
    "debug-lab": ("",),
    "one-query": (
        "Compared with a recurrent net", "query_stage query_token 4",
        "query_stage query_cache again", "query_through_stage query_factor 0.9",
    ),
    "recursive-attention": (
        "Tiles", "pieces_tiles_stage pieces_height 3", "pieces_tiles_stage pieces_mask none",
    ),
    "attention-graph": (
        "Several layers", "graph_stage graph_mask window", "graph_stage graph_mask none",
        "graph_reach_stage graph_layers 3", "graph_reach_stage graph_reach_mask causal",
    ),
    "block": (
        "", "block_stage block_norm pre", "block_stage block_units gelu",
        "block_stage block_layers 2", "block_stage block_mask none",
        "block_depth_stage block_residual dropped", "block_depth_stage block_matrix by_hand",
    ),
    "other-kinds": (
        "", "kinds_stage kinds_brackets pairs", "kinds_stage kinds_features none",
        "kinds_stage kinds_numbers hand", "kinds_score_stage kinds_score dot",
    ),
    "cost": (
        "Where the work is", "cost_stage cost_which 2", "cost_stage cost_layout packed",
    ),
    "word-order": (
        "Four position encodings", "order_stage order_mask causal",
        "order_stage order_tokens earlier", "order_stage order_layers 2",
        "order_told_stage order_encoding rope",
    ),
}  # fmt: skip
# The run on show is one from which this toggle has been told ahead.
AHEAD = """([key, control, value]) => {
  const { alternatives, document } = globalThis[Symbol.for("attention-told")]?.get(key) || {};
  const known = [alternatives?.of, ...(alternatives?.documents || []).map(({ rest }) => rest.id)];
  const wanted = { ...document?.options, [control]: value };
  const told = (alternatives?.documents || []).some(({ rest }) => (
    Object.entries(wanted).every(([one, chosen]) => rest.options?.[one] === chosen)
  ));
  return document && known.includes(document.id) && told;
}"""
# How far it is scrolled, once that has been the same for ten frames.
AT_REST = """async (main) => {
  let before = -1, still = 0;
  while (still < 10) {
    await new Promise(requestAnimationFrame);
    still = main.scrollTop === before ? still + 1 : 0;
    before = main.scrollTop;
  }
  return before;
}"""
HEARD = """([key, control, value]) => (
  globalThis[Symbol.for("attention-told")].get(key).document.options[control] === value
)"""
TEXTS = "[data-testid=stMain] [data-testid=stMarkdownContainer]"
SAID = """() => {
  const asked = (part) => part.closest('[class*="st-key-question_"]'); // with numbers of its own
  const texts = (found) => (
    [...found].filter((part) => !asked(part)).map((part) => part.innerText.trim()).join("\\n"));
  const all = [...globalThis[Symbol.for("attention-stages")]];
  all.forEach(({ announcer }) => { announcer.root.textContent = ""; }); // what happened before
  const stages = all.map((stage) => stage.root);
  const charts = [...document.querySelectorAll("[data-testid=stPlotlyChart] [aria-label]")];
  return [
    texts(document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdownContainer]")),
    texts(stages.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)),
    charts.map((chart) => chart.getAttribute("aria-label")).join("\\n"),
  ].join("\\n");
}"""
ALL_DRAWN = """() => {
  const stage = /^st-key-(\\w+_)?stage$/;
  const named = ({ classList }) => [...classList].some((name) => stage.test(name));
  const places = [...document.querySelectorAll('[class*="st-key-"]')].filter(named);
  const drawn = (part) => part.shadowRoot?.querySelector('[data-testid="stage"] .cell');
  return places.length && places.every((place) => [...place.querySelectorAll("*")].some(drawn));
}"""


def first_stage(page: Page) -> str:
    """The step of the page's first stage, once all of them stand there: they come in any order."""
    page.wait_for_function(ALL_DRAWN)
    stage = page.get_by_test_id("stage").first
    expect(stage.locator(".cell").first).to_be_attached()
    return str(stage.get_attribute("data-step"))


@pytest.mark.parametrize("chapter", some(list(CHOICES), 15, 1))
def test_a_chapter_follows_theme_keys_and_toggles_and_its_link_shows_the_same(
    open_page: OpenPage, chapter: str
) -> None:
    """One visit: from the bare link to a view of one's own, and that view in a fresh page."""
    part, *rest = CHOICES[chapter]
    chosen = [choices.split() for choices in rest]
    page = open_page(chapter, theme="light")
    assert "?" not in page.url
    follows_the_theme(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("In code")).to_be_visible()
    settle(page)
    unfold(page)
    if part and not page.locator("summary").filter(has_text=part).count():
        page.get_by_text(part, exact=True).click()
    for key, _, _ in chosen:
        expect(focus_of(page, key)).to_be_attached()
    first_stage(page)
    settle(page)
    unfold(page)  # what the part holds has come since
    for key, control, value in chosen:
        is_shown_without_the_server(page, key, control, value)
    after = is_worked_by_keys(page)
    assert no_complaints(page)
    again = open_page(page.url)
    assert first_stage(again) == after
    again.wait_for_load_state("networkidle")
    settle(again)
    expect(again.locator(".st-key-page_footer a").last).to_be_visible()  # the fresh page is whole
    unfold(again)
    expect(page.locator(TEXTS)).to_have_count(again.locator(TEXTS).count())
    says(page, again.evaluate(SAID))
    assert page.url == again.url
    assert no_complaints(again)
    again.set_viewport_size({"width": 390, "height": 844})
    fits(again, 390)


def is_shown_without_the_server(page: Page, key: str, control: str, value: str) -> None:
    page.wait_for_function(AHEAD, arg=[key, control, value])
    before = focus_of(page, key).inner_text()
    with stopped(page.url):
        choice(page, control, value).click()
        expect(choice(page, control, value)).to_have_attribute("aria-checked", "true")
        expect(focus_of(page, key)).not_to_have_text(before, use_inner_text=True)
        page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get(control) == [value])
    page.wait_for_function(HEARD, arg=[key, control, value])


def focus_of(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}").get_by_test_id("stage").locator(".body .focus")


def says(page: Page, expected: str) -> None:
    """Wait until the page says that; what differs is shown where it does not come."""
    try:
        page.wait_for_function(f"(expected) => ({SAID})() === expected", arg=expected, timeout=9000)
    except Exception:
        assert page.evaluate(SAID).splitlines() == expected.splitlines()
        raise


def no_complaints(page: Page) -> bool:
    return not page.get_by_text("Page not found").or_(page.get_by_test_id("stAlert")).count()


def follows_the_theme(page: Page) -> None:
    paper = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {paper} !== light", arg=light)


def is_worked_by_keys(page: Page) -> str:
    """The step that a page key goes to; the link says so too."""
    page.wait_for_load_state("networkidle")
    before = first_stage(page)
    stage = page.get_by_test_id("stage").first
    selected = stage.locator('[role="gridcell"][aria-selected="true"]').first
    title = stage.locator(".heading h2").inner_text()
    selected.press("PageDown" if stage.locator(".next").count() else "PageUp")
    expect(stage.locator(".heading h2")).not_to_have_text(title)
    settle(page)
    after = str(stage.get_attribute("data-step"))
    assert after != before
    expect(page).to_have_url(re.compile(rf"_step={after}"))
    return after


@pytest.mark.deep
def test_a_direct_visit_asks_for_nothing_that_is_not_there(
    server: str, open_page: OpenPage
) -> None:
    """It looks for the server under its own path first; the answer sends it on to the right one."""
    answers: dict[str, int] = {}
    sockets: list[WebSocket] = []

    def listen(page: Page) -> None:
        page.on("response", lambda answer: answers.update({answer.url: answer.status}))

    page = open_page("heads", prepare=listen, listen=sockets.append)
    assert first_stage(page)
    assert {url: status for url, status in answers.items() if status >= 400} == {}
    for asked in ("health", "host-config"):
        assert not 200 <= answers[f"{server}/heads/_stcore/{asked}"] < 300
        assert answers[f"{server}/_stcore/{asked}"] == 200
    assert [urlsplit(socket.url).path for socket in sockets] == ["/_stcore/stream"]


@pytest.mark.deep
def test_page_down_moves_one_stage_of_several(open_page: OpenPage) -> None:
    page = open_page("why-mask")
    stages = page.get_by_test_id("stage")
    expect(stages).to_have_count(3)
    settle(page)
    unfold(page)
    steps = [stage.get_attribute("data-step") for stage in stages.all()]
    stages.nth(1).locator('[role="gridcell"][aria-selected="true"]').press("PageDown")
    expect(stages.nth(1)).not_to_have_attribute("data-step", str(steps[1]))
    settle(page)
    assert [stages.nth(n).get_attribute("data-step") for n in (0, 2)] == [steps[0], steps[2]]


@pytest.mark.deep
def test_page_down_past_the_end_scrolls_and_moves_no_hidden_stage(open_page: OpenPage) -> None:
    page = open_page("?step=context", until=told_ahead)
    main, stage = page.get_by_test_id("stMain"), page.get_by_test_id("stage")

    def press(key: str) -> list[object]:
        """Where the page then stands, once it has come to rest, and the stage's step."""
        page.keyboard.press(key)
        top = main.evaluate(AT_REST)
        return [top > 0, stage.get_attribute("data-step")]

    page.locator("h1").click()  # so that the keyboard is the page's
    assert press("PageDown") == [False, "output"]
    assert press("PageDown") == [True, "output"]
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(stage).not_to_be_in_viewport()
    assert press("PageUp")[1] == "output"
    assert "step=output" in page.url
    focus = page.locator('[data-part="focus"] [role="gridcell"]').first
    focus.click()
    expect(stage.locator('[role="gridcell"]:focus')).to_have_count(1)
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(stage).not_to_be_in_viewport()
    assert press("PageUp")[1] == "output"  # of a stage that still has the focus
    assert main.evaluate("main => main.scrollTop < main.scrollHeight - main.clientHeight")


NOT_AHEAD = """{
  const register = globalThis[Symbol.for("attention-told")] = new Map();
  const get = register.get.bind(register);
  register.get = (key) => get(key) && Object.assign(get(key), { alternatives: null });
}"""


@pytest.mark.parametrize("ahead", some([True, False], 2))
def test_a_rung_leads_to_what_it_adds(open_page: OpenPage, ahead: bool) -> None:
    """At once where its run is told ahead, else when it comes; the server knows where one looks."""
    page = open_page("queries-keys-values", script="" if ahead else NOT_AHEAD)
    first_stage(page)
    stage = page.locator(".st-key-qkv_ladder_stage").get_by_test_id("stage")
    if ahead:
        page.wait_for_function(AHEAD, arg=["qkv_ladder_stage", "qkv_rung", "4"])
    for number in (4, 3, 1):
        choice(page, "qkv_rung", str(number)).click()
        shown = RUNGS[number - 1].shows
        expect(stage).to_have_attribute("data-step", shown)
        selected = stage.locator('[aria-selected="true"]')
        expect(selected).to_have_attribute("data-cell", f"{shown}.0.2.1")
        words = max(re.split(r"√d_k|W_[QKV]|X Xᵀ", RUNGS[number - 1].adds), key=len)
        expect(page.get_by_test_id("stMain")).to_contain_text(words)
    expect(page).to_have_url(re.compile(r"\?qkv_rung=1&qkv_ladder_step=scores$"))
    settle(page)


@pytest.mark.deep
def test_turned_values_are_shown_where_they_are_used(open_page: OpenPage) -> None:
    page = open_page("dot-products")
    unfold(page, "One similarity among several")
    first_stage(page)
    page.get_by_role("button", name=re.compile("Turn the values by 90")).click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "context")
    expect(page).to_have_url(re.compile("dot_step=context"))


@pytest.mark.deep
def test_a_batch_is_packed_by_keys_without_the_server(open_page: OpenPage) -> None:
    page = open_page("cost")
    page.wait_for_function(AHEAD, arg=["cost_stage", "cost_layout", "packed"])
    unfold(page, "Padded or packed")
    rows = "weights, query {}, "
    has_rows(page, rows, ["Good", "morning", "PAD₁", "PAD₂", "PAD₃", "PAD₄"])
    with stopped(page.url):
        choice(page, "cost_layout", "padded").press("ArrowRight")
        expect(choice(page, "cost_layout", "packed")).to_have_attribute("aria-checked", "true")
        words = ["The", "cat", "sat", "on", "the", "mat", "A", "dog", "slept", "Good", "morning"]
        has_rows(page, rows, words)
    page.wait_for_url("**cost_layout=packed**")
    settle(page)
    fresh = open_page(page.url)
    expect(choice(fresh, "cost_layout", "packed")).to_have_attribute("aria-checked", "true")
