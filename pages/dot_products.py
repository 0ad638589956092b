"""What does q·k measure?

Two arrows to drag, the same tokens under five similarities, and values that turn while the weights
stay.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.dot_products import similarity
from core.chapters.dot_products.vector_pair import P11_KEYS, P11_QUERY, VectorPair, arc, favourites
from core.chapters.dot_products.vector_pair import two_keys as trace_of_two_keys
from core.operations.norms import normalise_rows
from core.operations.scores import additive_score
from core.program.labels import axis_labels, listed_names
from core.program.trace import Trace
from ui.chapters.dot_products.charts import rules_figure, space_figure
from ui.charts.framing import draw_chart
from ui.components.arrows import (
    LARGEST_COORDINATE,
    arrows,
    parse_vector,
    tenths_reader,
    vector_of,
    vector_text,
)
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, sentence_of, whole_number_reader
from ui.links.session import PERSIST, save_link
from ui.links.stage_position import go_to_step
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.fold import fold, fold_for_later
from ui.page.last_valid import what_works
from ui.page.prose import say, say_drawn, typeset_symbols
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.stage.toggles import toggle_keys
from ui.text import Markdown, markdown_table

TEXTS = page_texts("dot_products")
QUARTER, FULL_TURN = 90, 360
FAVOURITES = favourites(P11_QUERY, P11_KEYS)
"""Which of the two keys the dot product prefers, and which the cosine."""
KEYS: Keys = {
    "dot_q": Key(vector_text(P11_QUERY), vector_of),
    "dot_k": Key(vector_text(P11_KEYS[1]), vector_of),
    "dot_qz": Key(0.0, tenths_reader(-LARGEST_COORDINATE, LARGEST_COORDINATE)),
    "dot_kz": Key(3.0, tenths_reader(-LARGEST_COORDINATE, LARGEST_COORDINATE)),
    "dot_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    **toggle_keys(similarity.RULE),
    "dot_turn": Key(0, whole_number_reader(0, FULL_TURN)),
    **exhibit_keys(similarity.similarity_program(), "scores", "dot_"),
    "dot_step": Key("scores", one_of(*similarity.ARRAYS)),
}


def drawn_pair() -> VectorPair:
    return VectorPair(parse_vector(st.session_state.dot_q), parse_vector(st.session_state.dot_k))


def set_pair(pair: VectorPair) -> None:
    st.session_state.dot_q, st.session_state.dot_k = vector_text(pair.q), vector_text(pair.k)


@fragment
def arrows_and_numbers() -> None:
    """One pair of arrows, in the plane and in space: an arrow that is dragged moves in both."""
    two_arrows()
    with fold(TEXTS("space_title"), "space", KEYS, ("dot_qz", "dot_kz")):
        in_space()


def two_arrows() -> None:
    """The arrows, and the core's arithmetic for where they were let go."""
    pair = drawn_pair()
    wide, narrow = st.columns([2, 1])
    with wide:
        arrows("dot_arrows", pair, set_pair)
    with narrow:
        two_keys()
        say(TEXTS("try"))
    with narrow, st.container(border=True, key="dot_pair_arithmetic"):
        block = r" \\ ".join(pair.latex)
        say(f"**{TEXTS('by_hand')}**\n\n$$\n\\begin{{aligned}}{block}\\end{{aligned}}\n$$")
    with st.container(horizontal=True, vertical_alignment="center"):
        query = VectorPair(P11_QUERY, P11_QUERY).printed["q"]
        st.markdown(TEXTS("set_to", q=query), width="content")
        for number, key in enumerate(P11_KEYS):
            name, example = f"dot_example_{number}", VectorPair(P11_QUERY, key)
            st.button(example.printed["k"], key=name, on_click=set_pair, args=(example,))
    in_numbers()
    save_link(KEYS)


def two_keys() -> None:
    """P11: which of two keys one query prefers, by dot product and by cosine."""
    longer, nearer = (VectorPair(P11_QUERY, P11_KEYS[at]).printed for at in FAVOURITES)
    say(TEXTS("notice", q=longer["q"], longer=longer["k"], nearer=nearer["k"]))


def in_numbers() -> None:
    """The two keys in a table, and why the longer one has the larger product."""
    pairs = [VectorPair(P11_QUERY, key).printed for key in P11_KEYS]
    rows = [[p["k"], p["length_k"], p["dot"], p["cosine"]] for p in pairs]
    st.markdown(markdown_table(["k", "‖k‖", "q·k", "cos θ"], rows))
    longer = pairs[FAVOURITES[0]]
    with fold(TEXTS("more"), "more", KEYS):
        turned = {"degrees": longer["degrees"], "length": longer["length_k"]}
        say(TEXTS("length_counts", longer=longer["k"], **turned))


@fragment
def in_space() -> None:
    """The same two arrows with a third feature each."""
    flat, state = drawn_pair(), st.session_state
    narrow, wide = st.columns([2, 3], vertical_alignment="center")
    with narrow:
        for name, key in (("q", "dot_qz"), ("k", "dot_kz")):
            label, most = TEXTS("third_feature", name=name), float(LARGEST_COORDINATE)
            st.slider(label, -most, most, step=0.1, key=key, **PERSIST)
        pair = VectorPair((*flat.q, state.dot_qz), (*flat.k, state.dot_kz))
        names = ("q", "k", "degrees", "length_q", "length_k", "dot", "cosine")
        printed = {name: pair.printed[name] for name in names}
        in_plane = {f"flat_{name}": flat.printed[name] for name in ("dot", "cosine")}
        say(TEXTS("in_space", **printed, **in_plane))
        say(TEXTS("any_number", angled=flat.cosine is not None))
    figure = space_figure(pair, arc(pair.q, pair.k), LARGEST_COORDINATE)
    with wide:
        draw_chart(figure, "dot_space")
    save_link(KEYS)


@fragment
def five_rules() -> None:
    """The same tokens under one of five rules, on the stage; the values may be turned."""
    say(TEXTS("rules", rules=len(similarity.RULES)))
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("sentence"), key="dot_text", **PERSIST)
        st.slider(TEXTS("turn"), 0, FULL_TURN, step=15, key="dot_turn", width=240, **PERSIST)
    shown = what_works({"dot_text": "the sentence"}, KEYS, runs)
    text, (trace, plain) = shown.values["dot_text"], shown.made
    say_drawn(trace)
    query, key = neighbours(len(trace.tokens))
    labels = axis_labels(trace, "weights")[1]
    weights = similarity.weights_by_rule(text, query)
    say(TEXTS("reads", query=labels[query]))
    figure = rules_figure(weights, labels, labels[query])
    draw_chart(figure, "dot_rules")
    other = plain if state.dot_turn else None
    draw_exhibit(
        trace, ("scores", (0, query, key)), KEYS, "dot_", other=other,
        family=similarity.similarity_family(text, state.dot_turn),
    )  # fmt: skip
    turning(text, plain)


def runs(dot_text: str) -> tuple[Trace, Trace]:
    """Return the run that the controls ask for, and the same with its values unturned."""
    rule, degrees = st.session_state.dot_rule, st.session_state.dot_turn
    plain = similarity.similarity_run(dot_text, rule)
    return similarity.similarity_run(dot_text, rule, degrees), plain


def turning(text: str, plain: Trace) -> None:
    """K7: the weights do not know the values."""
    state = st.session_state
    degrees = state.dot_turn % FULL_TURN or QUARTER  # a full turn moves nothing
    turn = similarity.similarity_run(text, state.dot_rule, degrees)
    moved, stayed = similarity.changed_arrays(turn, plain), similarity.kept_arrays(turn, plain)
    say(TEXTS("each_sums_to_1"))
    say(TEXTS("turning", degrees=degrees, changed=_links(moved), kept=_links(stayed)))
    label = TEXTS("see_turn", degrees=degrees)
    st.button(label, key="dot_see_turn", on_click=see_turn, args=(degrees,))


def see_turn(degrees: int) -> None:
    st.session_state.dot_turn = degrees
    go_to_step("context", "dot_")


def _links(names: list[str]) -> Markdown:
    """Return the names of arrays as links to the stage."""
    return Markdown(listed_names([f"[{typeset_symbols(name)}](#stage-{name})" for name in names]))


if __name__ == "__main__":
    begin_chapter("dot_products", KEYS)
    arrows_and_numbers()
    of_rules = ["dot_text", similarity.RULE.key, "dot_turn", *stage_keys("dot_")]
    fold_for_later(TEXTS("later_title"), "rules", KEYS, of_rules, five_rules, after="walkthrough")
    code = (similarity.similarity_program, normalise_rows, additive_score)
    end_chapter("dot_products", KEYS, code, "scores", run=trace_of_two_keys())
