"""A graph of several layers: which tokens can reach the last one, under each mask."""

import streamlit as st

from core.attention.tokens import SHORT, tokenise
from core.chapters.attention_graph import reach
from core.program.labels import axis_labels, cell_id
from core.program.trace import Trace
from ui.chapters.attention_graph.run_graph import list_tokens
from ui.components.graph import DrawnEdge, column_positions, graph
from ui.links.links import Keys
from ui.page.fold import fold
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.painting import chosen_sizes, mask_sizes, size_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import markdown_table

TEXTS, NAMES = page_texts("attention_graph"), chart_texts("attention_graph")
WIDTHS = (2, 3)
"""Of the graph and of the stage next to it."""
WEIGHT = 0.1
"""The same for every edge: the graph shows which there are, not their weights."""
REACH_KEYS: Keys = {
    **toggle_keys(reach.REACH_MASK, reach.LAYERS),
    **size_keys("graph_reach_size", SHORT),
    **exhibit_keys(reach.reach_program(reach.MOST_LAYERS), "", "graph_reach_", 1, reach.LIKE),
}


@fragment
def draw_reach(text: str, keys: Keys) -> None:
    """Draw the paths that lead to the last token, and the run that counts them."""
    T = len(tokenise(text))
    say(TEXTS("layers"))
    family = reach.reach_family(text, chosen_sizes("graph_reach_size"))
    now = chosen(family)
    mask_sizes("graph_reach_size", SHORT, now[reach.REACH_MASK.key], of_each=True)
    trace, layers = family.run(**now), int(now[reach.LAYERS.key])
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
    for layer, j, i in reach.cone(trace):
        spoken = NAMES("reads_in_layer", query=labels[i], key=labels[j], layer=layer + 1)
        source, target = layer * T + j, (layer + 1) * T + i
        drawn.append(DrawnEdge(source, target, cell_id("A", (i, j)), "", WEIGHT, spoken))
    return drawn


def _say_reach(trace: Trace, layers: int) -> None:
    """Say which tokens can reach the last one through each number of layers."""
    state, fields = st.session_state, reach.field_labels(trace)
    last = list_tokens(axis_labels(trace, "A")[1][-1:])
    say(TEXTS("reach", layers=layers, reached=len(fields[-1]), tokens=len(trace.tokens), last=last))
    if never := reach.unreached(trace):
        say(TEXTS("never", never=list_tokens(never), last=last))
    header = [TEXTS("number_of_layers"), TEXTS("which")]
    rows = [[str(n), ", ".join(field)] for n, field in enumerate(fields, 1)]
    say(markdown_table(header, rows))
    if state[reach.REACH_MASK.key] == "window":
        size, far = state.graph_reach_size, reach.farthest(trace)
        wanted = reach.window_reach(size, layers)
        say(TEXTS("window", size=size, layers=layers, wanted=wanted, far=far, last=last))
