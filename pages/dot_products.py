"""What does q·k measure?

Two arrows to drag, the same tokens under five similarities, and values that turn while the weights
stay.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.dot_products.questions import SIMILARITY_QUESTIONS
from core.chapters.dot_products.similarity import (
    ARRAYS,
    RULE,
    RULES,
    changed_arrays,
    kept_arrays,
    similarity_family,
    similarity_program,
    similarity_run,
    weights_by_rule,
)
from core.chapters.dot_products.two_keys import two_keys as trace_of_two_keys
from core.chapters.dot_products.vector_pair import P11_KEYS, P11_QUERY, Pair, arc, favourites
from core.operations.norms import normalise_rows
from core.operations.scores import additive_score
from core.program.labels import axis_labels, listed
from core.program.trace import Trace
from ui.arrows import LIMIT, arrows, parse_vector, tenths, vector_of, vector_text
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.dot_products import rules_figure, space_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.fallback import what_works
from ui.fold import fold, fold_for_later
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, one_of, sentence_of, whole
from ui.presenting import presenting
from ui.prose import say, say_drawn, typeset_symbols
from ui.selection import go
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import toggle_keys
from ui.walk import way_on

QUARTER, FULL_TURN = 90, 360
KEYS: Keys = {
    "dot_q": Key(vector_text(P11_QUERY), vector_of),
    "dot_k": Key(vector_text(P11_KEYS[1]), vector_of),
    "dot_qz": Key(0.0, tenths(-LIMIT, LIMIT)),
    "dot_kz": Key(3.0, tenths(-LIMIT, LIMIT)),
    "dot_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    **toggle_keys(RULE),
    "dot_turn": Key(0, whole(0, FULL_TURN)),
    **exhibit_keys(similarity_program(), "scores", "dot_"),
    "dot_step": Key("scores", one_of(*ARRAYS)),
}


def drawn_pair() -> Pair:
    return Pair(parse_vector(st.session_state.dot_q), parse_vector(st.session_state.dot_k))


def put(pair: Pair) -> None:
    st.session_state.dot_q, st.session_state.dot_k = vector_text(pair.q), vector_text(pair.k)


@fragment
def arrows_and_numbers() -> None:
    """One pair of arrows, in the plane and in space: whoever drags one moves it in both."""
    two_arrows()
    two_keys()
    with fold("The same in space", "space", KEYS, ("dot_qz", "dot_kz")):
        in_space()


def two_arrows() -> None:
    """The arrows, and the core's arithmetic for where they were let go."""
    pair = drawn_pair()
    wide, narrow = st.columns([2, 1], vertical_alignment="center")
    with wide:
        arrows("dot_arrows", pair, put, present=presenting())
    with narrow, st.container(border=True, key="dot_pair_arithmetic"):
        block = r" \\ ".join(pair.latex)
        say(f"**The same on paper**\n\n$$\n\\begin{{aligned}}{block}\\end{{aligned}}\n$$")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Put q on {Pair(P11_QUERY, P11_QUERY).printed['q']} and k on", width="content")
        for number, key in enumerate(P11_KEYS):
            example = Pair(P11_QUERY, key)
            st.button(
                example.printed["k"], key=f"dot_example_{number}", on_click=put, args=(example,)
            )
    save_link(KEYS)


def two_keys() -> None:
    """P11: which of two keys one query prefers, by dot product and by cosine."""
    pairs = [Pair(P11_QUERY, key) for key in P11_KEYS]
    by_dot, by_cosine = favourites(P11_QUERY, P11_KEYS)
    longer, nearer = pairs[by_dot].printed, pairs[by_cosine].printed
    wide, narrow = st.columns([3, 2], vertical_alignment="center")
    wide.markdown(
        f"**Notice.** The [query](#term-query) q = {longer['q']} meets two [keys](#term-key). "
        f"The dot product prefers {longer['k']}, the [cosine](#term-cosine) "
        f"prefers {nearer['k']}, which is q itself. "
        f"{longer['k']} points {longer['degrees']} away, but it is {longer['length_k']} long, and "
        "length counts. So q·k is not “similarity” in the sense of direction. Where q and k are "
        "first divided by their lengths, the [score](#term-score) is the cosine."
    )
    wide.markdown(
        "**Try it.** Drag a tip, or move it with the arrow keys, until q·k is 0. Then make k "
        "longer."
    )
    rows = [[p["k"], p["length_k"], p["dot"], p["cosine"]] for p in (x.printed for x in pairs)]
    narrow.markdown(markdown_table(["k", "‖k‖", "q·k", "cos θ"], rows))


@fragment
def in_space() -> None:
    """The same two arrows with a third feature each."""
    flat, state = drawn_pair(), st.session_state
    narrow, wide = st.columns([2, 3], vertical_alignment="center")
    with narrow:
        for name, key in (("q", "dot_qz"), ("k", "dot_kz")):
            st.slider(
                f"Third feature of {name}", float(-LIMIT), float(LIMIT), step=0.1, key=key, **KEPT
            )
        pair = Pair((*flat.q, state.dot_qz), (*flat.k, state.dot_kz))
        p = pair.printed
        say(
            f"q = {p['q']}, k = {p['k']}\n\nθ = **{p['degrees']}**, "
            f"‖q‖ = {p['length_q']}, ‖k‖ = {p['length_k']}\n\n"
            f"q·k = **{p['dot']}**, cos θ = **{p['cosine']}**; in the plane above they were "
            f"{flat.printed['dot']} and {flat.printed['cosine']}."
        )
        st.caption(
            "Where both arrows have a length, the formula holds with any number of features. A "
            "third feature that only k has (that of q is 0) leaves q·k as it is and makes k "
            "longer. The cosine then comes closer to 0 and the angle closer to 90°, or they are "
            "there already."
        )
    figure = space_figure(pair, arc(pair.q, pair.k), LIMIT)
    with wide:
        draw_chart(figure, "dot_space")
    save_link(KEYS)


@fragment
def five_rules() -> None:
    """The same tokens under one of five rules, on the stage; the values may be turned."""
    say(
        f"{len(RULES)} rules for the scores; queries, keys and [values](#term-value) are the same "
        "under each. Whatever the scores are, [softmax](#term-softmax) makes "
        "[weights](#term-weight) of them: shares that add up to 1."
    )
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Sentence", key="dot_text", **KEPT)
        st.slider("Turn every value by (degrees)", 0, FULL_TURN, step=15, key="dot_turn", width=240,
                  **KEPT)  # fmt: skip
    shown = what_works({"dot_text": "the sentence"}, KEYS, runs)
    text, (trace, plain) = shown.values["dot_text"], shown.made
    say_drawn(trace)
    query, key = neighbours(len(trace.tokens))
    labels = axis_labels(trace, "weights")[1]
    weights = weights_by_rule(text, query)
    say(f"What {token_text(labels[query])} reads from each [token](#term-token), by each rule:")
    figure = rules_figure(weights, labels, labels[query])
    draw_chart(figure, "dot_rules")
    other = plain if state.dot_turn else None
    draw_exhibit(
        trace, ("scores", (0, query, key)), KEYS, "dot_", other=other,
        family=similarity_family(text, state.dot_turn),
    )  # fmt: skip
    turning(text, plain)


def runs(dot_text: str) -> tuple[Trace, Trace]:
    """The run that the controls ask for, and the same with its values unturned."""
    rule, degrees = st.session_state.dot_rule, st.session_state.dot_turn
    return similarity_run(dot_text, rule, degrees), similarity_run(dot_text, rule)


def turning(text: str, plain: Trace) -> None:
    """K7: the weights do not know the values."""
    state = st.session_state
    degrees = state.dot_turn % FULL_TURN or QUARTER  # a full turn moves nothing
    turn = similarity_run(text, state.dot_rule, degrees)
    moved, stayed = changed_arrays(turn, plain), kept_arrays(turn, plain)
    changes = "changes nothing here, as every value is 0"
    if moved:
        changes = f"changes {_links(moved)}, while {_links(stayed)} stay the same to the last bit"
    say(
        "**What to notice.** Under every rule each row of [weights](#stage-weights) sums to 1; the "
        "rule decides how that 1 is split. The cosine forgets lengths, the additive rule needs no "
        "product of q and k, and by the uniform rule each token reads the mean of all values.\n\n"
        f"**Similarity space is not value space.** To turn every value by {degrees}° {changes}. "
        "No value has a say in who is read; the values are what is read."
    )
    st.button(
        f"Turn the values by {degrees}° and look at the context", key="dot_see_turn",
        on_click=see_turn, args=(degrees,),
    )  # fmt: skip


def see_turn(degrees: int) -> None:
    st.session_state.dot_turn = degrees
    go("context", "dot_")


def _links(names: list[str]) -> str:
    return listed([f"[{typeset_symbols(name)}](#stage-{name})" for name in names])


frame(
    "dot_products",
    "Dot products: what does q·k measure?",
    "The [dot product](#term-dot-product) of two arrows is one number, q·k = ‖q‖ ‖k‖ cos θ. It "
    "depends on how far the two point the same way, and also on how long they are.",
)
open_link("dot_products", KEYS)
say_messages()
arrows_and_numbers()
later = fold_for_later(
    "One similarity among several", "rules", KEYS,
    ["dot_text", RULE.key, "dot_turn", *stage_keys("dot_")], after="walkthrough",
)  # fmt: skip
if later.open:
    with later:
        five_rules()
ask_each(SIMILARITY_QUESTIONS, "dot")
in_code(
    similarity_program,
    normalise_rows,
    additive_score,
    origin="Dot product and general scores: Luong et al. (2015), section 3.1, below equation 7. "
    "Additive score: Bahdanau et al. (2015), appendix A.1.2. Scaled: Vaswani et al. (2017), "
    "equation 1.",
    step="scores",
    run=trace_of_two_keys(),
)
way_on(
    "dot_products",
    "The dot product of two vectors is the length of one, times the length of the other, times the "
    "cosine of the angle between them; where one has no length, it is 0. Other scores are "
    "possible.",
)
save_link(KEYS)
