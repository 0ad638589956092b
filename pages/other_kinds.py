"""What can change and still be attention?

Another score, other brackets, weights by distance, a memory of patterns: each a mean with weights.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.other_kinds.convolution import (
    FIRST,
    MIXER,
    mixing_family,
    mixing_program,
    moved,
)
from core.chapters.other_kinds.four import ADDED, DISTANCE, LINEAR, NAMES, SOFTMAX, four_kinds
from core.chapters.other_kinds.hopfield import hopfield_program
from core.chapters.other_kinds.linear import (
    BRACKETS,
    ELU,
    FEATURES,
    HAND,
    LIKE,
    LONGER,
    NONE,
    NUMBERS,
    PAIRS,
    STATE,
    beside,
    costs,
    either_way,
    linear_family,
    linear_inputs,
    linear_program,
)
from core.chapters.other_kinds.questions import KIND_QUESTIONS
from core.chapters.other_kinds.recall import (
    BETA,
    FLIPPED,
    PROBE,
    recall_family,
    recall_program,
    wrong_entries,
)
from core.chapters.other_kinds.scores import (
    ADDITIVE,
    SCORES,
    bound,
    scored_family,
    scored_program,
)
from core.program.labels import listed, token_labels
from core.program.rounding import cell_text, typeset
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fragments import fragment
from ui.frame import frame
from ui.hopfield import HOPFIELD_KEYS, eight_entries, painted
from ui.links import SENTENCE, Key, Keys, one_of, short_sentence, whole
from ui.prose import say, say_drawn
from ui.selection import go
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on
from ui.weight_maps import WeightMap, weight_maps

PARTS = {
    "score": "Another score", "distance": "Weights by distance", "paint": "Paint what it keeps",
    "rest": "A memory at rest", "memory": "A memory that is attention",
}  # fmt: skip
KEYS: Keys = {
    "kinds_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(BRACKETS, FEATURES, NUMBERS),
    **exhibit_keys(linear_program(STATE, ELU), "state", "kinds_", 1, LIKE),
    "kinds_part": Key("score", one_of(*PARTS)),
    **toggle_keys(SCORES),
    **exhibit_keys(scored_program(ADDITIVE), "scores", "kinds_score_", 1, "scaled"),
    **toggle_keys(MIXER, FIRST),
    **exhibit_keys(mixing_program("convolution"), "kernel", "kinds_mix_", 1,
                   "Q|K|W_Q|W_K|scores|scaled|mask|masked|weights"),
    **toggle_keys(BETA, PROBE),
    **HOPFIELD_KEYS,
    "kinds_flips": Key(2, whole(0, len(FLIPPED))),
    **exhibit_keys(recall_program(1.0), "new_state", "kinds_memory_", 1),
}  # fmt: skip
# Where each kind of weights is computed: the part of the page, if any, and its stage's prefix.
STAGES = {
    SOFTMAX: ("distance", "kinds_mix_"), LINEAR: ("", "kinds_"), ADDED: ("score", "kinds_score_"),
    DISTANCE: ("distance", "kinds_mix_"),
}  # fmt: skip
READ_BY_HAND = "context.0.2.0"  # what the last of the three keys' queries reads
FITTING = {"kinds_text": "the sentence"}


def fits(kinds_text: str) -> str:
    """The sentence, where it is short. Raises `InputError`."""
    return few_enough(kinds_text)


def kinds(text: str) -> None:
    """The weights of one sentence, of each kind."""
    found = four_kinds(text)
    labels = token_labels(found[SOFTMAX].trace.tokens)

    def open_kind(kind: str) -> None:
        part, prefix = STAGES[kind]
        put(**found[kind].options, **({"kinds_part": part} if part else {}))
        go(found[kind].array, prefix)

    maps = [
        WeightMap(kind, NAMES[kind], of.weights, f"{STAGES[kind][1]}stage")
        for kind, of in found.items()
    ]
    with st.container(key="beside_kinds"):
        weight_maps("kinds_board", labels, maps, open_kind)
        last = len(labels) - 1
        most = [
            f"{token_text(labels[of.most])} ({named(kind)}, "
            f"{typeset(cell_text(of.weights[last][of.most]))})"
            for kind, of in found.items()
        ]
        say("**Try it.** Press a map: it opens on a stage below, where each number is computed.")
        say(
            "**What to notice.** All four mix the same values, each times a weight. Most of what "
            f"{token_text(labels[last])} reads is from {listed(most)}."
        )


def named(kind: str) -> str:
    """A kind's name in a sentence."""
    return NAMES[kind].lower().replace("score", "[score](#term-score)")


@fragment
def linear(text: str) -> None:
    """The sentence with the brackets in either place, beside softmax."""
    family = linear_family(text)
    now = chosen(family)
    trace = family.run(**now)
    T, last = len(trace.tokens), len(trace.tokens) - 1
    by_hand()
    draw_exhibit(trace, ("context", (0, last, 0)), KEYS, "kinds_", family=family)
    pairs, state = costs(trace)
    say(
        f"**Two forms, one result.** A matrix of all pairs has {pairs} numbers here, and grows "
        f"with the square of the number of tokens. A state with its sum of keys has {state}, for a "
        "text of any length, and what the text held must fit into them."
        + (
            f" The stage shows {T} states, one after each token: each replaces the one above it."
            if now[BRACKETS.key] == STATE and T > 1
            else ""
        )
    )
    with st.container(key="beside_shares"):
        both = beside(linear_inputs(text, now[NUMBERS.key]), now[FEATURES.key])
        labels = token_labels(trace.tokens)
        say(f"**What {token_text(labels[last])} reads from each token:**")
        rows = [
            ["softmax", *(typeset(cell_text(x)) for x in both.softmax[last])],
            ["linear", *(typeset(cell_text(x)) for x in both.linear[last])],
        ]
        say(markdown_table(["weights", *labels], rows))
        say(
            "**What to notice.** Over all rows the two differ by "
            f"{typeset(cell_text(both.apart))} at most. In the last row the largest weight is "
            f"{typeset(cell_text(both.largest[0]))} with softmax and "
            f"{typeset(cell_text(both.largest[1]))} in linear attention. With a query {LONGER} "
            f"times as long, softmax gives up to {typeset(cell_text(both.longer))}, because $e^x$ "
            "turns differences into ratios. "
            + (
                "In linear attention no query can give one of these keys more than "
                f"{typeset(cell_text(both.limit))}. With φ no number can be below 0, so each row "
                "is made of shares."
                if now[FEATURES.key] == ELU
                else f"Without φ a longer query changes nothing. {_without_phi(both.below)}"
            )
        )
    save_link(KEYS)


def by_hand() -> None:
    """Three keys that a head can work out, with either brackets; a press shows them."""
    pairs, state = (either_way(NONE)[brackets] for brackets in (PAIRS, STATE))
    say(
        "**By hand.** A query (1, 1) meets the [keys](#term-key) (1, 0), (0, 1) and (1, 1), whose "
        "values are 1, 2 and 3. Without φ, all pairs give "
        f"{pairs.quotient} = {typeset(cell_text(pairs.context))}, and the state gives "
        f"{state.quotient} = {typeset(cell_text(state.context))}."
    )
    st.button("Show these three keys on the stage", key="kinds_by_hand", on_click=show_by_hand)


def show_by_hand() -> None:
    """Send the stage to what the last of the three keys reads."""
    put(**{NUMBERS.key: HAND, FEATURES.key: NONE})
    go("context", "kinds_")
    put(kinds_cell=READ_BY_HAND)


def _without_phi(below: int) -> str:
    """What becomes of shares where nothing keeps them above 0: so many are below."""
    if below:
        return (
            f"Without φ dot products may be below 0: here {below} of these numbers are. They still "
            "add up to 1 in each row, but they are no shares."
        )
    return "Without φ dot products may be below 0, and then there are no shares; here none is."


@fragment
def parts(text: str) -> None:
    """More that can change, one thing at a time."""
    st.segmented_control(
        "What else changes", PARTS, key="kinds_part", required=True,
        format_func=PARTS.__getitem__, label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    part = st.session_state.kinds_part
    if part == "score":
        scoring(text)
    elif part == "distance":
        mixing(text)
    elif part == "rest":
        eight_entries(KEYS)
    elif part == "paint":
        painted(KEYS)
    else:
        remembering()
    save_link(KEYS)


@fragment
def scoring(text: str) -> None:
    """The additive score of the first attention, beside a dot product."""
    say(
        "**The first attention** (2015) did not take a dot product. It added query and key, bent "
        "each sum with tanh, and weighed the results: "
        "$v_a^\\top \\tanh(q + k)$. Its query was the state of the [decoder](#term-decoder) "
        "before the word to be written, its keys were rows of the [encoder](#term-encoder)."
    )
    family = scored_family(text)
    now = chosen(family)
    trace = family.run(**now)
    additive = now[SCORES.key] == ADDITIVE
    last = len(trace.tokens) - 1
    draw_exhibit(trace, ("scores", (0, last, 0)), KEYS, "kinds_score_", family=family)
    limit = (
        f"No score here is further from 0 than {typeset(cell_text(bound(trace)))}, "
        "because tanh stays between −1 and 1. "
        if additive
        else "The spread of dot products grows with $d_k$: it is $\\sqrt{d_k}$ for independent "
        "entries of mean 0 and variance 1. Dividing by $\\sqrt{d_k}$ undoes that growth. It sets "
        "no bound: one score may be of any size. "
    )
    say(
        f"**What to notice.** {limit}An additive score needs a tanh for every feature of every "
        "pair; dot products of all pairs are one product of matrices, which processors do fast. "
        "That is why dot products have stayed."
    )
    save_link(KEYS)


@fragment
def mixing(text: str) -> None:
    """A convolution beside attention, and what another token changes in both."""
    say(
        "**A [convolution](#term-convolution) mixes rows too.** It takes those near by, each times "
        "a weight that depends on the distance alone. Turn the first token's row around, and see "
        "which weights follow."
    )
    family = mixing_family(text)
    now = chosen(family)
    trace = family.run(**now)
    last = len(trace.tokens) - 1
    draw_exhibit(trace, ("context", (0, last, 0)), KEYS, "kinds_mix_", family=family)
    found = {kind: moved(text, kind, 0) for kind in MIXER.options}
    rows = [
        [MIXER.options[kind], f"{m.weights} of {m.of_weights}", f"{m.rows} of {m.of_rows}"]
        for kind, m in found.items()
    ]
    say("**What turning the first token around changes:**")
    say(markdown_table(["weights", "other weights", "other rows"], rows))
    say(
        "**What to notice.** A kernel is learned once and then holds for every text: few numbers, "
        "and the same at each place, so what is learned at one place holds at all. Attention "
        "makes new weights for each text, and reaches as far as the text goes. Which is better "
        "depends on what one knows of the data beforehand."
    )
    save_link(KEYS)


@fragment
def remembering() -> None:
    """Patterns that are recalled from a part: attention with β."""
    say(
        "**A memory that is attention.** A Hopfield network starts from a noisy pattern and is to "
        "bring back the stored one. In its modern form (2021) one step is "
        "$\\text{softmax}(\\beta\\, \\xi X^\\top) X$, with the patterns as rows of $X$: "
        "attention with one query, and with the patterns as keys and as values."
    )
    flips = st.slider("Flipped entries", 0, len(FLIPPED), key="kinds_flips", width=260, **KEPT)
    family = recall_family(flips)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("new_state", (0, 0, 0)), KEYS, "kinds_memory_", family=family)
    number = int(now[PROBE.key])
    before, after = wrong_entries(trace, number - 1)
    with st.container(key="beside_recall"):
        say(
            f"**What to notice.** Entries with another sign than those of pattern {number}: "
            f"{before} in the state, {after} after one update. "
            + ("The pattern is back." if before and not after else "")
        )
    say(
        "β sharpens: a large one gives nearly all to the pattern that is most like the state, a "
        "small one mixes several. Where two patterns are as like it, the update stands between "
        "them, whatever β is."
    )
    save_link(KEYS)


frame(
    "other_kinds",
    "Other kinds of attention: what can change and still be attention?",
    "[Attention](#term-attention) is a mean of [values](#term-value), each times a "
    "[weight](#term-weight). Nothing says that the weights must come from "
    "[softmax](#term-softmax) of [dot products](#term-dot-product). Change one thing at a time.",
)
open_link("other_kinds", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input("Sentence", key="kinds_text", width=360, **KEPT)
SHOWN = what_works(FITTING, KEYS, fits).made
kinds(SHOWN)
say_drawn(linear_family(SHOWN).run())
st.header("Without the exponential: two forms", anchor=False)
say(
    "**Linear attention** leaves $e^x$ out. What row $i$ reads is then a sum of products, "
    "$\\sum_{j \\le i} (\\phi(q_i) \\cdot \\phi(k_j))\\, v_j$, over a total. Its "
    "[query](#term-query) can be taken out of the sum: "
    "$\\phi(q_i) \\cdot \\sum_{j \\le i} \\phi(k_j)^\\top v_j$. The first form needs every pair of "
    "[tokens](#term-token). The second adds each token to a state and reads the state."
)
linear(SHOWN)
st.header("What else can change", anchor=False)
parts(SHOWN)
ask_each(KIND_QUESTIONS, "kinds")
in_code(
    linear_program,
    scored_program,
    mixing_program,
    recall_program,
    hopfield_program,
    origin="Linear attention: Katharopoulos et al. (2020). The additive score: Bahdanau, Cho and "
    "Bengio (2015). Attention with a kernel by distance and attention by content compared: "
    "Cordonnier et al. (2020). Hopfield networks: Hopfield (1982); as attention: Ramsauer et al. "
    "(2021).",
    step="context",
    exhibit="kinds_",
)
way_on(
    "other_kinds",
    "Scores, shares and brackets can change, and it is still a mean with weights. Without $e^x$ "
    "the text fits into a state of fixed size, but a longer query can no longer choose as sharply "
    "as one likes; weights by distance need no queries, and know nothing of the content.",
)
save_link(KEYS)
