"""Who talks to whom?

Tokens are nodes and weights are edges: attention passes messages on a graph, and a mask draws it.
"""

from collections.abc import Sequence

import streamlit as st

from core.attention.chosen_token import (
    LAST,
    any_token_toggle,
    position_of,
    settled_choice,
    token_toggle,
)
from core.attention.setups import ASKING_TEXT, DEFAULT_TEXT
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.attention_graph.crossing import (
    SIDE,
    cross_family,
    cross_program,
    sides,
)
from core.chapters.attention_graph.messages import (
    DRAWN,
    EDGES,
    MASK,
    NODE,
    bits_of,
    edges,
    graph_family,
    message_error,
    message_program,
    node,
)
from core.chapters.attention_graph.reach import (
    LAYERS,
    LIKE,
    MOST_LAYERS,
    REACH_MASK,
    cone,
    farthest,
    field_labels,
    reach_family,
    reach_program,
    unreached,
    window_reach,
)
from core.program.labels import axis_labels, cell_id, listed_names
from core.program.rounding import cell_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.graph import DrawnEdge, circle, column_positions, graph
from ui.last_valid import link_that_fits, what_works
from ui.links import SENTENCE_KEY, Key, Keys, among, one_of, short_sentence
from ui.page_texts import chart_texts, page_texts
from ui.painting import chosen_sizes, mask_bits, mask_sizes, paint, painted_mask, size_keys
from ui.path_navigation import page_footer
from ui.prose import cell_number, say, say_drawn
from ui.session import PERSIST, open_link, save_link, say_messages, set_if_changed
from ui.text import Markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys

TEXTS = page_texts("attention_graph")
NAMES = chart_texts("attention_graph")
DRAWN_BITS = "graph_drawn"
WIDTHS = (2, 3)  # of a graph and of the stage next to it
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
ANY = message_program(None, 0, 2)
FITTING = {NODE: TEXTS("the_node"), "graph_text": TEXTS("the_sentence")}
PARTS = {"cross": TEXTS("two_sentences"), "reach": TEXTS("several_layers")}
ASKS = {"graph_asking": TEXTS("the_asking_sentence")}

KEYS: Keys = {
    "graph_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    **toggle_keys(MASK, any_token_toggle(NODE, SHORT)),
    **size_keys("graph_size", SHORT),
    "graph_threshold": Key(0.0, among(*THRESHOLDS)),
    DRAWN_BITS: Key("", mask_bits(SHORT)),
    **exhibit_keys(ANY, EDGES, "graph_", 1),
    "graph_part": Key("cross", one_of(*PARTS)),
    "graph_asking": Key(ASKING_TEXT, short_sentence),
    **toggle_keys(SIDE),
    "graph_cross_threshold": Key(0.0, among(*THRESHOLDS)),
    **exhibit_keys(cross_program(), EDGES, "graph_cross_", 1),
    **toggle_keys(REACH_MASK, LAYERS),
    **size_keys("graph_reach_size", SHORT),
    **exhibit_keys(reach_program(MOST_LAYERS), "", "graph_reach_", 1, LIKE),
}


def keep_drawn(bits: str) -> None:
    """Somebody drew an edge: from here on the mask is what is drawn."""
    st.session_state.update({DRAWN_BITS: bits, MASK.key: DRAWN})


def hide_below(key: str) -> None:
    """Under a graph: how weak an edge may be."""
    st.select_slider(
        TEXTS("hide_below"), THRESHOLDS, key=key, width=260, format_func="{:.2f}".format, **PERSIST
    )


def lines_of(trace: Trace, gives: Sequence[int], asks: Sequence[int]) -> list[DrawnEdge]:
    """The edges of a run as the graph draws them, between the nodes of its keys and queries."""
    *_, queries, keys = axis_labels(trace, EDGES)
    return [
        DrawnEdge(
            gives[edge.source], asks[edge.target], cell_id(EDGES, edge.cell), typeset(edge.text),
            edge.weight,
            NAMES("reads_other", query=queries[edge.target], key=keys[edge.source]),
        )
        for edge in edges(trace)
    ]  # fmt: skip


@fragment
def talking(text: str) -> None:
    """The graph of a sentence, the run on the stage, and what one node reads."""
    state, T = st.session_state, len(tokenise(text))
    family = graph_family(text, chosen_sizes("graph_size"), painted_mask(DRAWN_BITS, T))
    now = chosen(family)
    trace = family.run(**now)
    position = position_of(now, NODE, text)
    labels = axis_labels(trace, EDGES)[2]
    with st.container(key="masked_board"):  # a mask that is covered is not told by its edges
        graph(
            "graph_board",
            labels,
            circle(T),
            lines_of(trace, range(T), range(T)),
            "graph_stage",
            title=NAMES("board"),
            chosen=position,
            threshold=state.graph_threshold,
            drawn=bits_of(trace),
            on_drawn=keep_drawn,
            on_node=lambda at: set_if_changed(**{NODE: settled_choice(str(at + 1), text)}),
            matrix=True,
        )
    say(TEXTS("try"))
    with st.container(key="beside_edges"):
        say_edges(trace, position)
    draw_exhibit(
        trace, (EDGES, (0, T - 1, 0)), KEYS, "graph_", family=family,
        on_paint=lambda stroke: paint(DRAWN_BITS, T, stroke),
    )  # fmt: skip
    with st.container(horizontal=True):
        hide_below("graph_threshold")
        mask_sizes("graph_size", SHORT, now[MASK.key])
    say_messages_of(trace, position)
    say_drawn(trace)


def say_edges(trace: Trace, position: int) -> None:
    """How many edges there are, and where those of one node come from."""
    every, seen = edges(trace), node(trace, position)
    threshold = st.session_state.graph_threshold
    strong = sum(edge.weight >= threshold for edge in every)
    counts = {"edges": len(every), "possible": trace["mask"].size, "strong": strong}
    say(TEXTS("edges", threshold=f"{threshold:.2f}" if threshold else "", **counts))
    say(TEXTS("reads", token=tokens([seen.label]), reads=tokens(seen.reads)))


def say_messages_of(trace: Trace, position: int) -> None:
    """What the node's messages add up to, and its row of the matrix form."""
    token, gap = tokens([node(trace, position).label]), message_error(trace)
    numbers = [cell_number(trace, "y_i", (0, 0, v)) for v in range(trace["y_i"].shape[-1])]
    say(TEXTS("messages", token=token, numbers=Markdown(listed_names(numbers))))
    with st.container(key="beside_same"):
        say(TEXTS("same", token=token, gap=typeset(cell_text(gap)) if gap else ""))


def tokens(labels: Sequence[str]) -> Markdown:
    """Return labels of tokens as a sentence lists them, each set off."""
    return Markdown(listed_names([token_text(label) for label in labels]))


@fragment
def part_tabs(text: str) -> None:
    """Graphs of other forms, one at a time."""
    st.segmented_control(
        TEXTS("other_graphs"), PARTS, key="graph_part", required=True,
        format_func=PARTS.__getitem__, label_visibility="collapsed", **PERSIST,
    )  # fmt: skip
    {"cross": crossing, "reach": reaching}[st.session_state.graph_part](text)
    save_link(KEYS)


@fragment
def crossing(read: str) -> None:
    """Two sentences: the tokens of one read those of the other."""
    say(TEXTS("translator"))
    st.text_input(TEXTS("asking_sentence"), key="graph_asking", width=360, **PERSIST)
    asking = what_works(ASKS, KEYS, lambda graph_asking: few_enough(graph_asking)).made
    family = cross_family(asking, read)
    now = chosen(family)
    trace, nodes = family.run(**now), sides(asking, read, now[SIDE.key])
    n_queries, n_keys = trace[EDGES].shape[1:]
    board, exhibit = st.columns(WIDTHS)
    with board:
        graph(
            "graph_cross_board", nodes.labels,
            column_positions(nodes.encoder, len(nodes.labels) - nodes.encoder),
            lines_of(trace, nodes.gives, nodes.asks), "graph_cross_stage",
            title=NAMES("cross_board"), chosen=nodes.asks[-1],
            threshold=st.session_state.graph_cross_threshold, round_about=False, within=True,
            faint=nodes.idle,
        )  # fmt: skip
        hide_below("graph_cross_threshold")
    with exhibit:
        draw_exhibit(trace, (EDGES, (0, n_queries - 1, 0)), KEYS, "graph_cross_", family=family)
    side = now[SIDE.key]
    say(TEXTS("who_reads", side=side))
    say(TEXTS("matrix_size", queries=n_queries, keys=n_keys))
    with fold(TEXTS("more"), "sides", KEYS):
        if side == "cross":
            say(TEXTS("same_sentence", same=tokenise(asking) == tokenise(read)))
        say(TEXTS("cross_more"))


@fragment
def reaching(text: str) -> None:
    """Which tokens can reach the last one through several layers, under each mask."""
    T = len(tokenise(text))
    say(TEXTS("layers"))
    family = reach_family(text, chosen_sizes("graph_reach_size"))
    now = chosen(family)
    mask_sizes("graph_reach_size", SHORT, now[REACH_MASK.key])
    trace, layers = family.run(**now), int(now[LAYERS.key])
    labels, kept = axis_labels(trace, "A")[1], cone(trace)
    lines = [
        DrawnEdge(
            layer * T + j, (layer + 1) * T + i, cell_id("A", (i, j)), "", 0.1,
            NAMES("reads_in_layer", query=labels[i], key=labels[j], layer=layer + 1),
        )
        for layer, j, i in kept
    ]  # fmt: skip
    reached = {layer * T + j for layer, j, _ in kept} | {(layers + 1) * T - 1}
    board, exhibit = st.columns(WIDTHS)
    with board, st.container(key="beside_reach"):  # what stands out in it is what may be covered
        graph(
            "graph_reach_board",
            labels * (layers + 1),
            column_positions(*[T] * (layers + 1)),
            lines,
            "graph_reach_stage",
            title=NAMES("reach_board"),
            chosen=(layers + 1) * T - 1,
            round_about=False,
            faint=[n for n in range((layers + 1) * T) if n not in reached],
        )
        say_reach(trace, layers)
    with exhibit:
        draw_exhibit(
            trace, lambda run: (run.program.steps[-1].name, (T - 1, 0)), KEYS, "graph_reach_",
            family=family,
        )  # fmt: skip
    say(TEXTS("inductive_bias"))
    with fold(TEXTS("more"), "paths", KEYS):
        say(TEXTS("reach_more"))


def say_reach(trace: Trace, layers: int) -> None:
    """Which tokens can reach the last one through each number of layers."""
    state, fields = st.session_state, field_labels(trace)
    last = tokens(axis_labels(trace, "A")[1][-1:])
    say(TEXTS("reach", layers=layers, reached=len(fields[-1]), tokens=len(trace.tokens), last=last))
    if never := unreached(trace):
        say(TEXTS("never", never=tokens(never), last=last))
    header = [TEXTS("number_of_layers"), TEXTS("which")]
    rows = [[str(n), ", ".join(field)] for n, field in enumerate(fields, 1)]
    say(markdown_table(header, rows))
    if state[REACH_MASK.key] == "window":
        size, far = state.graph_reach_size, farthest(trace)
        wanted = window_reach(size, layers)
        say(TEXTS("window", size=size, layers=layers, wanted=wanted, far=far, last=last))


def fits(graph_text: str, graph_node: str) -> str:
    """The sentence, where it is short and the node is its own. Raises `InputError`."""
    few_enough(graph_text)
    token_toggle(NODE, graph_text).check(settled_choice(graph_node, graph_text))
    return graph_text


frame("attention_graph", TEXTS("lede"))
open_link("attention_graph", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input(
    TEXTS("sentence"),
    key="graph_text",
    width=360,
    on_change=lambda: set_if_changed(**{NODE: LAST}),
    **PERSIST,
)
SHOWN = what_works(FITTING, KEYS, fits).made
st.session_state[NODE] = settled_choice(st.session_state[NODE], SHOWN)
talking(SHOWN)
with fold(TEXTS("reading_title"), "reading", KEYS):
    say(TEXTS("reading"))
st.header(TEXTS("other_graphs"), anchor=False)
part_tabs(SHOWN)
ask_each("attention_graph")
in_code(
    message_program,
    cross_program,
    reach_program,
    origin=TEXTS("origin"),
    step="weights",
    exhibit="graph_",
)
page_footer("attention_graph", TEXTS("takeaway"))
save_link(KEYS)
