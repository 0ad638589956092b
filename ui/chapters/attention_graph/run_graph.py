"""The graphs of a page: a run's weights as edges, also of two sentences, and of several layers."""

from collections.abc import Sequence

import streamlit as st

from core.attention.setups import ASKING_TEXT
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.attention_graph import other_graphs as graphs
from core.chapters.attention_graph.messages import EDGES, edges
from core.program.labels import axis_labels, cell_id, listed_names
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.components.graph import DrawnEdge, column_positions, graph
from ui.links.links import Key, Keys, among, short_sentence
from ui.links.session import PERSIST
from ui.page.controls import slide_along
from ui.page.fold import fold
from ui.page.last_valid import what_works
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.painting import chosen_sizes, mask_sizes, size_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown, markdown_table, token_text

TEXTS, NAMES = page_texts("attention_graph"), chart_texts("attention_graph")
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
ASKS = {"graph_asking": TEXTS("the_asking_sentence")}
WIDTHS = (2, 3)
"""Of the graph and of the stage next to it."""
CROSSING_KEYS: Keys = {
    "graph_asking": Key(ASKING_TEXT, short_sentence),
    **toggle_keys(graphs.SIDE),
    "graph_cross_threshold": Key(0.0, among(*THRESHOLDS)),
    **exhibit_keys(graphs.cross_program(), EDGES, "graph_cross_", 1),
}
WEIGHT = 0.1
"""The same for every edge: the graph shows which there are, not their weights."""
REACH_KEYS: Keys = {
    **toggle_keys(graphs.REACH_MASK, graphs.LAYERS),
    **size_keys("graph_reach_size", SHORT),
    **exhibit_keys(graphs.reach_program(graphs.MOST_LAYERS), "", "graph_reach_", 1, graphs.LIKE),
}


def edges_of_run(trace: Trace, gives: Sequence[int], asks: Sequence[int]) -> list[DrawnEdge]:
    """Return the weights of a run as edges between nodes.

    `gives` and `asks` have the node of each key and of each query.
    """
    *_, queries, keys = axis_labels(trace, EDGES)
    drawn = []
    for edge in edges(trace):
        spoken = NAMES("reads_other", query=queries[edge.target], key=keys[edge.source])
        source, target = gives[edge.source], asks[edge.target]
        cell, text = cell_id(EDGES, edge.cell), typeset(edge.text)
        drawn.append(DrawnEdge(source, target, cell, text, edge.weight, spoken))
    return drawn


def threshold_slider(key: str, label: str) -> None:
    """Draw the control below a graph: how weak an edge may be."""
    slide_along(label, THRESHOLDS, key, width=260, format_func="{:.2f}".format)


def list_tokens(labels: Sequence[str]) -> Markdown:
    """Return labels of tokens as a sentence lists them, each set off."""
    return Markdown(listed_names([token_text(label) for label in labels]))


@fragment
def draw_crossing(read: str, keys: Keys) -> None:
    """Draw the graph and the run of a sentence whose tokens read those of another, `read`."""
    say(TEXTS("translator"))
    st.text_input(TEXTS("asking_sentence"), key="graph_asking", width=360, **PERSIST)
    asking = what_works(ASKS, keys, lambda graph_asking: few_enough(graph_asking)).made
    family = graphs.cross_family(asking, read)
    now = chosen(family)
    side = now[graphs.SIDE.key]
    trace, nodes = family.run(**now), graphs.sides(asking, read, side)
    n_queries, n_keys = trace[EDGES].shape[1:]
    board, exhibit = st.columns(WIDTHS)
    with board:
        graph(
            "graph_cross_board",
            nodes.labels,
            column_positions(nodes.encoder, len(nodes.labels) - nodes.encoder),
            edges_of_run(trace, nodes.gives, nodes.asks),
            "graph_cross_stage",
            title=NAMES("cross_board"),
            chosen=nodes.asks[-1],
            threshold=st.session_state.graph_cross_threshold,
            round_about=False,
            within=True,
            faint=nodes.idle,
        )
        threshold_slider("graph_cross_threshold", TEXTS("hide_cross_below"))
    with exhibit:
        draw_exhibit(trace, (EDGES, (0, n_queries - 1, 0)), keys, "graph_cross_", family=family)
    say(TEXTS("who_reads", side=side))
    say(TEXTS("matrix_size", queries=n_queries, keys=n_keys))
    with fold(TEXTS("more"), "sides", keys):
        if side == "cross":
            say(TEXTS("same_sentence", same=tokenise(asking) == tokenise(read)))
        say(TEXTS("cross_more"))


@fragment
def draw_reach(text: str, keys: Keys) -> None:
    """Draw the paths that lead to the last token, and the run that counts them."""
    T = len(tokenise(text))
    say(TEXTS("layers"))
    family = graphs.reach_family(text, chosen_sizes("graph_reach_size"))
    now = chosen(family)
    mask_sizes("graph_reach_size", SHORT, now[graphs.REACH_MASK.key], of_each=True)
    trace, layers = family.run(**now), int(now[graphs.LAYERS.key])
    labels, last = axis_labels(trace, "A")[1], (layers + 1) * T - 1
    lines = _edges_to_last(trace)
    reached = {line.source for line in lines} | {last}
    board, exhibit = st.columns(WIDTHS)
    with board, st.container(key="beside_reach"):  # what stands out in it is what may be covered
        graph(
            "graph_reach_board",
            labels * (layers + 1),
            column_positions(*[T] * (layers + 1)),
            lines,
            "graph_reach_stage",
            title=NAMES("reach_board"),
            chosen=last,
            round_about=False,
            faint=[n for n in range(last + 1) if n not in reached],
        )
        _say_reach(trace, layers)
    with exhibit:
        draw_exhibit(
            trace,
            lambda run: (run.program.steps[-1].name, (T - 1, 0)),
            keys,
            "graph_reach_",
            family=family,
        )
    say(TEXTS("inductive_bias"))
    with fold(TEXTS("more"), "paths", keys):
        say(TEXTS("reach_more"))


def _edges_to_last(trace: Trace) -> list[DrawnEdge]:
    """The edges on paths to the last token; each layer leads from one column to the next."""
    labels = axis_labels(trace, "A")[1]
    T = len(labels)
    drawn = []
    for layer, j, i in graphs.cone(trace):
        spoken = NAMES("reads_in_layer", query=labels[i], key=labels[j], layer=layer + 1)
        source, target = layer * T + j, (layer + 1) * T + i
        drawn.append(DrawnEdge(source, target, cell_id("A", (i, j)), "", WEIGHT, spoken))
    return drawn


def _say_reach(trace: Trace, layers: int) -> None:
    """Say which tokens can reach the last one through each number of layers."""
    state, fields = st.session_state, graphs.field_labels(trace)
    last = list_tokens(axis_labels(trace, "A")[1][-1:])
    say(TEXTS("reach", layers=layers, reached=len(fields[-1]), tokens=len(trace.tokens), last=last))
    if never := graphs.unreached(trace):
        say(TEXTS("never", never=list_tokens(never), last=last))
    header = [TEXTS("number_of_layers"), TEXTS("which")]
    rows = [[str(n), ", ".join(field)] for n, field in enumerate(fields, 1)]
    say(markdown_table(header, rows))
    if state[graphs.REACH_MASK.key] == "window":
        size, far = state.graph_reach_size, graphs.farthest(trace)
        wanted = graphs.window_reach(size, layers)
        say(TEXTS("window", size=size, layers=layers, wanted=wanted, far=far, last=last))
