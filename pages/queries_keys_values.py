"""Why three projections?

Because asking, being found and handing over are three things, and X alone has one row for all.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
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
    WORDS,
    lookup_family,
    lookup_program,
    searches,
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
from core.chapters.queries_keys_values.symmetric import symmetry
from core.limits import MAX_HEADS
from core.program.labels import off_stage
from core.program.rounding import decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.queries_keys_values import budget_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit, exhibit_keys, stage_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.library import draw_library
from ui.links import SENTENCE, Key, Keys, one_of, sentence_of, whole
from ui.prose import say, say_drawn, set_off, typeset_symbols
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

LOOKUP = lookup_family()
PARTS = {
    "lookup": "A soft lookup",
    "basis": typeset_symbols("Only W_Q W_Kᵀ counts"),
    "sizes": "Which sizes must agree",
    "budget": "Few parameters, many scores",
}
STRETCHES = ("0.25", "0.5", "1", "2", "4")
FITTING = Sizes()
MOST = {"T": MOST_TOKENS, "d_model": 64, "heads": MAX_HEADS, "d_q": 16, "d_k": 16, "d_v": 16}
SIZES = {f"qkv_{name}": name for name in MOST}
KEYS: Keys = {
    "qkv_search": Key(WORDS[-1], one_of(*WORDS)),
    "qkv_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
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


IN_PARTS = [
    "qkv_part", BETA.key, *stage_keys("qkv_lookup_"), "qkv_angle", "qkv_stretch",
    *stage_keys("qkv_basis_"), *SIZES, "qkv_n", "qkv_d_qk",
]  # fmt: skip


@fragment
def library() -> None:
    """Ask, be found, pass on, as a picture."""
    picture, beside = st.columns([3, 2], gap="large")
    with beside:
        st.segmented_control("Who searches", WORDS, key="qkv_search", required=True, **KEPT)
        search = searches()[st.session_state.qkv_search]
        best = search.entries[search.best]
        asks, found = token_text(search.token), token_text(best.token)
        say(
            "Think of a library. A query is a search text, a key is a title, a value is the "
            "content behind that title. The search meets the titles; the content comes back."
        )
        say(
            f"**Notice.** {asks} asks, and the title of {found} fits best: {best.part} % of what "
            f"comes back is the content of {found}."
        )
        say(
            "The fit is the [dot product](#term-dot-product) of search and title. "
            f"[Softmax](#term-softmax) of ${BETA.default} \\times$ each fit gives the percentages."
        )
        say("**Try it.** Let another word search. Which title fits its search best?")
    with picture:
        draw_library("qkv_library", search)
    save_link(KEYS)


@fragment
def ladder(text: str) -> None:
    """From (X Xᵀ) X to causal attention, a rung at a time; what is said of one stands below it."""
    say(
        f"{len(RUNGS)} versions lead up to [attention](#term-attention) with a "
        "[causal](#term-causal) [mask](#term-mask): from the second on, each builds on the one "
        "before. Versions 1 and 2 mix the values by their scores; from version 3 on "
        "softmax makes [weights](#term-weight) of the scores first."
    )
    family = ladder_family(text)
    now = chosen(family)
    number = now[RUNG.key]
    lowest, *_ = RUNG.options
    runs = {rung: family.run(**now | {RUNG.key: rung}) for rung in (lowest, number)}
    trace, rung = runs[number], RUNGS[int(number) - 1]
    pair = neighbours(len(trace.tokens))
    draw_exhibit(trace, ("scores", (0, *pair)), KEYS, "qkv_ladder_", family=family)
    says = f"**Here {set_off(both_ways(trace, *pair))}**"
    if number != lowest:
        says += f" With X alone, {set_off(off_stage(both_ways(runs[lowest], *pair)))}"
    say(f"**{RUNG.options[number]}.** {rung.adds}  \n{says}")
    if now[NUMBERS.key] == "drawn" and number != lowest:
        say_drawn(trace)


@fragment
def parts(text: str) -> None:
    """The rest of the chapter, one part at a time."""
    st.segmented_control(
        "More about queries, keys and values", PARTS, key="qkv_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    part = st.session_state.qkv_part
    if part == "basis":
        basis(text)
    else:
        {"lookup": lookup, "sizes": sizes, "budget": budget}[part]()
    save_link(KEYS)


@fragment
def lookup() -> None:
    """A table searched softly, with its sharpness."""
    say("Here three words search among themselves, and β says how strictly.")
    trace = LOOKUP.run(**chosen(LOOKUP))
    pair = neighbours(len(trace.tokens))
    draw_exhibit(trace, ("context", (0, *pair)), KEYS, "qkv_lookup_", family=LOOKUP)
    say(f"**Here {set_off(what_comes_back(trace, pair[0]))}**")
    say(
        "**What to notice.** At β = 0 every search returns the mean of all contents. As β grows, "
        "the result moves to the content whose title fits best; for large β almost only that "
        "content comes back, as from a table with exact titles. Attention uses β = 1/√d_k, and "
        "makes search texts, titles and contents from the tokens, by maps that are learned. Search "
        "texts and titles decide who is read, contents are what is read: a content need not look "
        "like its title."
    )


@fragment
def basis(text: str) -> None:
    """Q and K in another basis."""
    say(
        "Take any square matrix A that has an inverse, here a turn and a stretch, and replace W_Q "
        "by W_Q A and W_K by W_K $(A^{-1})^\\top$. Where a cell is no longer what it was, a small "
        "number says by how much it has changed."
    )
    with st.container(horizontal=True):
        st.slider("Turn by (degrees)", 0, 355, step=5, key="qkv_angle", width=300, **KEPT)
        st.select_slider("Then stretch by", STRETCHES, key="qkv_stretch", width=300, **KEPT)
    state = st.session_state
    A = turn_and_stretch(float(state.qkv_angle), float(state.qkv_stretch))
    sentence = drawn(text)
    before, after = (climb(len(RUNGS), inputs) for inputs in (sentence, in_basis(sentence, A)))
    say_drawn(before)
    pair = neighbours(len(before.tokens))
    exhibit(after, ("scores", (0, *pair)), KEYS, prefix="qkv_basis_", other=before)
    say(
        f"**What to notice.** {moved_by_basis(before, after)} The scores are X (W_Q W_Kᵀ) Xᵀ: they "
        "depend on the two maps only through their product. So the features of a query have no "
        "meaning of their own: another A can give others, and the same scores. And QKᵀ is "
        "symmetric for every X only where W_Q W_Kᵀ is symmetric."
    )


def run_of_sizes(**sizes: int) -> Trace:
    """A run with the sizes of these keys. Raises `InputError`."""
    return Sizes(**{key.removeprefix("qkv_"): size for key, size in sizes.items()}).run()


@fragment
def sizes() -> None:
    """Which sizes may be chosen, and which must agree."""
    say("Make the sizes fit. Every shape in the table is that of a real run.")
    left, right = st.columns([2, 3], gap="large")
    with left:
        for name, most in MOST.items():
            st.slider(typeset_symbols(name), 1, most, key=f"qkv_{name}", **KEPT)
    with right:
        rows = shapes(what_works(SIZES, KEYS, run_of_sizes).made)
        st.table(
            {
                "Array": [typeset_symbols(row.array) for row in rows],
                "Made of": [typeset_symbols(row.made) for row in rows],
                "Axes": [typeset_symbols(row.axes) for row in rows],
                "Sizes": [row.sizes for row in rows],
            },
            border="horizontal", hide_index=True,
        )  # fmt: skip
    say(
        "**What to notice.** A score multiplies a query with a key, feature by feature, so d_q "
        "must equal d_k; that is why d_k is the only name in use. d_v may be another size: values "
        "are averaged, and meet neither queries nor keys. W_O takes the joined "
        "[heads](#term-head) back to d_model. The base model of Vaswani et al. (2017) has d_k = "
        f"d_v = {PAPER.d_k} and {PAPER.heads} heads; its joined heads are as wide as X: "
        f"{PAPER.heads} × {PAPER.d_k} = {PAPER.d_model}."
    )
    save_link(KEYS)


@fragment
def budget() -> None:
    """Parameters of the maps against the scores they make."""
    say(
        "W_Q and W_K are all that one [head](#term-head) learns about which token reads which. "
        "They do not grow with the text; the number of scores does. Here d_model is "
        f"{PAPER.d_model}."
    )
    with st.container(horizontal=True):
        st.select_slider("Tokens $n$", list(map(str, LENGTHS)), key="qkv_n", width=300, **KEPT)
        st.select_slider("$d_k$", list(map(str, WIDTHS)), key="qkv_d_qk", width=300, **KEPT)
    n, d_k = int(st.session_state.qkv_n), int(st.session_state.qkv_d_qk)
    counts, ranks = Budget(n, PAPER.d_model, d_k), score_ranks(PAPER.d_model, d_k)
    figure = budget_figure(counts, ranks)
    for_each = typeset(decimal_text(counts.scores_per_parameter))
    made = f"So not every {n:,} × {n:,} matrix of scores can be made"
    if counts.any_scores:
        made = f"That allows every {n} × {n} matrix of scores, if the rows of X are independent"
    draw_chart(figure, "qkv_budget_chart")
    say(
        f"**What to notice.** 2 · d_model · d_k = 2 · {PAPER.d_model} · {d_k} = "
        f"{counts.parameters:,} [parameters](#term-parameter) make n² = {counts.scores:,} scores, "
        f"{for_each} for each parameter. There are as many scores as parameters at n = "
        f"{typeset(decimal_text(counts.equal_at, 0))}. With d_k = {d_k} the [rank](#term-rank) of "
        f"QKᵀ is at most {d_k}. {made}. With random X, W_Q and W_K, QKᵀ of {RANK_LENGTHS[-1]} "
        f"tokens has rank {ranks[-1]} (the dots: measured). Softmax can raise the rank: that of "
        "the weights may be larger than that of the scores."
    )
    save_link(KEYS)


frame(
    "queries_keys_values",
    "Queries, keys, values: why three projections?",
    f"With X alone, {token_text('ball')} would [score](#term-score) {token_text('red')} "
    f"exactly as {token_text('red')} scores {token_text('ball')}. Three learned maps, "
    "[projections](#term-projection), let a [token](#term-token) ask for one thing with its "
    "[query](#term-query), be found by another with its [key](#term-key), and hand over a third: "
    "its [value](#term-value).",
)
open_link("queries_keys_values", KEYS, link_that_fits(SIZES, KEYS, run_of_sizes))
say_messages()
library()
st.text_input("Sentence, where numbers are drawn", key="qkv_text", width=360, **KEPT)
SHOWN = what_works({"qkv_text": "the sentence"}, KEYS, lambda qkv_text: drawn(qkv_text)).values
ladder(SHOWN["qkv_text"])
with fold("Why scores need not be symmetric", "symmetric", KEYS):
    say(
        "X Xᵀ is [symmetric](#term-symmetric), so a pair has one score, whichever of the two asks; "
        "and no token scores itself below 0. With one map for queries and another for keys, "
        "[scores](#stage-scores) = QKᵀ need not be symmetric, so a token can ask without being "
        "asked. [Q](#stage-Q) and [K](#stage-K) both have a row for each token; a score is a row "
        "of one times a row of the other, which is why K is transposed. Scores can be any numbers; "
        "softmax makes weights of them, shares that add up to 1."
    )
    say(set_off(symmetry(SHOWN["qkv_text"]).said))
with fold("More about queries, keys and values", "parts", KEYS, IN_PARTS):
    parts(SHOWN["qkv_text"])
ask_each(PROJECTION_QUESTIONS, "qkv")
in_code(
    ladder_program, lookup_program, in_basis,
    origin="Vaswani et al., *Attention Is All You Need* (2017), equation 1 and section 3.2.2.",
    step="scores", exhibit="qkv_ladder_",
)  # fmt: skip
way_on(
    "queries_keys_values",
    "A row of X plays three parts: as a query it asks, as a key it is found, as a value it is "
    "read. The maps to them are learned. Of W_Q and W_K only the product W_Q W_Kᵀ counts for the "
    "scores.",
)
save_link(KEYS)
