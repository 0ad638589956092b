"""Why three projections?

Because asking, being found and handing over are three things, and X alone has one row for all.
"""

import streamlit as st

from core.chapters.queries_keys_values.key_space import (
    in_basis,
    moved_by_basis,
    turn_and_stretch,
)
from core.chapters.queries_keys_values.ladder import (
    NUMBERS,
    RUNG,
    RUNGS,
    both_ways,
    climb,
    drawn,
    ladder_family,
    ladder_program,
)
from core.chapters.queries_keys_values.lookup import (
    BETA,
    lookup_family,
    lookup_program,
    what_comes_back,
)
from core.chapters.queries_keys_values.parameters import (
    LENGTHS,
    MOST_TOKENS,
    PAPER,
    RANK_LENGTHS,
    WIDTHS,
    Budget,
    Sizes,
    score_ranks,
    shapes,
)
from core.chapters.queries_keys_values.questions import PROJECTION_QUESTIONS
from core.limits import MAX_HEADS
from core.program.rounding import decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.charts.framing import alt_of
from ui.charts.queries_keys_values import budget_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.frame import frame
from ui.links import Key, Keys, one_of, whole
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import escape_markdown
from ui.toggles import chosen, toggle_keys

LADDER, LOOKUP = ladder_family(), lookup_family()
PARTS = {
    "lookup": "A soft lookup",
    "basis": "Only W_Q W_Kᵀ counts",
    "sizes": "Which sizes must agree",
    "budget": "Few parameters, many scores",
}
# A query and a key before it: ball and red, or sat and cat.
PAIR = (2, 1)
STRETCHES = ("0.25", "0.5", "1", "2", "4")
FITTING = Sizes()
MOST = {"T": MOST_TOKENS, "d_model": 64, "heads": MAX_HEADS, "d_q": 16, "d_k": 16, "d_v": 16}
SIZES = {f"qkv_{name}": name for name in MOST}
KEYS: Keys = {
    **toggle_keys(RUNG, NUMBERS, BETA),
    **exhibit_keys(ladder_program(len(RUNGS)), "scores", "qkv_ladder_"),
    "qkv_part": Key("lookup", one_of(*PARTS)),
    **exhibit_keys(lookup_program(1.0), "context", "qkv_lookup_"),
    "qkv_angle": Key(30, whole(0, 355)),
    "qkv_stretch": Key("2", one_of(*STRETCHES)),
    **exhibit_keys(ladder_program(len(RUNGS)), "scores", "qkv_basis_"),
    **{key: Key(getattr(FITTING, name), whole(1, MOST[name])) for key, name in SIZES.items()},
    "qkv_n": Key(str(PAPER.n), one_of(*map(str, LENGTHS))),
    "qkv_d_qk": Key(str(PAPER.d_k), one_of(*map(str, WIDTHS))),
}


@st.fragment
def ladder() -> None:
    """From (X Xᵀ) X to causal attention, a rung at a time; what is said of one stands below it."""
    st.markdown(f"Attention in {len(RUNGS)} versions; each of them builds on the one before.")
    now = chosen(LADDER)
    number = now[RUNG.key]
    lowest, *_ = RUNG.options
    runs = {rung: LADDER.run(**now | {RUNG.key: rung}) for rung in (lowest, number)}
    trace, rung = runs[number], RUNGS[int(number) - 1]
    draw_exhibit(trace, ("scores", (0, *PAIR)), KEYS, "qkv_ladder_", family=LADDER)
    says = f"**Here {escape_markdown(both_ways(trace, *PAIR))}**"
    if number != lowest:
        says += f" With X alone, {escape_markdown(both_ways(runs[lowest], *PAIR))}"
    st.markdown(f"**{RUNG.options[number]}.** {escape_markdown(rung.adds)}  \n{says}")


@st.fragment
def parts() -> None:
    """The rest of the chapter, one part at a time."""
    st.segmented_control(
        "More about queries, keys and values", PARTS, key="qkv_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    {"lookup": lookup, "basis": basis, "sizes": sizes, "budget": budget}[
        st.session_state.qkv_part
    ]()
    save_link(KEYS)


@st.fragment
def lookup() -> None:
    """A table searched softly, with its sharpness."""
    st.markdown(
        "Think of a library. A query is a **search text**, a key is a **title**, a value is the "
        "**content** behind that title. The search meets the titles; the content comes back. Here "
        "three words search among themselves, and β says how strictly."
    )
    trace = LOOKUP.run(**chosen(LOOKUP))
    st.markdown(f"**Here {escape_markdown(what_comes_back(trace, PAIR[0]))}**")
    draw_exhibit(trace, ("context", (0, 2, 1)), KEYS, "qkv_lookup_", family=LOOKUP)
    st.markdown(
        "**What to notice.** At β = 0 every search returns the mean of all contents. As β grows "
        "the result moves to the content whose title fits best, and for large β the lookup is as "
        "hard as that of a dictionary. Attention uses β = 1/√d_k, and makes all three columns of "
        "the table from the tokens, by maps that it learns. The title decides who is read, the "
        "content what is read: they need not look alike."
    )


@st.fragment
def basis() -> None:
    """Q and K in another basis."""
    st.markdown(
        "Take any invertible A, here a turn and a stretch, and replace W_Q by W_Q A and W_K by "
        "W_K A⁻ᵀ. The small numbers show how far each cell is from before."
    )
    with st.container(horizontal=True):
        st.slider("Turn by (degrees)", 0, 355, step=5, key="qkv_angle", width=300, **KEPT)
        st.select_slider("Then stretch by", STRETCHES, key="qkv_stretch", width=300, **KEPT)
    state = st.session_state
    A = turn_and_stretch(float(state.qkv_angle), float(state.qkv_stretch))
    before, after = (climb(len(RUNGS), inputs) for inputs in (drawn(), in_basis(drawn(), A)))
    exhibit(after, ("scores", (0, 2, 1)), KEYS, prefix="qkv_basis_", other=before)
    st.markdown(
        f"**What to notice.** {moved_by_basis(before, after)} The scores are "
        "X (W_Q W_Kᵀ) Xᵀ: they know the two maps only through their product. So a single feature "
        "of a query means nothing by itself, and QKᵀ is symmetric for every X only where "
        "W_Q W_Kᵀ is."
    )


def run_of_sizes(**sizes: int) -> Trace:
    """A run with the sizes of these keys. Raises `InputError`."""
    return Sizes(**{key.removeprefix("qkv_"): size for key, size in sizes.items()}).run()


@st.fragment
def sizes() -> None:
    """Which sizes may be chosen, and which must agree."""
    st.markdown("Make the sizes fit. Every shape below is that of a run with these sizes.")
    left, right = st.columns([2, 3], gap="large")
    with left:
        for name, most in MOST.items():
            st.slider(name, 1, most, key=f"qkv_{name}", **KEPT)
    with right:
        rows = shapes(what_works(SIZES, KEYS, run_of_sizes).made)
        st.table(
            {
                "Array": [row.array for row in rows],
                "Made of": [row.made for row in rows],
                "Axes": [row.axes for row in rows],
                "Sizes": [row.sizes for row in rows],
            },
            border="horizontal", hide_index=True,
        )  # fmt: skip
    st.markdown(
        "**What to notice.** A score multiplies a query with a key, feature by feature, so d_q "
        "must equal d_k; that is why only one of them has a name. d_v may be anything: values are "
        "averaged, and meet neither queries nor keys. W_O takes the joined heads back to d_model. "
        f"The first transformer chose d_k = d_v = {PAPER.d_k} and {PAPER.heads} heads, so that the "
        f"joined heads are as wide as X: {PAPER.heads} × {PAPER.d_k} = {PAPER.d_model}."
    )
    save_link(KEYS)


@st.fragment
def budget() -> None:
    """Parameters of the maps against the scores they make."""
    st.markdown(
        "W_Q and W_K are all that one head learns about who attends to whom. They do not grow with "
        f"the text, its scores do. d_model is {PAPER.d_model}."
    )
    with st.container(horizontal=True):
        st.select_slider("Tokens n", list(map(str, LENGTHS)), key="qkv_n", width=300, **KEPT)
        st.select_slider("d_k", list(map(str, WIDTHS)), key="qkv_d_qk", width=300, **KEPT)
    n, d_k = int(st.session_state.qkv_n), int(st.session_state.qkv_d_qk)
    counts, ranks = Budget(n, PAPER.d_model, d_k), score_ranks(PAPER.d_model, d_k)
    figure = budget_figure(counts, ranks)
    made = f"So not every {n:,} × {n:,} matrix of scores can be made"
    if counts.any_scores:
        made = f"That allows every {n} × {n} matrix of scores, if the rows of X are independent"
    st.plotly_chart(
        figure, key="qkv_budget_chart", alt=alt_of(figure),
        config={"displayModeBar": False},
    )  # fmt: skip
    st.markdown(
        f"**What to notice.** 2 · d_model · d_k = 2 · {PAPER.d_model} · {d_k} = "
        f"{counts.parameters:,} parameters make n² = {counts.scores:,} scores, "
        f"{typeset(decimal_text(counts.scores_per_parameter))} for each. There are as many at "
        f"n = {typeset(decimal_text(counts.equal_at, 0))}. With d_k = {d_k} the rank of "
        f"QKᵀ is at most {d_k}. {made}. Random queries and keys of "
        f"{RANK_LENGTHS[-1]} tokens have rank {ranks[-1]} (dots: measured). Softmax can raise "
        "the rank of the weights again."
    )
    save_link(KEYS)


open_link("queries_keys_values", KEYS, link_that_fits(SIZES, KEYS, run_of_sizes))
frame(
    "Queries, keys, values: why three projections?",
    "With X alone, red would matter to ball exactly as much as ball to red. Three learned maps let "
    "a token ask for one thing, be found by another, and hand over a third.",
)
say_messages()
ladder()
st.markdown(
    "**What to notice.** X Xᵀ is symmetric, so a pair has one score, whichever of the two asks; "
    "and none of its eigenvalues is negative. With maps of their own, [scores](#stage-scores) = "
    "QKᵀ need not be symmetric, so a token can ask without being asked. [Q](#stage-Q) and "
    "[K](#stage-K) both have a row for each token; a score is a row of one times a row of the "
    "other, which is why K is transposed. Scores can be any numbers; softmax makes "
    "[weights](#stage-weights) of them, shares of 1."
)
parts()
ask_each(PROJECTION_QUESTIONS, "qkv")
in_code(
    ladder_program, lookup_program, in_basis,
    origin="Vaswani et al., *Attention Is All You Need* (2017), equation 1 and section 3.2.2.",
    step="scores",
)  # fmt: skip
save_link(KEYS)
