"""Who talks to whom?

Tokens are nodes and weights are edges: attention passes messages on a graph, and a mask draws it.
"""

from collections.abc import Sequence

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, position_of, settled, token_toggle
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
    apart,
    bits_of,
    edges,
    graph_family,
    message_program,
    node,
)
from core.chapters.attention_graph.questions import GRAPH_QUESTIONS
from core.chapters.attention_graph.reach import (
    LAYERS,
    LIKE,
    MOST_LAYERS,
    cone,
    farthest,
    field_labels,
    reach_family,
    reach_program,
    unreached,
    window_reach,
)
from core.chapters.attention_graph.reach import MASK as REACH_MASK
from core.program.labels import axis_labels, cell_id, listed
from core.program.rounding import cell_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.graph import Line, circle, columns, graph
from ui.links import SENTENCE, Key, Keys, among, one_of, short_sentence, whole
from ui.painting import mask_bits, mask_size, paint, painted_mask
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

DRAWN_BITS = "graph_drawn"
BESIDE = (2, 3)  # shares of a graph and of the stage beside it
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
ANY = message_program(None, 0, 2)
FITTING = {NODE: "the node", "graph_text": "the sentence"}
PARTS = {"cross": "Two sentences", "reach": "Several layers"}
ASKS = {"graph_asking": "the sentence that asks"}
WHO_READS = {
    "encoder": "In the encoder every token reads every token of its sentence, later ones too: keys "
    "and values are of the sentence that asks. That is self-attention, and nothing is hidden.",
    "decoder": "In the decoder a token reads itself and what stands before it: self-attention "
    "under the causal mask, for what comes later is still to be written.",
    "cross": "The query comes from the decoder, keys and values from the encoder. No edge stays on "
    "one side: such a graph is called bipartite. With the same sentence on both sides it would be "
    "self-attention without a mask.",
}

KEYS: Keys = {
    "graph_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(MASK, any_token_toggle(NODE, SHORT)),
    "graph_size": Key(3, whole(1, SHORT)),
    "graph_threshold": Key(0.0, among(*THRESHOLDS)),
    DRAWN_BITS: Key("", mask_bits(SHORT)),
    **exhibit_keys(ANY, EDGES, "graph_", 1),
    "graph_part": Key("cross", one_of(*PARTS)),
    "graph_asking": Key(ASKING_TEXT, short_sentence),
    **toggle_keys(SIDE),
    "graph_cross_threshold": Key(0.0, among(*THRESHOLDS)),
    **exhibit_keys(cross_program(), EDGES, "graph_cross_", 1),
    **toggle_keys(REACH_MASK, LAYERS),
    "graph_reach_size": Key(3, whole(1, SHORT)),
    **exhibit_keys(reach_program(MOST_LAYERS), "", "graph_reach_", 1, LIKE),
}


def keep_drawn(bits: str) -> None:
    """Somebody drew an edge: from here on the mask is what is drawn."""
    st.session_state.update({DRAWN_BITS: bits, MASK.key: DRAWN})


def hide_below(key: str) -> None:
    """Under a graph: how weak an edge may be."""
    st.select_slider(
        "Hide edges below", THRESHOLDS, key=key, width=260, format_func="{:.2f}".format, **KEPT
    )


def lines_of(trace: Trace, gives: Sequence[int], asks: Sequence[int]) -> list[Line]:
    """The edges of a run as the graph draws them, between the nodes of its keys and queries."""
    *_, queries, keys = axis_labels(trace, EDGES)
    return [
        Line(
            gives[edge.source], asks[edge.target], cell_id(EDGES, edge.cell), typeset(edge.text),
            edge.weight, f"{queries[edge.target]} reads {keys[edge.source]}",
        )
        for edge in edges(trace)
    ]  # fmt: skip


@fragment
def talking(text: str) -> None:
    """The graph of a sentence, the run on the stage, and what comes to one node."""
    state, T = st.session_state, len(tokenise(text))
    family = graph_family(text, state.graph_size, painted_mask(DRAWN_BITS, T))
    now = chosen(family)
    trace = family.run(**now)
    position = position_of(now, NODE, text)
    labels = axis_labels(trace, EDGES)[2]
    with st.container(key="masked_board"):  # a mask that is covered is not told by its edges
        graph(
            "graph_board", labels, circle(T), lines_of(trace, range(T), range(T)), "graph_stage",
            title="Tokens, and an arrow from each token that is read to the one that reads it",
            chosen=position, threshold=state.graph_threshold, drawn=bits_of(trace),
            on_drawn=keep_drawn, on_node=lambda at: put(**{NODE: settled(str(at + 1), text)}),
            matrix=True,
        )  # fmt: skip
    say(
        "**Try it.** Point at an edge: its cell of the matrix lights up. Draw an edge or take one "
        "away, and the mask follows."
    )
    with st.container(key="beside_edges"):
        say_edges(trace, position)
    draw_exhibit(
        trace, (EDGES, (0, T - 1, 0)), KEYS, "graph_", family=family,
        on_paint=lambda stroke: paint(DRAWN_BITS, T, stroke),
    )  # fmt: skip
    with st.container(horizontal=True):
        hide_below("graph_threshold")
        mask_size("graph_size", SHORT, now[MASK.key])
    say_messages_of(trace, position)
    say_drawn(trace)


def say_edges(trace: Trace, position: int) -> None:
    """How many edges there are, and where those of one node come from."""
    every, seen = edges(trace), node(trace, position)
    threshold = st.session_state.graph_threshold
    say(f"**Edges:** {len(every)} of {trace['mask'].size} possible.")
    if threshold:
        strong = sum(edge.weight >= threshold for edge in every)
        say(f"Of weight {threshold:.2f} or more: {strong}.")
    token = token_text(seen.label)
    if not seen.reads:
        say(f"No edge leads to {token}: it reads nothing, and its row of weights is 0.")
        return
    reads = listed([token_text(label) for label in seen.reads])
    say(f"{token} reads {reads}.")


def say_messages_of(trace: Trace, position: int) -> None:
    """What the node's messages add up to, beside the matrix form."""
    seen = node(trace, position)
    token, gap = token_text(seen.label), apart(trace)
    numbers = listed([cell_number(trace, "y_i", (0, 0, v)) for v in range(trace["y_i"].shape[-1])])
    same = (
        f"differs by {typeset(cell_text(gap))} at most: floats are added in another order"
        if gap
        else "is the same, bit for bit"
    )
    count = len(seen.reads)
    said = "message" if count == 1 else "messages"
    with st.container(key="beside_count"):
        say(f"**What comes to {token}.** {count} {said}.")
    say(f"Together: {numbers}.")
    with st.container(key="beside_same"):
        say(f"Its row of the matrix form {same}.")


@fragment
def parts(text: str) -> None:
    """Graphs of other forms, one at a time."""
    st.segmented_control(
        "Other graphs", PARTS, key="graph_part", required=True, format_func=PARTS.__getitem__,
        label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    {"cross": crossing, "reach": reaching}[st.session_state.graph_part](text)
    save_link(KEYS)


@fragment
def crossing(read: str) -> None:
    """Two sentences: the tokens of one read those of the other."""
    say(
        "In a translator the [encoder](#term-encoder) reads the sentence to translate, every token "
        "every other. The [decoder](#term-decoder) writes the translation; each of its tokens "
        "reads its own sentence under the [causal](#term-causal) mask, and then the encoder's: "
        "this is [cross-attention](#term-cross-attention)."
    )
    st.text_input("The sentence that asks", key="graph_asking", width=360, **KEPT)
    asking = what_works(ASKS, KEYS, lambda graph_asking: few_enough(graph_asking)).made
    family = cross_family(asking, read)
    now = chosen(family)
    trace, nodes = family.run(**now), sides(asking, read, now[SIDE.key])
    n_queries, n_keys = trace[EDGES].shape[1:]
    board, exhibit = st.columns(BESIDE)
    with board:
        graph(
            "graph_cross_board", nodes.labels,
            columns(nodes.encoder, len(nodes.labels) - nodes.encoder),
            lines_of(trace, nodes.gives, nodes.asks), "graph_cross_stage",
            title="On the left the tokens of the encoder, on the right those of the decoder",
            chosen=nodes.asks[-1], threshold=st.session_state.graph_cross_threshold,
            round_about=False, within=True, faint=nodes.idle,
        )  # fmt: skip
        hide_below("graph_cross_threshold")
        say_drawn(trace)
    with exhibit:
        draw_exhibit(trace, (EDGES, (0, n_queries - 1, 0)), KEYS, "graph_cross_", family=family)
    say(
        "**What to notice.** "
        + WHO_READS[now[SIDE.key]]
        + f" The matrix of weights is $L_q \\times L_k$, here {n_queries} × {n_keys}: a row for "
        "each token that asks, a column for each that is read. "
        + (
            "Both sentences are the same here, so this is self-attention without a mask, number "
            "for number. "
            if now[SIDE.key] == "cross" and tokenise(asking) == tokenise(read)
            else ""
        )
        + "All three are drawn here with the same matrices, straight from the "
        "[embeddings](#term-embedding); a model learns matrices for each, and the decoder reads "
        "what the encoder's last layer made."
    )


@fragment
def reaching(text: str) -> None:
    """What can come to the last token through several layers, under each mask."""
    state, T = st.session_state, len(tokenise(text))
    say(
        "A model has many layers, and each passes messages along the same edges. So something of "
        "a token can come to another that may not read it, by way of a third. Which tokens can "
        "reach one so is called its [receptive field](#term-receptive-field)."
    )
    family = reach_family(text, state.graph_reach_size)
    now = chosen(family)
    mask_size("graph_reach_size", SHORT, now[REACH_MASK.key])
    trace, layers = family.run(**now), int(now[LAYERS.key])
    labels, kept = axis_labels(trace, "A")[1], cone(trace)
    lines = [
        Line(
            layer * T + j, (layer + 1) * T + i, cell_id("A", (i, j)), "", 0.1,
            f"{labels[i]} reads {labels[j]} in layer {layer + 1}",
        )
        for layer, j, i in kept
    ]  # fmt: skip
    reached = {layer * T + j for layer, j, _ in kept} | {(layers + 1) * T - 1}
    board, exhibit = st.columns(BESIDE)
    with board, st.container(key="beside_reach"):  # what stands out in it is what may be covered
        graph(
            "graph_reach_board", labels * (layers + 1), columns(*[T] * (layers + 1)), lines,
            "graph_reach_stage",
            title="From left to right the tokens before the first layer, and after each",
            chosen=(layers + 1) * T - 1, round_about=False,
            faint=[n for n in range((layers + 1) * T) if n not in reached],
        )  # fmt: skip
        last = token_text(labels[-1])
        say(f"**What can come to {last}**, through so many layers:")
        rows = [
            [str(n), str(len(field)), ", ".join(field)]
            for n, field in enumerate(field_labels(trace), 1)
        ]
        say(markdown_table(["layers", "how many", "tokens"], rows))
        if now[REACH_MASK.key] == "window":
            far, width = farthest(trace), state.graph_reach_size
            wanted = window_reach(width, layers)
            say(
                f"**A window of {width} through {layers} layers** reaches {layers} × ({width} − 1) "
                f"= {wanted} back" + ("." if far == wanted else f"; here there are only {far}.")
            )
        if never := unreached(trace):
            named = listed([token_text(label) for label in never])
            say(f"No path leads from {named} to {last}, however many layers there are.")
    with exhibit:
        draw_exhibit(
            trace, lambda run: (run.program.steps[-1].name, (T - 1, 0)), KEYS, "graph_reach_",
            family=family,
        )  # fmt: skip
    say(
        "**What to notice.** Where a number is 0, nothing can come from that token, whatever the "
        "weights are. Where it is larger than 1, there are several ways. A mask with few edges "
        "saves work where hidden pairs are left out, and layers can reach what one of them cannot, "
        "where a path leads there. Blocks never meet, and the dilated mask, with the same stride "
        "in every layer, never leaves its own places. A model with a window begins with what is "
        "near: this is called an "
        "[inductive bias](#term-inductive-bias)."
    )


def fits(graph_text: str, graph_node: str) -> str:
    """The sentence, where it is short and the node is its own. Raises `InputError`."""
    few_enough(graph_text)
    token_toggle(NODE, graph_text).check(settled(graph_node, graph_text))
    return graph_text


frame(
    "attention_graph",
    "Attention as a graph: who talks to whom?",
    "Each [token](#term-token) is a node of a [graph](#term-graph). Where a token may read another "
    "there is an [edge](#term-edge), and along it comes a [message](#term-message): a "
    "[value](#term-value) times a [weight](#term-weight). So a [mask](#term-mask) is a graph, and "
    "[attention](#term-attention) works on any graph.",
)
open_link("attention_graph", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input(
    "Sentence", key="graph_text", width=360, on_change=lambda: put(**{NODE: LAST}), **KEPT
)
SHOWN = what_works(FITTING, KEYS, fits).made
st.session_state[NODE] = settled(st.session_state[NODE], SHOWN)
talking(SHOWN)
with fold("How to read the graph and its matrix", "reading", KEYS):
    say(
        "An arrow runs the way of the message: from the token that is read (its "
        "[key](#term-key)) to the token that reads (its [query](#term-query)). A matrix says it "
        "the other way round: the row is the token that reads. An edge that leads back to its own "
        "token is a self-loop. The weights on the edges that lead to a token add up to 1, or there "
        "is no such edge. Where one is taken away, the other edges to the same token share what is "
        "left."
    )
st.header("Other graphs", anchor=False)
parts(SHOWN)
ask_each(GRAPH_QUESTIONS, "graph")
in_code(
    message_program,
    cross_program,
    reach_program,
    origin="Messages on graphs: Gilmer et al. (2017). Attention on the edges of a graph: "
    "Veličković et al., *Graph attention networks* (2018). With an edge from every token to every "
    "token it is the attention of Vaswani et al. (2017).",
    step="weights",
    exhibit="graph_",
)
way_on(
    "attention_graph",
    "Attention passes messages along the edges of a graph: each node adds up the values that come, "
    "each times its weight. The mask is the graph, and the product of weights and V computes every "
    "node at once.",
)
save_link(KEYS)
