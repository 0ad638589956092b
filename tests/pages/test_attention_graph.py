"""The chapter on graphs: what its page shows, and what follows from its controls and links."""

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.masks import GALLERY
from tests.masks import sized
from tests.sampling import three
from tests.ui.support import changed, opened_by, stages, told, untouched, warned
from ui.components.graph import circle, column_positions
from ui.stage.painting import size_keys

WORDS = ["The", "cat", "sat", "on", "the", "mat"]
opened = partial(opened_by, "attention_graph")


def boards(page: AppTest) -> list[dict[str, Any]]:
    """What each graph is told."""
    return [shown for (shown,) in told(page, "token_graph")]


def test_the_untouched_page_draws_an_edge_for_each_visible_cell() -> None:
    page = untouched("attention_graph")
    board, shown = boards(page)[0], stages(page)[0]
    assert board["labels"] == WORDS
    pairs = {(line["target"], line["source"]) for line in board["lines"]}
    assert pairs == {(i, j) for i in range(6) for j in range(i + 1)}
    for line in board["lines"]:
        i, j = line["target"], line["source"]
        assert line["cell"] == f"weights.0.{i}.{j}"
        assert line["text"] == shown.texts("weights")[i, j]
        assert line["spoken"] == f"{WORDS[i]} reads {WORDS[j]}"
    widths = [w for _, w in sorted((line["weight"], line["width"]) for line in board["lines"])]
    assert widths == sorted(widths)
    assert shown.step == "message"  # the graph has the weights
    assert not shown.document["ribbons"]


def test_drawn_edges_become_the_mask_of_the_stage_and_travel_in_the_link() -> None:
    bits = "".join(str(int(b)) for b in np.eye(6, dtype=int).ravel())
    page = changed(opened(), graph_drawn=bits, graph_mask="draw")
    assert "".join(stages(page)[0].texts("mask").ravel()) == bits
    assert dict(page.query_params) == {
        "graph_drawn": bits, "graph_mask": "draw", "graph_step": "message",
    }  # fmt: skip
    again = opened(drawn=bits, mask="draw")
    assert boards(again)[0]["drawn"] == bits
    assert (stages(again)[0].texts("weights") == stages(page)[0].texts("weights")).all()


@pytest.mark.parametrize("kind", three([name for name in GALLERY if name != "causal"]))
def test_a_graph_begins_with_a_mask_of_the_gallery(kind: str) -> None:
    page = opened(mask=kind, **dict.fromkeys(size_keys("size", 8), "2"))
    mask = sized(kind, 2).mask(6, 6)
    assert boards(page)[0]["drawn"] == "".join(str(int(bit)) for bit in mask.ravel())


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"text": "a b c d e f g h i", "drawn": "010"}, ["9 tokens", "a square of 0 and 1"]),
        ({"drawn": "0" * 81, "node": "7"}, ["9 tokens; the limit here is 8", "there are 6"]),
        ({"cell": "weights.0.9.9", "node": "<b>", "size": "0"}, ["no cell", "1 to 8"]),
    ],
)
def test_nonsense_in_a_link_is_replaced_and_said(link: dict[str, str], said: list[str]) -> None:
    page = opened(**link)
    assert all(any(one in warning for warning in warned(page)) for one in said)
    assert boards(page)[0]["labels"] == WORDS


def test_another_sentence_keeps_the_edges_between_the_tokens_that_it_has() -> None:
    """As does one that comes from another page; what nobody drew is causal."""
    bits = np.ones((6, 6), int)
    page = opened(drawn="1" * 36, mask="draw", node="2")
    page.text_input(key="graph_text").set_value("red green").run()
    assert boards(page)[0]["drawn"] == "1111"
    assert page.session_state.graph_node == "last"
    page.text_input(key="graph_text").set_value("a b c d e f g").run()
    grown = np.tril(np.ones((7, 7), int))
    grown[:6, :6] = bits
    assert boards(page)[0]["drawn"] == "".join(map(str, grown.ravel()))
    assert not page.warning
    again = opened(drawn="1" * 36, mask="draw", text="a b c d e f g")
    assert boards(again)[0]["drawn"] == boards(page)[0]["drawn"]


@pytest.mark.parametrize(
    ("side", "shape", "idle"),
    [("encoder", (3, 3), {3, 4}), ("decoder", (2, 2), {0, 1, 2}), ("cross", (2, 3), set())],
)
def test_two_sentences_read_one_another(side: str, shape: tuple[int, int], idle: set[int]) -> None:
    page = opened(text="a b c", asking="d e", side=side)
    board = boards(page)[1]
    labels = ["a", "b", "c", "d", "e"]
    assert (board["labels"], set(board["faint"])) == (labels, idle)
    assert stages(page)[1].texts("weights").shape == shape
    asks = {"encoder": "abc"}.get(side, "de")
    gives = {"decoder": "de"}.get(side, "abc")
    pairs = [(a, g) for a in asks for g in gives if side != "decoder" or g <= a]
    drawn = [(labels[line["target"]], labels[line["source"]]) for line in board["lines"]]
    assert drawn == pairs
    assert [line["spoken"] for line in board["lines"]] == [f"{a} reads {g}" for a, g in pairs]


def test_tokens_with_markup_in_them_stay_text() -> None:
    page = opened(text="<b> $x$")
    assert boards(page)[0]["labels"] == ["<", "b", ">", "$₁", "x", "$₂"]
    assert not page.warning
    assert r"\$₂" in " ".join(said.value for said in page.markdown)


def test_places_come_from_the_library_clockwise_from_the_top() -> None:
    places = circle(6)
    assert places[0] == pytest.approx((0, -1), abs=1e-6)
    assert places[1][0] > 0
    turned = np.unwrap([np.arctan2(y, x) for x, y in places])
    np.testing.assert_allclose(np.diff(turned), np.pi / 3, atol=1e-6)
    assert circle(1) == [(0.0, 0.0)]
    for counts in ((6, 3), (3, 8), (1, 1), (8, 8, 8)):
        found, first = column_positions(*counts), 0
        for column, count in enumerate(counts):
            own = found[first : first + count]
            first += count
            assert len({x for x, _ in own}) == 1
            assert [y for _, y in own] == sorted(y for _, y in own)
            assert own[0][0] == pytest.approx(2 * column / (len(counts) - 1) - 1)
    assert column_positions(2, 3)[0] == pytest.approx((-1.0, -0.5))
    assert column_positions(2, 3)[1] == pytest.approx((-1.0, 0.5))


def test_a_layout_loads_no_heavy_library() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import sys, ui.components.graph as g;"
         "assert 'networkx' not in sys.modules;"
         "g.circle(6); g.column_positions(3, 4); assert 'networkx' in sys.modules;"
         "print([m for m in ('scipy', 'torch', 'matplotlib') if m in sys.modules])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.strip() == "[]"
