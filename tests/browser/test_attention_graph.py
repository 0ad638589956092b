"""The graph in a real browser: edges and cells light each other, and edges are drawn."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, stopped
from tests.browser.stage import choice, focus_cell
from tests.browser.waiting import fits, settle

CAUSAL = "".join(str(int(j <= i)) for i in range(6) for j in range(6))
MIDDLE = """path => {
  const at = path.getPointAtLength(path.getTotalLength() * 0.3), on = path.getScreenCTM();
  return [at.x * on.a + on.e, at.y * on.d + on.f];
}"""


def edge(page: Page, source: int, target: int) -> Locator:
    return page.locator(f'[data-testid="graph"] .edge[data-from="{source}"][data-to="{target}"]')


def node(page: Page, at: int) -> Locator:
    return page.locator(f'[data-testid="graph"] .node[data-node="{at}"]').first


def drawn(page: Page, bits: str) -> None:
    """The graph shows these edges, and the server has told their weights."""
    board = page.get_by_test_id("graph").first
    expect(board).to_have_attribute("data-drawn", bits)
    expect(board).to_have_attribute("data-settled", "true")
    settle(page)


def flipped(bits: str, source: int, target: int) -> str:
    at = target * 6 + source
    return bits[:at] + "10"[int(bits[at])] + bits[at + 1 :]


def test_an_edge_lights_its_cell_and_a_cell_its_edge_without_the_server(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/attention-graph")
    drawn(page, CAUSAL)
    with stopped(server):
        page.mouse.move(*edge(page, 3, 5).locator(".reach").evaluate(MIDDLE))
        expect(page.locator('[data-part="focus"] .here')).to_have_attribute(
            "data-cell", "weights.0.5.3"
        )
        focus_cell(page, "weights.0.4.1").hover()
        expect(page.locator(".edge.here")).to_have_count(1)
        expect(edge(page, 1, 4)).to_contain_class("here")
        focus_cell(page, "masked.0.2.0").hover()  # softmax makes a whole row of it
        expect(page.locator(".edge.use")).to_have_count(3)
        edge(page, 0, 2).locator(".reach").dispatch_event("click")
        expect(focus_cell(page, "weights.0.2.0")).to_have_attribute("aria-selected", "true")
    page.wait_for_url("**graph_cell=weights.0.2.0**")


def test_edges_are_gone_through_by_keys_and_chosen(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/attention-graph")
    drawn(page, CAUSAL)
    node(page, 0).focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(edge(page, 1, 4)).to_be_focused()
    expect(edge(page, 1, 4)).to_have_attribute("aria-label", "the reads cat: 0.39")
    expect(page.locator('[data-part="focus"] .here')).to_have_attribute(
        "data-cell", "weights.0.4.1"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**graph_cell=weights.0.4.1**")
    page.keyboard.press("ArrowUp")
    expect(node(page, 4)).to_be_focused()
    page.keyboard.press("Enter")
    expect(choice(page, "graph_node", "5")).to_have_attribute("aria-checked", "true")
    expect(node(page, 4)).to_have_attribute("aria-pressed", "true")


def test_edges_that_are_drawn_by_keys_become_the_mask(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/attention-graph")
    drawn(page, CAUSAL)
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
    assert parse_qs(urlsplit(page.url).query) == {"graph_mask": ["draw"], "graph_drawn": [bits]}
    page = open_page(page.url)
    drawn(page, bits)


def test_an_edge_is_dragged_and_the_painter_of_the_mask_draws_the_same(
    server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/attention-graph?graph_mask=window&graph_size=1")
    window = "".join(str(int(i == j)) for i in range(6) for j in range(6))
    drawn(page, window)
    node(page, 5).hover()
    page.mouse.down()
    node(page, 2).hover()
    node(page, 2).hover()
    page.mouse.up()
    drawn(page, flipped(window, 5, 2))
    choice(page, "graph_mask", "draw")
    page.locator('.strip .phase[data-step="masked"]').click()
    focus_cell(page, "mask.2.5").click()
    drawn(page, window)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_the_graph_fits_and_nodes_can_be_pressed(
    theme: str, server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/attention-graph", width=390, height=844, theme=theme)
    drawn(page, CAUSAL)
    fits(page, 390)
    for at in range(6):
        box = node(page, at).bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    node(page, 2).click()
    expect(choice(page, "graph_node", "3")).to_have_attribute("aria-checked", "true")


def test_what_is_covered_is_not_told_by_an_edge(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/attention-graph?graph_cover=result&graph_threshold=0.3")
    settle(page)
    strokes = page.locator(".graph .stroke")
    expect(strokes).to_have_count(21)  # no threshold: what is left out would tell
    widths = strokes.evaluate_all("all => [...new Set(all.map((p) => p.getAttribute('d') && "
                                  "p.getAttribute('stroke-width')))]")  # fmt: skip
    assert len(widths) == 1
    expect(page.locator(".graph .number text")).to_have_text(["?"] * 21)
    for told in page.locator(".graph .edge").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    ):
        assert told.endswith(": covered")
    expect(page.locator(".st-key-beside_edges")).to_be_hidden()
    choice(page, "cover", "").click()
    expect(strokes).to_have_count(8)
