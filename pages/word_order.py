"""How does attention know position?

Without being told, it does not: rows follow their tokens wherever these stand. What tells it.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.word_order.distances import PLACES, is_flat, scores_by_distance, spread
from core.chapters.word_order.encodings import (
    ENCODING,
    HEADS,
    TABLE_SEED,
    encoding_family,
    encoding_program,
    farthest_shares,
    slope_powers,
    ways_of,
)
from core.chapters.word_order.encodings import LIKE as ADDED
from core.chapters.word_order.orders import BY_HAND, order_of
from core.chapters.word_order.pairings import DISTANCE, KEY, QUERY, pairings
from core.chapters.word_order.questions import ORDER_QUESTIONS
from core.chapters.word_order.shuffled import (
    LAYERS,
    LIKE,
    MASK,
    ORDER,
    SECOND_SEED,
    apart,
    is_as_typed,
    kinds_of_rows,
    shuffled_family,
    shuffled_program,
)
from core.chapters.word_order.waves import waves
from core.operations.turning import rotate
from core.program.labels import axis_labels, listed, told_label
from core.program.rounding import cell_text, decimal_text, operand_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.word_order import counting_figure, distance_figure, turning_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, one_of, short_sentence, text_of
from ui.prose import cell_number, say, say_drawn, set_off
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on
from ui.word_pair import PAIR_KEYS, paired

ARROWS = {"Q": "queries", "K": "keys"}
KEYS: Keys = {
    **PAIR_KEYS,
    "order_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    "order_yours": Key("", text_of),
    **toggle_keys(ORDER, MASK, LAYERS),
    **exhibit_keys(shuffled_program("none", 1), "difference", "order_", 1, LIKE),
    **toggle_keys(ENCODING),
    **exhibit_keys(encoding_program("none"), "", "order_told_", HEADS, ADDED),
    "order_arrows": Key("Q", one_of(*ARROWS)),
}


OF_PLACES = [key for key in KEYS if key.startswith("order_told_")] + [ENCODING.key, "order_arrows"]
FITTING = {"order_yours": "the order", "order_text": "the sentence"}


def fits(order_yours: str, order_text: str) -> tuple[str, str]:
    """The sentence, where it is short, and an order of its tokens. Raises `InputError`."""
    order_of(few_enough(order_text), order_yours)
    return order_text, order_yours


def anew() -> None:
    """Another sentence has other tokens: nobody has put them into an order yet."""
    put(order_yours="")
    if st.session_state[ORDER.key] == BY_HAND:
        st.session_state[ORDER.key] = ORDER.default


def choose_yours() -> None:
    """Somebody typed an order: it is the one to show."""
    st.session_state[ORDER.key] = BY_HAND


def named(trace: Trace, places: list[int]) -> str:
    """The tokens at some places of the new order, in a list."""
    return set_off(listed([told_label(trace, "i", at) for at in places]))


@fragment
def shuffled(text: str, yours: str) -> None:
    """The sentence in another order, and what attention reads in both."""
    family = shuffled_family(text, yours)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("difference", (0, 0, 0)), KEYS, "order_", family=family)
    deep = now[LAYERS.key] == "2"
    if deep:
        st.caption(f"The matrices of the second layer are drawn with seed {SECOND_SEED}.")
    with st.container(key="beside_rows"):
        say_rows(trace, now[MASK.key] == "causal", deep)
    save_link(KEYS)


def say_rows(trace: Trace, causal: bool, deep: bool) -> None:
    """Which rows followed their tokens, and which have changed."""
    if len(trace["P"]) == 1:
        say("**One token has one order,** so nothing can move. Type a longer sentence.")
        return
    if is_as_typed(trace):
        say("**The order is as typed,** so nothing has moved. Choose another one.")
        return
    rows = kinds_of_rows(trace)
    if not rows.changed:
        say(
            "**Every row has followed its token, and no number in it has changed**: "
            "$f(PX) = P\\,f(X)$"
            + (
                f", up to {apart(trace)}, for floats are added in another order. "
                if rows.noisy
                else ". "
            )
            + (
                ""
                if causal
                else "Without a mask each token reads from all, a weighted mean over a set. A set "
                "has no order: attention is [equivariant](#term-equivariant) under permutations."
            )
        )
        return
    others = [at for at in rows.changed if at not in rows.noticed]
    say(
        f"**{len(rows.changed)} of {len(trace['P'])} rows have changed**, by {apart(trace)} at "
        "most."
        + (
            " Under the causal mask a token reads itself and those that stand before it; for "
            f"{named(trace, others)} the ones before are others now."
            if others
            else ""
        )
    )
    if rows.kept:
        one = len(rows.kept) == 1
        say(
            f"{named(trace, rows.kept)} {'reads' if one else 'read'} the same: "
            f"{'it sees' if one else 'they see'} the tokens that {'it' if one else 'they'} saw as "
            "typed." + ("" if deep else " In which order these stand, the mask does not say.")
        )
    if rows.alike:
        one = len(rows.alike) == 1
        say(
            f"{named(trace, rows.alike)} {'sees' if one else 'see'} other tokens, and yet what "
            f"{'it reads' if one else 'they read'} comes to the same numbers."
        )
    if deep and rows.noticed:
        one = len(rows.noticed) == 1
        say(
            f"{named(trace, rows.noticed)} {'sees' if one else 'see'} the same tokens as typed, "
            f"and in the first layer {'reads' if one else 'read'} the same. But in the second "
            f"layer {'it reads' if one else 'they read'} what the others have read, and that has "
            "changed. So with two layers a causal mask tells something of the order."
        )


@fragment
def told(text: str) -> None:
    """The same tokens under each encoding of their places."""
    say(
        "A model is told in its rows, in its queries and keys, or in its scores. *Sinusoidal* and "
        "*learned*: a row for each place is added to $X$. *RoPE* ([rotary](#term-rotary)): pairs "
        "of features of $Q$ and $K$ are turned by an angle that grows with the place. *ALiBi*: the "
        "distance, times a slope of the [head](#term-head), is taken off each scaled score."
    )
    family = encoding_family(text)
    kind = chosen(family)[ENCODING.key]
    trace = family.run(**chosen(family))
    last = len(trace.tokens) - 1
    view = draw_exhibit(trace, ("weights", (0, last, 0)), KEYS, "order_told_", family=family)
    if kind == "rope":
        say_rotation(trace, view.slices["h"])
    else:
        NOTICED[kind](trace)
    if kind == "alibi" and last:
        say_farthest(trace, family.run(**{ENCODING.key: "none"}))
    say_distances(trace, kind, view.slices["h"])
    save_link(KEYS)


def say_none(trace: Trace) -> None:
    say(
        "**What to notice.** Nothing but the mask knows a place here: equal tokens have equal rows "
        "of $Q$, $K$ and $V$, wherever they stand."
    )


def say_sinusoids(trace: Trace) -> None:
    """Binary counting beside sinusoids, and what the distance map says."""
    say(
        "**Counting in binary, and in waves.** Above, each place in bits; below, the sines of "
        f"{len(waves())} waves, orange below 0 and blue above:"
    )
    figure = counting_figure()
    draw_chart(figure, "order_counting")
    turns = [cell_number(trace, "frequency", (0, wave)) for wave in range(trace["sines"].shape[1])]
    say(
        "**What to notice.** In binary the bit for 1 changes at every place, each next bit half "
        "as often as the one above it. Waves do the same smoothly. Those on the stage turn by "
        f"{listed(turns)} radians from one place to the next. Fast ones tell neighbours apart, "
        "slow ones tell far places apart. In the step *Distance map* each diagonal holds one "
        "number: the [dot product](#term-dot-product) of two places depends on their distance "
        "alone, though it need not fall with it."
    )


def say_table(trace: Trace) -> None:
    say(
        "**What to notice.** Training sets this table, as it sets the embeddings. Here it is drawn "
        f"at random, with seed {TABLE_SEED}: {len(trace['PE'])} rows, one for each place. A place "
        "beyond the table's last has no row, so such a model reads no longer text than it was "
        "made for; here the table is made as long as the sentence."
    )


def say_rotation(trace: Trace, head: int) -> None:
    """Each pair of features of a head as an arrow."""
    turns = [operand_text(float(turn), 2) for turn in trace["frequency"][0][::2]]
    array = st.segmented_control(
        "Arrows", ARROWS, key="order_arrows", required=True, format_func=ARROWS.__getitem__,
        label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    what = f"{ARROWS[array]} of head {head + 1}"
    figure = turning_figure(ways_of(trace, array, head), axis_labels(trace, array)[1], turns, what)
    say(f"**The {what}**, a pair of features as an arrow, before and after turning:")
    draw_chart(figure, "order_turning")
    say(
        "**What to notice.** The arrow of place 0 stays. From place to place the turn grows by the "
        "same angle, and no arrow changes its length. Query and key are turned alike, so their "
        "score depends on what they hold and on how far apart they stand, not on where."
    )
    say_pairings()


def say_pairings() -> None:
    """Which features are a pair in published code, and what happens if one mixes them up."""
    query, key = (typeset(", ".join(map(str, row))) for row in (QUERY, KEY))
    rows = [[one.said, typeset(decimal_text(one.score, 3))] for one in pairings()]
    say(
        "**Which features are a pair?** Here 1 and 2, then 3 and 4: neighbours, as in the paper "
        "and in Meta's code for Llama. Hugging Face's port of Llama pairs each feature of the "
        "first half with one of the second. It also puts the columns of W_Q and W_K into another "
        "order, so that the scores stay the same. Without that order the scores differ. For "
        f"$q$ = ({query}) and $k$ = ({key}), {DISTANCE} positions apart:"
    )
    say(markdown_table(["pairs", "score"], rows))


def say_distances(trace: Trace, kind: str, head: int) -> None:
    """One token at many places: its scores with itself, by distance."""
    token = trace.tokens[-1]
    scores = scores_by_distance(kind, token, head)
    told = token_text(token)
    apart_by = spread(scores)
    say(
        f"**By distance.** Here {told} stands at each of {PLACES} places, and nothing but the "
        f"place differs. Its scores with itself in head {head + 1}, before the mask:"
    )
    figure = distance_figure(scores, token)
    draw_chart(figure, "order_distances")
    if is_flat(scores):
        say("One score at every distance: no score tells how far apart two places are.")
    elif apart_by:
        say(
            f"Scores of one distance differ, by up to {typeset(cell_text(apart_by))}: it counts "
            "where both stand, and not only how far apart."
        )
    else:
        say("At each distance one score: it counts how far apart both stand, and not where.")


def say_slopes(trace: Trace) -> None:
    near, far = (
        f"$2^{{{power}}} \\approx$ {cell_number(trace, 'slope', (head, 0, 0))}"
        for head, power in enumerate(slope_powers(HEADS))
    )
    say(
        f"**What to notice.** No row is changed. In head 1 each place of distance costs {near}, "
        f"in head 2 {far}: a head with a large slope leans to what is near, one with a small "
        "slope hardly does. The same distance costs the same anywhere in the text, also beyond the "
        "length that a model was trained on."
    )


def say_farthest(trace: Trace, plain: Trace) -> None:
    """What the slopes take from the token that is farthest from the last one."""
    first, *_, last = axis_labels(trace, "weights")[1]
    before, after = farthest_shares(plain), farthest_shares(trace)
    with st.container(key="beside_farthest"):
        say(
            f"Of what {token_text(last)} reads, the share of the farthest token, "
            f"{token_text(first)}, falls from {before[0]} % without positions to {after[0]} % in "
            f"head 1, and from {before[1]} % to {after[1]} % in head 2."
        )


NOTICED = {
    "none": say_none, "sinusoidal": say_sinusoids, "learned": say_table,
    "alibi": say_slopes,
}  # fmt: skip
frame(
    "word_order",
    "Word order: how does attention know position?",
    "*Dog bites man* and *man bites dog* have the same [tokens](#term-token). "
    "[Attention](#term-attention) compares each [query](#term-query) with each [key](#term-key) "
    "and mixes [values](#term-value): nothing in that says where a token stands. See what follows, "
    "and what a [causal](#term-causal) [mask](#term-mask) changes.",
)
open_link("word_order", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
paired(KEYS)
st.header("Your sentence in another order: which rows follow?", anchor=False)
with st.container(horizontal=True):
    st.text_input("Sentence", key="order_text", width=360, on_change=anew, **KEPT)
    st.text_input(
        "Its tokens in your order", key="order_yours", width=360, on_change=choose_yours,
        placeholder="the same tokens, in any order", **KEPT,
    )  # fmt: skip
SHOWN, YOURS = what_works(FITTING, KEYS, fits).made
say(
    "Here a sentence goes through attention twice, with the same matrices: in another order, and "
    "as typed. A [permutation](#term-permutation) matrix $P$ moves the rows of $X$; the last step "
    "compares what attention makes of the moved rows, $f(PX)$, with the moved result, $P\\,f(X)$."
)
say_drawn(shuffled_family(SHOWN).run())
shuffled(SHOWN, YOURS)
with fold("Why rows follow: step by step", "why", KEYS):
    say(
        "Moving a row of $X$ moves a row of $Q$, of $K$ and of $V$. In the "
        "[scores](#term-score) of the first layer a row and a column move, and no number changes. "
        "[Softmax](#term-softmax) takes a row's numbers in any order, and so does the sum of "
        "values, each times its [weight](#term-weight). A token's place is in none of these "
        "numbers, and only a mask reads it: a model that is to know it must be told."
    )
with fold("Four ways to tell a place", "told", KEYS, OF_PLACES):
    say_drawn(encoding_family(SHOWN).run())
    told(SHOWN)
ask_each(ORDER_QUESTIONS, "order")
in_code(
    shuffled_program,
    encoding_program,
    rotate,
    origin="Sinusoids: Vaswani et al. (2017), section 3.5. RoPE: Su et al. (2021); its pairs in "
    "code: `apply_rotary_emb` of Meta's Llama, `permute` in Hugging Face's conversion of its "
    "weights. ALiBi: Press et al. (2022). Attention treats its tokens as a set: Lee et al., *Set "
    "Transformer* (2019), after Zaheer et al., *Deep Sets* (2017). What a causal mask alone tells "
    "of the order: Haviv et al. (2022), Kazemnejad et al. (2023).",
    step="context_1",
    exhibit="order_",
)
way_on(
    "word_order",
    "Without positions and without a mask, attention gives each token the same row wherever it "
    "stands; a causal mask tells nothing of the order of what is seen in one layer, and something "
    "in two. So places are told: added to the rows, turned into queries and keys, or taken off the "
    "scores.",
)
save_link(KEYS)
