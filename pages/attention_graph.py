"""Who talks to whom?

Tokens are nodes and weights are edges: attention passes messages on a graph, and a mask draws it.
"""

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, position_of, settled, token_toggle
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.attention_graph.crossing import ASKING_TEXT, cross, cross_program
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
from ui.frame import frame
from ui.graph import Line, circle, columns, graph
from ui.links import SENTENCE, Key, Keys, among, one_of, short_sentence, whole
from ui.painting import any_mask_bits, paint, painted_mask
from ui.path import way_on
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys

DRAWN_BITS = "graph_drawn"
BESIDE = (2, 3)  # shares of a graph and of the stage beside it
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
ANY = message_program(None, 0, 2)
FITTING = {NODE: "the node", DRAWN_BITS: "the drawn edges", "graph_text": "the sentence"}
PARTS = {"cross": "Two sentences", "reach": "Several layers"}
ASKS = {"graph_asking": "the sentence that asks"}


KEYS: Keys = {
    "graph_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(MASK, any_token_toggle(NODE)),
    "graph_size": Key(3, whole(1, SHORT)),
    "graph_threshold": Key(0.0, among(*THRESHOLDS)),
    DRAWN_BITS: Key("", any_mask_bits(SHORT)),
    **exhibit_keys(ANY, EDGES, "graph_", 1),
    "graph_part": Key("cross", one_of(*PARTS)),
    "graph_asking": Key(ASKING_TEXT, short_sentence),
    "graph_cross_threshold": Key(0.0, among(*THRESHOLDS)),
    **exhibit_keys(cross_program(), EDGES, "graph_cross_", 1),
    **toggle_keys(REACH_MASK, LAYERS),
    "graph_reach_size": Key(3, whole(1, SHORT)),
    **exhibit_keys(reach_program(MOST_LAYERS), "", "graph_reach_", 1, LIKE),
}


def anew() -> None:
    """Another sentence has other nodes, and no edge is drawn between them yet."""
    put(**{DRAWN_BITS: "", NODE: LAST})
    if st.session_state[MASK.key] == DRAWN:
        st.session_state[MASK.key] = MASK.default


def keep_drawn(bits: str) -> None:
    """Somebody drew an edge: from here on the mask is what is drawn."""
    st.session_state.update({DRAWN_BITS: bits, MASK.key: DRAWN})


def hide_below(key: str) -> None:
    """Under a graph: how weak an edge may be."""
    st.select_slider(
        "Hide edges below", THRESHOLDS, key=key, width=260, format_func="{:.2f}".format, **KEPT
    )


def lines_of(trace: Trace, first: int = 0) -> list[Line]:
    """The edges of a run as the graph draws them; queries are the nodes from the `first` on."""
    *_, queries, keys = axis_labels(trace, EDGES)
    return [
        Line(
            edge.source, first + edge.target, cell_id(EDGES, edge.cell), typeset(edge.text),
            edge.weight, f"{queries[edge.target]} reads {keys[edge.source]}",
        )
        for edge in edges(trace)
    ]  # fmt: skip


@st.fragment
def talking(text: str) -> None:
    """The graph of a sentence, the run on the stage, and what comes to one node."""
    state, T = st.session_state, len(tokenise(text))
    family = graph_family(text, state.graph_size, painted_mask(DRAWN_BITS, T))
    now = chosen(family)
    trace = family.run(**now)
    position = position_of(now, NODE, text)
    labels = axis_labels(trace, EDGES)[2]
    board, exhibit = st.columns(BESIDE)
    with board:
        with st.container(key="masked_board"):  # a mask that is covered is not told by its edges
            graph(
                "graph_board", labels, circle(T), lines_of(trace), "graph_stage",
                title="Tokens, and an arrow from each token that is read to the one that reads it",
                chosen=position, threshold=state.graph_threshold, drawn=bits_of(trace),
                on_drawn=keep_drawn,
                on_node=lambda at: put(**{NODE: settled(str(at + 1), text)}),
            )  # fmt: skip
        with st.container(horizontal=True):
            hide_below("graph_threshold")
            st.slider(
                "Size, where the mask has one", 1, SHORT, key="graph_size", width=260, **KEPT
            )  # fmt: skip
        with st.container(key="beside_edges"):
            say_edges(trace, position)
        say_messages_of(trace, position)
        say_drawn(trace)
    with exhibit:
        draw_exhibit(
            trace, (EDGES, (0, T - 1, 0)), KEYS, "graph_", family=family,
            on_paint=lambda stroke: paint(DRAWN_BITS, T, stroke),
        )  # fmt: skip


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


@st.fragment
def parts(text: str) -> None:
    """Graphs of other forms, one at a time."""
    st.segmented_control(
        "Other graphs", PARTS, key="graph_part", required=True, format_func=PARTS.__getitem__,
        label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    {"cross": crossing, "reach": reaching}[st.session_state.graph_part](text)
    save_link(KEYS)


@st.fragment
def crossing(read: str) -> None:
    """Two sentences: the tokens of one read those of the other."""
    say(
        "In a translator the [encoder](#term-encoder) reads the sentence to translate, every token "
        "every other. The [decoder](#term-decoder) writes the translation; each of its tokens "
        "reads its own sentence under the [causal](#term-causal) mask, and then the encoder's: "
        "this is [cross-attention](#term-cross-attention). The query comes from the decoder, keys "
        "and values from the encoder. No edge stays on one side: such a graph is "
        "called bipartite."
    )
    st.text_input("The sentence that asks", key="graph_asking", width=360, **KEPT)
    asking = what_works(ASKS, KEYS, lambda graph_asking: few_enough(graph_asking)).made
    trace = cross(asking, read)
    *_, queries, keys = axis_labels(trace, EDGES)
    board, exhibit = st.columns(BESIDE)
    with board:
        graph(
            "graph_cross_board", [*keys, *queries], columns(len(keys), len(queries)),
            lines_of(trace, first=len(keys)), "graph_cross_stage",
            title="On the left the tokens that are read, on the right those that read them",
            chosen=len(keys) + len(queries) - 1,
            threshold=st.session_state.graph_cross_threshold,
            round_about=False,
        )  # fmt: skip
        hide_below("graph_cross_threshold")
    with exhibit:
        draw_exhibit(trace, (EDGES, (0, len(queries) - 1, 0)), KEYS, "graph_cross_")
    say(
        f"**What to notice.** The matrix of weights is $L_q \\times L_k$, here {len(queries)} × "
        f"{len(keys)}: a row for each token that asks, a column for each that is read. "
        + (
            "Both sentences are the same here, so this is self-attention without a mask, number "
            "for number."
            if tokenise(asking) == tokenise(read)
            else "With the same sentence on both sides it would be self-attention without a mask."
        )
    )


@st.fragment
def reaching(text: str) -> None:
    """What can come to the last token through several layers, under each mask."""
    state, T = st.session_state, len(tokenise(text))
    say(
        "A model has many layers, and each passes messages along the same edges. So something of "
        "a token can come to another that may not read it, by way of a third. Which tokens can "
        "reach one so is called its [receptive field](#term-receptive-field)."
    )
    st.slider(
        "Size, where the mask has one", 1, SHORT, key="graph_reach_size", width=260,
        **KEPT,
    )  # fmt: skip
    family = reach_family(text, state.graph_reach_size)
    now = chosen(family)
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
            far, size = farthest(trace), state.graph_reach_size
            wanted = window_reach(size, layers)
            say(
                f"**A window of {size} through {layers} layers** reaches {layers} × ({size} − 1) "
                f"= {wanted} back" + ("." if far == wanted else f"; here there are only {far}.")
            )
    with exhibit:
        draw_exhibit(trace, (f"P_{layers}", (T - 1, 0)), KEYS, "graph_reach_", family=family)
    say(
        "**What to notice.** Where a number is 0, nothing can come from that token, whatever the "
        "weights are. Where it is larger than 1, there are several ways. A mask with few edges "
        "saves work where hidden pairs are left out, and layers can reach what one of them cannot; "
        "but blocks never meet, however many layers there are. A model with a window begins with "
        "what is near: this is called an "
        "[inductive bias](#term-inductive-bias)."
    )


def fits(graph_text: str, graph_drawn: str, graph_node: str) -> str:
    """The sentence, where it is short and drawn edges and node are its own. Raises `InputError`."""
    few_enough(graph_text)
    token_toggle(NODE, graph_text).check(settled(graph_node, graph_text))
    any_mask_bits(SHORT, len(tokenise(graph_text)))(DRAWN_BITS, graph_drawn)
    return graph_text


open_link("attention_graph", KEYS, link_that_fits(FITTING, KEYS, fits))
frame(
    "attention_graph",
    "Attention as a graph: who talks to whom?",
    "Each [token](#term-token) is a node of a [graph](#term-graph). Where a token may read another "
    "there is an [edge](#term-edge), and along it comes a [message](#term-message): a "
    "[value](#term-value) times a [weight](#term-weight). So a [mask](#term-mask) says who may "
    "talk to whom, and [attention](#term-attention) works on any graph: a text, the words of two "
    "languages, a molecule.",
)
say_messages()
st.text_input("Sentence", key="graph_text", width=360, on_change=anew, **KEPT)
SHOWN = what_works(FITTING, KEYS, fits).made
st.session_state[NODE] = settled(st.session_state[NODE], SHOWN)
talking(SHOWN)
say(
    "**What to notice.** An arrow runs the way of the message: from the token that is read (its "
    "[key](#term-key)) to the token that reads (its [query](#term-query)). A matrix says it the "
    "other way round: the row is the token that reads. An edge that leads back to its own token "
    "is a self-loop. The weights on the edges that lead to a token add up to 1, or there is no "
    "such edge. Draw an edge or take one away, and the mask follows: the other edges to the same "
    "token share what is left."
)
st.subheader("Other graphs", anchor=False)
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
