"""Who talks to whom?

Tokens are nodes and weights are edges: attention passes messages on a graph, and a mask draws it.
"""

from functools import partial

import streamlit as st

from core.attention.chosen_token import (
    LAST_TOKEN,
    any_token_toggle,
    position_of,
    settled_choice,
    token_toggle,
)
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.attention_graph import messages
from core.chapters.attention_graph.messages import EDGES, MASK, NODE
from core.chapters.attention_graph.other_graphs import cross_program, reach_program
from core.program.labels import axis_labels, listed_names
from core.program.trace import Trace
from ui.chapters.attention_graph.run_graph import (
    CROSSING_KEYS,
    REACH_KEYS,
    THRESHOLDS,
    draw_crossing,
    draw_reach,
    edges_of_run,
    list_tokens,
    threshold_slider,
)
from ui.components.graph import circle, graph
from ui.links.links import SENTENCE_KEY, Key, Keys, among, one_of, short_sentence
from ui.links.session import PERSIST, save_link, set_if_changed
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, what_works
from ui.page.prose import cell_number, gap_text, say, say_drawn
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.painting import chosen_sizes, mask_bits, mask_sizes, paint, painted_mask, size_keys
from ui.stage.settings import Layout
from ui.stage.toggles import run_as_chosen, toggle_keys
from ui.text import Markdown

TEXTS = page_texts("attention_graph")
NAMES = chart_texts("attention_graph")
DRAWN_BITS = "graph_drawn"
FITTING = {NODE: TEXTS("the_node"), "graph_text": TEXTS("the_sentence")}
TAB_TITLES = {"cross": TEXTS("two_sentences"), "reach": TEXTS("several_layers")}

ANY_RUN = messages.message_program(None, 0, 2)
KEYS: Keys = {
    "graph_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    **toggle_keys(MASK, any_token_toggle(NODE, SHORT)),
    **size_keys("graph_size", SHORT),
    "graph_threshold": Key(0.0, among(*THRESHOLDS)),
    DRAWN_BITS: Key("", mask_bits(SHORT)),
    **exhibit_keys(ANY_RUN, messages.MESSAGES, "graph_", 1, legacy_step=EDGES),
    "graph_part": Key("cross", one_of(*TAB_TITLES)),
    **CROSSING_KEYS,
    **REACH_KEYS,
}


def keep_drawn(bits: str) -> None:
    """Somebody drew an edge: from now on the mask is what is drawn."""
    st.session_state.update({DRAWN_BITS: bits, MASK.key: messages.DRAWN})


@fragment
def talking(text: str) -> None:
    """Draw the graph of a sentence, its run on the stage, and say what one node reads."""
    state, T = st.session_state, len(tokenise(text))
    family = messages.graph_family(text, chosen_sizes("graph_size"), painted_mask(DRAWN_BITS, T))
    now, trace = run_as_chosen(family)
    position = position_of(now, NODE, text)
    labels = axis_labels(trace, EDGES)[2]
    above = st.container(horizontal=True)
    # Its edges would give a covered mask away.
    with above, st.container(key="masked_board", width=680):
        graph(
            "graph_board",
            labels,
            circle(T),
            edges_of_run(trace, range(T), range(T)),
            "graph_stage",
            title=NAMES("board"),
            chosen=position,
            threshold=state.graph_threshold,
            drawn=messages.bits_of(trace),
            on_drawn=keep_drawn,
            on_node=lambda at: set_if_changed(**{NODE: settled_choice(str(at + 1), text)}),
        )
    with above, st.container(key="beside_edges", width=400):
        say_edges(trace, position)
        say(TEXTS("try"))
    layout, painted = Layout(ribbon=False), partial(paint, DRAWN_BITS, T)
    opening = EDGES, (0, T - 1, 0)
    draw_exhibit(trace, opening, KEYS, "graph_", family=family, layout=layout, on_paint=painted)
    with st.container(horizontal=True):
        threshold_slider("graph_threshold", TEXTS("hide_below"))
        mask_sizes("graph_size", SHORT, now[MASK.key])
    say_messages_of(trace, position)
    say_drawn(trace)


def say_edges(trace: Trace, position: int) -> None:
    """Say how many edges there are, and where those of one node come from."""
    every, seen = messages.edges(trace), messages.node(trace, position)
    threshold = st.session_state.graph_threshold
    strong = sum(edge.weight >= threshold for edge in every)
    counts = {"edges": len(every), "possible": trace["mask"].size, "strong": strong}
    say(TEXTS("edges", threshold=f"{threshold:.2f}" if threshold else "", **counts))
    say(TEXTS("reads", token=list_tokens([seen.label]), reads=list_tokens(seen.reads)))


def say_messages_of(trace: Trace, position: int) -> None:
    """Say what the node's messages add up to, and its row of the matrix form."""
    token, gap = list_tokens([messages.node(trace, position).label]), messages.message_error(trace)
    numbers = [cell_number(trace, "y_i", (0, 0, v)) for v in range(trace["y_i"].shape[-1])]
    say(TEXTS("messages", token=token, numbers=Markdown(listed_names(numbers))))
    with st.container(key="beside_same"):
        say(TEXTS("same", token=token, gap=gap_text(gap)))


@fragment
def part_tabs(text: str) -> None:
    """Draw graphs of other forms, one at a time."""
    choose_one(TEXTS("other_graphs"), TAB_TITLES, "graph_part", label_visibility="collapsed")
    {"cross": draw_crossing, "reach": draw_reach}[st.session_state.graph_part](text, KEYS)
    save_link(KEYS)


def fits(graph_text: str, graph_node: str) -> str:
    """Return the sentence, if it is short and has the node's token. Raises `InputError`."""
    few_enough(graph_text)
    token_toggle(NODE, graph_text).check(settled_choice(graph_node, graph_text))
    return graph_text


if __name__ == "__main__":
    begin_chapter("attention_graph", KEYS, link_that_fits(FITTING, KEYS, fits))
    anew = partial(set_if_changed, **{NODE: LAST_TOKEN})
    st.text_input(TEXTS("sentence"), key="graph_text", width=360, on_change=anew, **PERSIST)
    SHOWN = what_works(FITTING, KEYS, fits).made
    st.session_state[NODE] = settled_choice(st.session_state[NODE], SHOWN)
    talking(SHOWN)
    with fold(TEXTS("reading_title"), "reading", KEYS):
        say(TEXTS("reading"))
    st.header(TEXTS("other_graphs"), anchor=False)
    part_tabs(SHOWN)
    code = (messages.message_program, cross_program, reach_program)
    end_chapter("attention_graph", KEYS, code, "weights")
