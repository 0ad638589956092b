"""A graph of two sentences: the tokens of one read those of the other."""

import streamlit as st

from core.attention.setups import ASKING_TEXT
from core.attention.tokens import few_enough, tokenise
from core.chapters.attention_graph.crossing import SIDE, cross_family, cross_program, sides
from core.chapters.attention_graph.messages import EDGES
from ui.chapters.attention_graph.run_graph import THRESHOLDS, edges_of_run, threshold_slider
from ui.components.graph import column_positions, graph
from ui.links.links import Key, Keys, among, short_sentence
from ui.links.session import PERSIST
from ui.page.fold import fold
from ui.page.last_valid import what_works
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, toggle_keys

TEXTS, NAMES = page_texts("attention_graph"), chart_texts("attention_graph")
ASKS = {"graph_asking": TEXTS("the_asking_sentence")}
WIDTHS = (2, 3)
"""Of the graph and of the stage next to it."""
CROSSING_KEYS: Keys = {
    "graph_asking": Key(ASKING_TEXT, short_sentence),
    **toggle_keys(SIDE),
    "graph_cross_threshold": Key(0.0, among(*THRESHOLDS)),
    **exhibit_keys(cross_program(), EDGES, "graph_cross_", 1),
}


@fragment
def draw_crossing(read: str, keys: Keys) -> None:
    """Draw the graph and the run of a sentence whose tokens read those of another, `read`."""
    say(TEXTS("translator"))
    st.text_input(TEXTS("asking_sentence"), key="graph_asking", width=360, **PERSIST)
    asking = what_works(ASKS, keys, lambda graph_asking: few_enough(graph_asking)).made
    family = cross_family(asking, read)
    now = chosen(family)
    side = now[SIDE.key]
    trace, nodes = family.run(**now), sides(asking, read, side)
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
