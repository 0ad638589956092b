"""The tree in a real browser: put together by hand and by keys, each set with its numbers."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.chapters.recursive_attention.tree_program import EXAMPLE_KEYS, example
from core.chapters.recursive_attention.trees import read_forest
from core.program.numbers.rounding import cell_text
from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import box_of, fits, settle
from tests.browser.stage import choice, open_tools
from tests.browser.tabs import Finger
from tests.browser.test_chapters import AHEAD, HEARD
from tests.sampling import some

HALVES = "((1 2) (3 4))"


WATCH = """(board) => {
  globalThis.forests = [];
  const watched = () => globalThis.forests.push(board.dataset.forest);
  new MutationObserver(watched).observe(board, { attributeFilter: ["data-forest"] });
}"""


def piece(page: Page, tree: str) -> Locator:
    return page.locator(f'[data-testid="trees"] [data-tree="{tree}"]')


def forest(page: Page, text: str) -> None:
    """The board shows this forest, and the server has told its numbers."""
    board = page.get_by_test_id("trees")
    expect(board).to_have_attribute("data-forest", text)
    expect(board).to_have_attribute("data-settled", "true")
    settle(page)


def told(page: Page, tree: str, score: str, value: str) -> None:
    head = piece(page, tree).locator("> .head")
    expect(head.locator(".s")).to_have_text(f"s {score}")
    expect(head.locator(".v")).to_have_text(f"v {value}")


def drag(page: Page, tree: str, target: str) -> None:
    grip, end = (piece(page, name).locator("> .head .set") for name in (tree, target))
    grip.hover()
    page.mouse.down()
    end.hover()
    end.hover()
    page.mouse.up()


@pytest.mark.deep
def test_pieces_dragged_together_in_another_order_come_to_the_same(open_page: OpenPage) -> None:
    page = open_page("recursive-attention")
    forest(page, HALVES)
    told(page, HALVES, "2.30", "30.00")
    told(page, "(1 2)", "1.10", "16.67")
    piece(page, HALVES).locator("> .head .apart").click()
    forest(page, "(1 2) (3 4)")
    expect(page.get_by_text("2 pieces are left")).to_be_visible()
    piece(page, "(1 2)").locator("> .head .apart").click()
    forest(page, "1 2 (3 4)")
    drag(page, "1", "(3 4)")
    forest(page, "2 ((3 4) 1)")
    told(page, "((3 4) 1)", "2.08", "32.50")
    drag(page, "2", "((3 4) 1)")
    forest(page, "(((3 4) 1) 2)")
    told(page, "(((3 4) 1) 2)", "2.30", "30.00")
    expect(page.get_by_text("the same, whichever pieces are merged first")).to_be_visible()
    assert "pieces_tree=" in page.url
    fresh = open_page(page.url)
    forest(fresh, "(((3 4) 1) 2)")
    told(fresh, "((3 4) 1)", "2.08", "32.50")
    for text in ("2 ((3 4) 1)", "1 2 (3 4)", "(1 2) (3 4)", HALVES):
        page.get_by_role("button", name="Undo").click()
        forest(page, text)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.wait_for_url(lambda url: "pieces_tree" not in url)
    with stopped(page.url):
        drag(page, "1", "4")  # out of a pair, whose other key is left alone
        expect(page.get_by_test_id("trees")).to_have_attribute("data-forest", "(2 (3 (4 1)))")
    forest(page, "(2 (3 (4 1)))")
    told(page, "(3 (4 1))", "2.08", "32.50")
    drag(page, "(4 1)", "2")
    forest(page, "((2 (4 1)) 3)")


@pytest.mark.deep
def test_a_key_counted_again_makes_it_wrong_a_page_says_by_how_much(open_page: OpenPage) -> None:
    """First five choices, each while the last is under way: no older answer moves the tree back."""
    page = open_page("recursive-attention")
    forest(page, HALVES)
    page.get_by_test_id("trees").evaluate(WATCH)
    names = ("one by one", "every other", "all at once", "one by one", "a key counted twice")
    for name in names:
        page.get_by_test_id("trees").get_by_role("button", name=name).dispatch_event("click")
    forest(page, "((1 2) (2 3 4))")
    shown = page.evaluate("globalThis.forests")
    runs = [one for one, before in zip(shown, [None, *shown], strict=False) if one != before]
    assert len(runs) == len(names)
    said = (
        "the keys give 28.33. All keys at once give 30.00: off by 1.67. Key 2 was counted more than"
    )
    expect(page.get_by_text(said)).to_be_visible()
    page.get_by_role("button", name="one by one").click()
    forest(page, "(((1 2) 3) 4)")
    page.get_by_role("button", name="Count key again: 4").click()
    piece(page, "(((1 2) 3) 4)").locator("> .head .set").click()
    forest(page, "((((1 2) 3) 4) 4)")
    expect(page.get_by_text("Key 4 was counted more than once")).to_be_visible()
    piece(page, "4").first.locator(".apart").click()
    forest(page, "(((1 2) 3) 4)")


@pytest.mark.parametrize("again", some([2, None], 2))
def test_keys_are_bars_and_what_counts_twice_is_red(open_page: OpenPage, again: int | None) -> None:
    page = open_page("recursive-attention")
    board = page.get_by_test_id("trees")
    if again:
        page.get_by_role("button", name=f"Count key again: {again}").click()
        piece(page, HALVES).locator("> .head .set").click()
        forest(page, f"({HALVES} {again})")
    trace = example(read_forest(f"({HALVES} {again})" if again else HALVES, EXAMPLE_KEYS))
    counts = np.exp(trace["s_row"][0, 0])
    expect(board.locator(".column .count")).to_have_text([cell_text(float(n)) for n in counts])
    expect(board.locator(".pile i.again")).to_have_count(1 if again else 0)
    heights = board.locator(".pile i:first-child").evaluate_all(
        "(bars) => bars.map((bar) => bar.getBoundingClientRect().height)"
    )
    np.testing.assert_allclose(np.array(heights) / heights[0], counts / counts[0], rtol=0.05)
    merged = counts @ trace["V"][0, :, 0]
    often = 0 if again is None else counts[again - 1]
    value = (merged + often * trace["V"][0, (again or 1) - 1, 0]) / (counts.sum() + often)
    result = board.locator(".result")
    texts = [cell_text(float(x)) for x in (value, merged / counts.sum())]
    expect(result.locator(".part b")).to_have_text(texts)
    expect(result.locator(".sign")).to_have_text("≠" if again else "=")
    assert ("off" in (result.get_attribute("class") or "").split()) == bool(again)


def test_a_tree_needs_no_server_its_numbers_follow_and_lead_to_cells(open_page: OpenPage) -> None:
    page = open_page("recursive-attention")
    forest(page, HALVES)
    with stopped(page.url):
        page.get_by_role("button", name="every other").click()
        expect(page.get_by_test_id("trees")).to_have_attribute("data-forest", "((1 3) (2 4))")
        expect(piece(page, "(1 3)").locator("> .head .s")).to_have_text("s …")
        told(page, "3", "1.10", "30.00")
        page.get_by_role("button", name="one by one").click()
        expect(page.get_by_test_id("trees")).to_have_attribute("data-forest", "(((1 2) 3) 4)")
        page.get_by_test_id("trees").evaluate(WATCH)
    forest(page, "(((1 2) 3) 4)")
    told(page, "((1 2) 3)", "1.79", "23.33")
    assert set(page.evaluate("globalThis.forests")) <= {"(((1 2) 3) 4)"}
    stage = page.get_by_test_id("stage").first
    piece(page, "(1 2)").locator("> .head .v").click()
    expect(stage).to_have_attribute("data-step", "v_12")
    expect(stage.get_by_test_id("arithmetic")).to_contain_text("v_12[")
    settle(page)
    assert "pieces_step=v_12" in page.url


@pytest.mark.deep
@pytest.mark.parametrize("part", some(["stream", "tiles", "split", "ring", "shared"], 5))
def test_a_part_fits_a_phone_and_each_of_its_stops_is_drawn(part: str, open_page: OpenPage) -> None:
    link = f"pieces_part={part}&pieces_from=sentence"
    page = open_page(f"recursive-attention?{link}", size=(390, 844))
    stage = page.get_by_test_id("stage").nth(1)
    expect(stage.locator(".focus .cell").first).to_be_visible()
    steps = stage.locator(".strip .phase")
    for at in range(steps.count()):
        steps.nth(at).click()
        expect(steps.nth(at)).to_have_attribute("aria-current", "step")
        expect(stage.locator(".focus .cell").first).to_be_visible()
    fits(page, 390)


@pytest.mark.deep
def test_a_merge_opens_into_its_steps_and_they_are_walked_on_and_back(open_page: OpenPage) -> None:
    page = open_page("recursive-attention?pieces_from=sentence")
    choice(page, "pieces_tree_mask", "none").click()
    stage = page.get_by_test_id("stage").first
    before = stage.locator(".strip .phase").count()
    inner = stage.locator('.formula [data-step="w_123456"]')
    stage.locator(".formula .line").click()
    expect(stage.locator('.formula [data-step="s_123456"]').first).to_be_visible()
    expect(stage.locator('.formula [data-step="v_123456"]').first).to_be_visible()
    page.keyboard.press("Escape")
    stage.get_by_role("button", name="Open", exact=True).click()
    stage.locator(".formula .line").click()
    expect(inner.first).to_be_visible()
    expect(stage.locator(".strip .phase")).to_have_count(before + 4)
    expect(stage).to_have_attribute("data-step", "pieces_123456")
    page.keyboard.press("Escape")
    stage.locator(".focus .cell").first.click()
    inside = ("w_123456", "s_123456", "values_123456", "v_123456")
    for step in inside:
        page.keyboard.press("PageDown")
        expect(stage).to_have_attribute("data-step", step)
    for step in (*inside[-2::-1], "pieces_123456"):
        page.keyboard.press("PageUp")
        expect(stage).to_have_attribute("data-step", step)


@pytest.mark.deep
def test_after_a_toggle_that_resizes_the_next_one_is_told_ahead_too(open_page: OpenPage) -> None:
    """And on the way back nothing is asked for again."""
    page = open_page("recursive-attention?pieces_part=tiles&pieces_tiles_step=merged")
    arrows = page.get_by_test_id("stage").nth(1).locator(".face.focus .arrow")
    expect(arrows).to_have_text(["", "", "→"])  # from three blocks to all rows
    key = "pieces_tiles_stage"
    for control, value in (("pieces_height", "3"), ("pieces_width", "3"), ("pieces_mask", "none")):
        page.wait_for_function(AHEAD, arg=[key, control, value])
        with stopped(page.url):
            choice(page, control, value).click()
            steps = page.get_by_test_id("stage").nth(1).locator(".strip .phase")
            count = {"pieces_height": 12, "pieces_width": 10, "pieces_mask": 11}[control]
            expect(steps).to_have_count(count)
        page.wait_for_function(HEARD, arg=[key, control, value])
    with stopped(page.url):
        choice(page, "pieces_mask", "causal").click()
        choice(page, "pieces_width", "2").click()
        choice(page, "pieces_height", "2").click()
        expect(steps).to_have_count(13)


@pytest.mark.deep
def test_the_formula_bar_leaves_out_what_is_inside_a_closed_stop(open_page: OpenPage) -> None:
    page = open_page("recursive-attention?pieces_stream_step=o_2")
    stage = page.get_by_test_id("stage").nth(1)
    inside = stage.locator(".formula").locator("[data-step=m_2], [data-step=P_2], [data-step=l_2]")
    stage.locator(".formula .line").click()
    expect(stage.locator('.formula [data-step="o_2"]').first).to_be_visible()
    expect(inside).to_have_count(0)
    page.keyboard.press("Escape")
    stage.get_by_role("button", name="Open", exact=True).click()
    stage.locator(".formula .line").click()
    expect(inside.first).to_be_visible()
    expect(stage.locator('.formula [data-step="m_3"]')).to_have_count(0)


@pytest.mark.deep
def test_a_finger_merges_by_tapping_and_by_dragging_the_grip(open_page: OpenPage) -> None:
    finger = Finger()

    def touch(kind: str, part: Locator) -> None:
        if kind == "touchStart":
            part.scroll_into_view_if_needed()
        box = box_of(part)
        finger.touch(kind, box.left + 6, box.top + 6)

    link = "recursive-attention?pieces_tree=1+2+3+4"
    page = open_page(link, size=(390, 844), prepare=finger)
    forest(page, "1 2 3 4")
    for tree in ("1", "3"):
        touch("touchStart", piece(page, tree).locator("> .head .set"))
        finger.touch("touchEnd")
    forest(page, "2 (3 1) 4")
    touch("touchStart", piece(page, "4").locator("> .head .grip"))
    for tree in ("2", "(3 1)", "(3 1)"):
        touch("touchMove", piece(page, tree).locator("> .head .set"))
    finger.touch("touchEnd")
    forest(page, "2 ((3 1) 4)")


@pytest.mark.deep
def test_a_cover_hides_what_stands_beside_the_stage_too(open_page: OpenPage) -> None:
    page = open_page("recursive-attention?pieces_cover=result")
    page.locator(".covered").first.wait_for()
    told(page, HALVES, "?", "?")
    for aloud in page.get_by_role("treeitem").all():
        assert "covered" in str(aloud.get_attribute("aria-label"))
    expect(page.get_by_text("Merged from pieces")).to_be_hidden()
    assert "30.00" not in page.locator("[data-testid=stMain]").inner_text()
    open_tools(page)
    page.get_by_role("radio", name="nothing", exact=True).first.click()
    told(page, HALVES, "2.30", "30.00")
    expect(page.get_by_text("Merged from pieces")).to_be_visible()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("written", "kept"),
    some([("((((1))))", "1 2 3 4"), ("+((1+2)(3+4))+", None), ("(2+1)", "(2 1) 3 4")], 3, 2),
)
def test_a_link_has_the_tree_on_show(open_page: OpenPage, written: str, kept: str | None) -> None:
    page = open_page(f"recursive-attention?pieces_tree={written}")
    forest(page, kept or HALVES)
    page.wait_for_url(
        lambda url: parse_qs(urlsplit(url).query).get("pieces_tree") == (kept and [kept])
    )
