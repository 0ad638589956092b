"""The graph in a real browser: edges and cells light each other, and edges are drawn."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.page import box_of, fits, settle
from tests.browser.stage import choice, focus_cell, tool
from tests.browser.test_present import ONLY_THE_CURTAIN
from tests.quotes import proves
from tests.sampling import some

CAUSAL = "".join(str(int(j <= i)) for i in range(6) for j in range(6))
MIDDLE = """path => {
  const at = path.getPointAtLength(path.getTotalLength() * 0.3), on = path.getScreenCTM();
  return [at.x * on.a + on.e, at.y * on.d + on.f];
}"""


def board(page: Page, key: str = "graph_board") -> Locator:
    return page.locator(f".st-key-{key}").get_by_test_id("graph")


def edge(page: Page, source: int, target: int, key: str = "graph_board") -> Locator:
    return board(page, key).locator(f'.edge[data-from="{source}"][data-to="{target}"]')


def node(page: Page, at: int) -> Locator:
    return board(page).locator(f'.node[data-node="{at}"]')


def pointed(page: Page, cell: str, key: str = "graph_stage") -> None:
    """A stage points at this cell."""
    here = page.locator(f'.st-key-{key} [data-part="focus"] .here')
    expect(here).to_have_attribute("data-cell", cell)


def drawn(page: Page, bits: str) -> None:
    """The graph shows these edges, and the server has told their weights."""
    expect(board(page)).to_have_attribute("data-drawn", bits)
    expect(board(page)).to_have_attribute("data-settled", "true")
    settle(page)


def flipped(bits: str, source: int, target: int) -> str:
    at = target * 6 + source
    return bits[:at] + "10"[int(bits[at])] + bits[at + 1 :]


@proves("""
    Press the node that is read, then the node that reads it: this draws the edge, or takes it away
    | With keys: arrows, Enter; Delete on an edge | Point at an edge: its numbers light up on the
    stage. With keys: left and right from node to node, down to its edges, Enter to choose
""")
def test_edges_and_cells_light_each_other_without_the_server(open_page: OpenPage) -> None:
    page = open_page("attention-graph?graph_step=weights")
    drawn(page, CAUSAL)
    with stopped(page.url):
        page.mouse.move(*edge(page, 3, 5).locator(".reach").evaluate(MIDDLE))
        pointed(page, "weights.0.5.3")
        focus_cell(page, "weights.0.4.1").hover()
        expect(board(page).locator(".edge.here")).to_have_count(1)
        expect(edge(page, 1, 4)).to_contain_class("here")
        focus_cell(page, "masked.0.2.0").hover()  # softmax makes a whole row of it
        expect(board(page).locator(".edge.use")).to_have_count(3)
        edge(page, 0, 2).locator(".reach").dispatch_event("click")
        expect(focus_cell(page, "weights.0.2.0")).to_have_attribute("aria-selected", "true")
    page.wait_for_url("**graph_cell=weights.0.2.0**")
    edges_that_are_drawn_by_keys_become_the_mask(page)
    page = open_page(page.url)
    bits = flipped(CAUSAL, 5, 0)
    drawn(page, bits)
    drag(page, 4, 1)
    drawn(page, flipped(bits, 4, 1))


def edges_that_are_drawn_by_keys_become_the_mask(page: Page) -> None:
    page.get_by_role("button", name="to draw an edge").click()
    node(page, 5).focus()
    page.keyboard.press("Enter")
    expect(node(page, 5)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    bits = flipped(CAUSAL, 5, 0)
    drawn(page, bits)
    expect(focus_cell(page, "weights.0.0.5")).not_to_contain_class("masked")
    expect(choice(page, "graph_mask", "draw")).to_have_attribute("aria-checked", "true")
    page.keyboard.press("ArrowDown")
    expect(edge(page, 0, 0)).to_be_focused()
    page.keyboard.press("Delete")
    drawn(page, flipped(bits, 0, 0))
    expect(focus_cell(page, "weights.0.0.0")).to_contain_class("masked")
    page.get_by_role("button", name="Undo").click()
    drawn(page, bits)
    assert parse_qs(urlsplit(page.url).query) == {
        "graph_mask": ["draw"], "graph_drawn": [bits], "graph_step": ["weights"],
        "graph_cell": ["weights.0.2.0"],
    }  # fmt: skip


def drag(page: Page, source: int, target: int) -> None:
    node(page, source).hover()
    page.mouse.down()
    node(page, target).hover()
    node(page, target).hover()
    page.mouse.up()


@proves("""
    An arrow points from the token that is read (its key) to the token that reads (its query) | Or
    drag from node to node | it points from the token that is read to the token that reads
""")
def test_an_edge_is_dragged_and_the_painter_of_the_mask_draws_the_same(open_page: OpenPage) -> None:
    page = open_page("attention-graph?graph_mask=window&graph_size=1")
    window = "".join(str(int(i == j)) for i in range(6) for j in range(6))
    drawn(page, window)
    drag(page, 5, 2)
    drawn(page, flipped(window, 5, 2))
    page.locator('.st-key-graph_stage .strip .phase[data-step="masked"]').click()
    focus_cell(page, "mask.2.5").click()
    drawn(page, window)


@pytest.mark.deep
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_the_graph_fits_nodes_can_be_pressed_and_a_cut_token_keeps_its_number(
    theme: str, open_page: OpenPage
) -> None:
    text = "graph_text=unbelievable+and+unbelievable+so"
    page = open_page(f"attention-graph?{text}", size=(390, 844), theme=theme)
    names = board(page).locator(".node text")
    expect(names).to_have_text(["unbeli…₁", "and", "unbeli…₂", "so"])
    fits(page, 390)
    for at in range(4):
        box = box_of(node(page, at))
        assert min(box.width, box.height) >= 24
        assert box.left >= 0
        assert box.right <= 390
    node(page, 2).click()
    expect(choice(page, "graph_node", "3")).to_have_attribute("aria-checked", "true")


@pytest.mark.deep
def test_what_is_covered_is_not_told_by_an_edge_until_it_is_lifted(open_page: OpenPage) -> None:
    """Also where later steps stay covered."""
    page = open_page("attention-graph?graph_cover=result&graph_threshold=0.3")
    strokes, numbers = board(page).locator(".stroke"), board(page).locator(".number text")
    expect(strokes).to_have_count(21)  # no threshold: what is left out would tell
    widths = strokes.evaluate_all(
        "all => all.map((one) => one.getAttribute('d') && one.getAttribute('stroke-width'))"
    )
    assert len(set(widths)) == 1
    expect(numbers).to_have_text(["?"] * 21)
    told = board(page).locator(".edge").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert all(one.endswith(": covered") for one in told)
    expect(page.locator(".st-key-beside_edges")).to_be_hidden()
    page.locator(".st-key-graph_stage").get_by_role("button", name="Reveal").first.click()
    expect(numbers.first).to_have_text(re.compile(r"\d"))
    choice(page, "cover", "").first.click()
    expect(strokes).to_have_count(8)


@pytest.mark.deep
def test_an_edge_between_two_sentences_leads_to_its_own_stage(open_page: OpenPage) -> None:
    page = open_page("attention-graph?graph_asking=red+green")
    drawn(page, CAUSAL)
    between = "graph_cross_board"
    expect(board(page, between).locator(".edge")).to_have_count(2 * 6)
    edge(page, 4, 6, between).locator(".reach").dispatch_event("click")
    pointed(page, "weights.0.0.4", "graph_cross_stage")
    pointed(page, "weights.0.5.0")  # the other stage stays where it was
    page.wait_for_url("**graph_cross_cell=weights.0.0.4**")
    expect(edge(page, 4, 6, between)).to_contain_class("here")
    expect(edge(page, 0, 5)).to_contain_class("here")


@pytest.mark.deep
def test_more_layers_reach_further_and_a_cover_hides_how_far(open_page: OpenPage) -> None:
    page = open_page("attention-graph?graph_part=reach&graph_reach_size=2")
    drawn(page, CAUSAL)
    layers = board(page, "graph_reach_board")
    expect(layers.locator(".edge")).to_have_count(2 + 4)
    choice(page, "graph_layers", "3").click()
    expect(layers.locator(".edge")).to_have_count(2 + 4 + 6)
    expect(page.get_by_text("reaches 3 × (2 − 1) = 3 tokens back.")).to_be_visible()
    page = open_page(f"{page.url}&graph_reach_cover=result")
    expect(board(page)).to_be_visible()
    expect(board(page, "graph_reach_board")).to_be_hidden()


WINDOWS = [(1280, 720, 18), (1920, 1080, 27)]


@pytest.mark.deep
@pytest.mark.parametrize(("width", "height", "digits"), some(WINDOWS, 2))
def test_a_stage_that_fills_the_window_keeps_its_graph_beside_it(
    open_page: OpenPage, width: int, height: int, digits: int
) -> None:
    page = open_page("attention-graph?graph_step=weights", size=(width, height))
    drawn(page, CAUSAL)
    tool(page, "Full window").first.click()
    expect(board(page)).to_contain_class("beside")
    settle(page)
    graph, stage = box_of(board(page)), box_of(page.get_by_test_id("stage").first)
    assert graph.left == 0
    assert graph.right <= stage.left + 0.5
    assert stage.right <= width + 0.5
    for part in ("svg", ".help", ".bar"):
        expect(board(page).locator(part)).to_be_in_viewport(ratio=1)
    cells = page.locator('.st-key-graph_stage [data-part="focus"] [role="gridcell"]')
    assert cells.count() == 72
    for cell in (cells.first, cells.last):
        expect(cell).to_be_in_viewport(ratio=1)
        size = cell.evaluate("cell => parseFloat(getComputedStyle(cell).fontSize)")
        assert size >= digits
    # Both are alive, and linked; what is behind them is not.
    focus_cell(page, "weights.0.4.1").hover()
    expect(edge(page, 1, 4)).to_contain_class("here")
    node(page, 1).click()
    expect(node(page, 1)).to_contain_class("chosen")
    sentence = page.locator(".st-key-graph_text input")
    sentence.evaluate("field => field.focus()")
    expect(sentence).not_to_be_focused()
    page.keyboard.press("b")  # both are behind the curtain
    expect(page.get_by_test_id("curtain")).to_be_visible()
    assert page.evaluate(ONLY_THE_CURTAIN)
    page.keyboard.press("b")
    expect(page.get_by_test_id("curtain")).to_have_count(0)
    tool(page, "Leave the full window").click()
    expect(board(page)).not_to_contain_class("beside")
    sentence.focus()
    expect(sentence).to_be_focused()


@pytest.mark.deep
def test_edges_within_a_sentence_bend_beside_it_and_are_whole(open_page: OpenPage) -> None:
    for width in (1440, 390):
        page = open_page("attention-graph?graph_side=encoder", size=(width, 900))
        graph = board(page, "graph_cross_board")
        expect(graph.locator(".edge")).to_have_count(36)
        graph.scroll_into_view_if_needed()
        edge_of_board = box_of(graph).left
        left = min(box_of(one).left for one in graph.locator(".node rect").all()[:6])
        for stroke in graph.locator(".stroke").all():
            assert box_of(stroke).left >= edge_of_board - 1
            assert box_of(stroke).left < left + 1  # it leaves the column and comes back


@pytest.mark.deep
def test_a_button_changes_no_type(open_page: OpenPage) -> None:
    """What is written on the panel has one size, whichever button is pressed and however often."""
    page = open_page("attention-graph")
    drawn(page, CAUSAL)
    written = board(page).locator(".help, .bar button, .node text, .word")
    sizes = "all => all.map(one => getComputedStyle(one).fontSize)"
    before = written.evaluate_all(sizes)
    assert set(before) <= {"14px", "16px"}
    for name in ("to draw an edge", "to look at it", "to draw an edge", "No edges"):
        board(page).get_by_role("button", name=name).click()
        settle(page)
        expect(written).to_have_count(len(before))
        for one, size in zip(written.all(), before, strict=True):
            expect(one).to_have_css("font-size", size)  # what is replaced meanwhile has none yet
