"""Tokens as nodes and weights as edges: one components-v2 component.

An edge is a link to its cell, so that the stage lights the cell as it does for numbers in prose.
The stage tells the graph in the browser which cells it points at. `graph` reports the edges as they
are drawn (a mask, as a text of 0 and 1) and the node that somebody looks at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from ui.components.component import BARS, component
from ui.components.component_events import answer, read_event
from ui.page_texts import chart_texts

WIDEST, NARROWEST = 11.0, 1.2
"""Of an edge whose weight is 1, and of one whose weight is 0."""

_graph = component(
    Path(__file__).with_name("graph.js"), "token_graph", before=BARS, texts=chart_texts("graph")
)


@dataclass(frozen=True)
class DrawnEdge:
    """An edge as it is drawn: between which nodes, its cell on the stage, its number and weight.

    `spoken` is its label for screen readers; `weight` is from 0 to 1.
    """

    source: int
    target: int
    cell: str
    text: str
    weight: float
    spoken: str


@lru_cache(maxsize=32)
def circle(count: int) -> list[tuple[float, float]]:
    """Return places on a circle, from −1 to 1: the first at the top, the others clockwise."""
    import networkx as nx  # here: it takes a tenth of a second, and not every page has a graph

    places = nx.circular_layout(nx.empty_graph(count))
    if count == 1:
        return [(0.0, 0.0)]
    return [(float(places[n][1]), -float(places[n][0])) for n in range(count)]


@lru_cache(maxsize=32)
def column_positions(*counts: int) -> list[tuple[float, float]]:
    """Return places in columns from left to right, from −1 to 1; `counts` are nodes in a column."""
    import networkx as nx

    made, ends = nx.empty_graph(sum(counts)), [0, *accumulate(counts)]
    layers = {at: list(range(*ends[at : at + 2])) for at in range(len(counts))}
    places = nx.multipartite_layout(made, subset_key=layers, align="vertical")
    (left, top), (right, bottom) = (
        [float(end(places[n][axis] for n in made)) for axis in (0, 1)] for end in (min, max)
    )
    across, down = (right - left) or 1.0, (bottom - top) or 1.0
    return [
        (2 * (float(places[n][0]) - left) / across - 1, 2 * (float(places[n][1]) - top) / down - 1)
        for n in made
    ]


def graph(
    key: str,
    labels: Sequence[str],
    places: Sequence[tuple[float, float]],
    lines: Sequence[DrawnEdge],
    stage: str,
    *,
    title: str,
    chosen: int | None = None,
    threshold: float = 0.0,
    drawn: str = "",
    on_drawn: Callable[[str], None] | None = None,
    on_node: Callable[[int], None] | None = None,
    round_about: bool = True,
    within: bool = False,
    faint: Sequence[int] = (),
) -> None:
    """Draw nodes at their places (−1 to 1), and lines between them.

    `stage` is the key of the stage that has the lines' cells. Edges to the `chosen` node stand out;
    a person may choose another node, which `on_node` gets if it is given. Lines of less weight than
    `threshold` are left out. If `drawn` is given, a person may draw edges, and `on_drawn` gets
    them: a digit for each pair of nodes, row by row, 1 if the node of the row reads that of the
    column. With `round_about` the nodes form a circle and lines bend; otherwise they form columns,
    and lines may stay `within` a column. `faint` nodes are drawn lighter.
    """

    def drawn_now() -> None:
        bits = read_event(key, "drawn").get("bits")
        fits = isinstance(bits, str) and len(bits) == len(drawn) and not set(bits) - {"0", "1"}
        if fits and on_drawn:
            on_drawn(str(bits))

    def looked() -> None:
        node = read_event(key, "node").get("node")
        if isinstance(node, int) and 0 <= node < len(labels) and on_node:
            on_node(node)

    data = {
        "title": title,
        "labels": list(labels),
        "places": [list(place) for place in places],
        "lines": [
            vars(line) | {"width": NARROWEST + (WIDEST - NARROWEST) * line.weight} for line in lines
        ],
        "stage": stage,
        "chosen": chosen,
        "looks": on_node is not None,
        "threshold": threshold,
        "drawn": drawn,
        "round": round_about,
        "within": within,
        "faint": list(faint),
        **answer(key),
    }
    _graph(key=key, data=[data], on_drawn_change=drawn_now, on_node_change=looked)
