"""What goes wrong without √d_k?

The more features two vectors have, the wider their dot products spread; softmax of a wide row gives
nearly all weight to one key and passes almost no gradient back. Dividing by √d_k undoes the spread.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.why_scale.questions import SCALE_QUESTIONS
from core.chapters.why_scale.saturation import (
    N_KEYS,
    ROW_D,
    ROW_ROOT,
    ROWS,
    Saturation,
    saturation,
    softmax_jacobian,
)
from core.chapters.why_scale.sentence import D_K, PROGRAMS, SCALED, sentence_family
from core.chapters.why_scale.variance import DIMENSIONS, DRAWS, GRID_D, Sample, dot_products, sample
from core.limits import MAX_SEED
from core.operations.scaling import divide_by_root
from core.program.display import shown
from core.program.labels import axis_label
from core.program.rounding import decimal_text, operand_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.softmax import weights_figure
from ui.charts.why_scale import (
    SCALING_BARS,
    grid_figure,
    saturation_figure,
    spread_figure,
    variance_figure,
)
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, sentence_of, whole
from ui.prose import cell_number, say, say_drawn, typeset_symbols
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

DIVISORS = (1, 2, 4, 8, 16, 32, 64)


OF_SENTENCE: Keys = {
    **toggle_keys(SCALED, D_K),
    **exhibit_keys(PROGRAMS["on"], "weights", "scale_"),
}
KEYS: Keys = {
    "scale_d": Key(64, among(*DIMENSIONS)),
    "scale_draws": Key(5000, among(*DRAWS)),
    "scale_seed": Key(0, whole(0, MAX_SEED)),
    "scale_divisor": Key(ROW_ROOT, among(*DIVISORS)),
    "scale_row": Key(2, whole(0, MAX_SEED)),
    "scale_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    **OF_SENTENCE,
}


def plainly(value: float) -> str:
    """A number of a control: −1,000."""
    return typeset(f"{value:,}")


def number(value: float, decimals: int = 2) -> str:
    return typeset(decimal_text(float(value), decimals))


@fragment
def wide_rows() -> None:
    """Scores spread with d, and softmax of a wide row chooses one key; then the proofs."""
    left, right = st.columns(2)
    with left:
        d, drawn = spread()
    with right:
        divisor, rows = one_row()
    with fold("Why the variance is d, term by term", "scale_proof", KEYS):
        proof(d, drawn)
    with fold("What a wide row does to softmax", "scale_many", KEYS):
        many_rows(divisor, rows)
    save_link(KEYS)


def spread() -> tuple[int, Sample]:
    """Histograms of q·k with √d and without."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        d = st.select_slider(
            typeset_symbols("d = d_k, the number of features of q and k"),
            DIMENSIONS,
            key="scale_d",
            width=270,
            **KEPT,
        )
        draws = st.select_slider(
            "Draws", DRAWS, key="scale_draws", format_func=plainly, width=130, **KEPT
        )
        seed = st.number_input("Seed", 0, MAX_SEED, key="scale_seed", width=130, **KEPT)
    drawn = sample(draws, seed)
    here = drawn.at(d)
    draw_chart(spread_figure(here.plain, here.scaled, d), "scale_spread")
    say("**Try it.** Move d: the upper scores spread out, those divided by √d do not.")
    say(
        f"**Notice.** In {draws:,} draws at d = {d}, q·k has mean {number(here.mean)} and "
        f"[variance](#term-variance) **{number(here.variance)}**; with more draws they approach 0 "
        f"and {d}. Divided by √{d} = {operand_text(here.root, 2)}, its variance is "
        f"**{number(here.scaled_variance)}**."
    )
    return d, drawn


def one_row() -> tuple[int, Saturation]:
    """The weights of one row of scores, undivided and divided."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        divisor = st.select_slider(
            f"One row at d = {ROW_D}: divide its scores by (√{ROW_D} = {ROW_ROOT})",
            DIVISORS,
            key="scale_divisor",
            width=300,
            **KEPT,
        )
        seed = st.number_input("Seed of the row", 0, MAX_SEED, key="scale_row", width=150, **KEPT)
    rows = saturation(seed)
    names = "undivided", f"divided by {divisor}"
    parts = [rows.divided(by).weights for by in (1, divisor)]
    figure = weights_figure(
        [f"k{n + 1}" for n in range(N_KEYS)], list(zip(names, parts, strict=True)), SCALING_BARS
    )
    draw_chart(figure, "scale_row_weights")
    without, with_root = rows.at(ROW_D)
    say(
        f"**Notice.** At d = {ROW_D} the largest of {N_KEYS} weights is "
        f"**{number(without, 3)}** on average without √d and **{number(with_root, 3)}** with "
        f"it. This is one row: a query and {N_KEYS} keys at d = {ROW_D}, scores "
        f"{', '.join(number(score, 1) for score in rows.row)}."
    )
    return divisor, rows


def proof(d: int, drawn: Sample) -> None:
    """The variance against d, and the terms that it is the sum of."""
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        say(
            "The mean of q·k is 0, so its variance is "
            "the mean of its square, and that is a sum over all pairs i, j:\n\n"
            r"$$\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d}\sum_{j=1}^{d}"
            r"\mathbb{E}[\,q_i k_i\,q_j k_j\,]$$"
            "\n\nWhere i = j, a term is E[q²]·E[k²] = 1. Elsewhere its four factors are "
            "independent with mean 0, so it is 0. That leaves the d ones of the diagonal. Divided "
            "by √d, every square is divided by d, and the variance is 1.\n\n"
            f"The grid shows the same terms as means over your draws, for d = {GRID_D}. Its cells "
            f"add up to {number(drawn.grid_sum)}. The entries of q and k are independent draws "
            "from N(0, 1): a model of queries and keys before training, not of what training "
            "makes of them."
        )
        figure = variance_figure(DIMENSIONS, drawn.variances, drawn.scaled_variances, d)
        draw_chart(figure, "scale_variance")
    with right:
        draw_chart(grid_figure(drawn.grid), "scale_grid")


def many_rows(divisor: int, rows: Saturation) -> None:
    """Measures of the one row, and their means of many rows against d."""
    raw, divided = rows.divided(1), rows.divided(divisor)
    left, right = st.columns(2)
    with left:
        say("**The row above.** [Entropy](#term-entropy) tells how evenly the weights are spread.")
        table = [
            ("Largest weight", *(number(row.largest, 3) for row in (raw, divided))),
            (
                f"Entropy in nats, at most log {N_KEYS} = {number(raw.most_nats)}",
                *(number(row.nats) for row in (raw, divided)),
            ),
            (
                f"Entropy in bits, at most {number(raw.most_bits)}",
                *(number(row.bits) for row in (raw, divided)),
            ),
            ("Entropy / the most", *(number(row.evenness) for row in (raw, divided))),
            ("Norm of the Jacobian", *(number(row.jacobian_norm) for row in (raw, divided))),
        ]
        say(markdown_table(["row", "undivided", f"divided by {divisor}"], table))
        say(
            "Softmax's Jacobian, diag(p) − p pᵀ, says how the weights p answer to a small "
            "change of the numbers that enter softmax; its norm is the root of its summed squares. "
            "Where one weight is near 1, all entries are near 0, and training learns almost "
            "nothing from the row."
        )
    with right:
        say(f"**Many rows**: means of {ROWS:,} such rows at every d.")
        figure = saturation_figure(DIMENSIONS, rows.unscaled, rows.scaled)
        draw_chart(figure, "scale_saturation")


@fragment
def sentence_exhibit() -> None:
    """The walkthrough's stage: the weights of one sentence, without the scale and with it."""
    st.text_input("Sentence", key="scale_text", width=360, **KEPT)
    working = what_works({"scale_text": "the sentence"}, KEYS, with_and_without)
    runs, family = working.made, sentence_family(working.values["scale_text"])
    now = chosen(family)[SCALED.key]
    here, there = (runs["on"], runs["off"]) if now == "on" else (runs["off"], runs["on"])
    say_drawn(here)
    pair = (0, *neighbours(len(here.tokens)))
    draw_exhibit(here, ("weights", pair), KEYS, "scale_", other=there, family=family)
    query, key = (token_text(axis_label(here, "i", at)) for at in pair[1:])
    ours, theirs = cell_number(here, "weights", pair), typeset(shown(there, "weights", pair))
    is_scaled, is_not = ("With", "without") if now == "on" else ("Without", "with")
    say(
        "There is one [head](#term-head), so d_k = d_model here. "
        f"{is_scaled} the scale, {query} gives {key} the weight **{ours}**, {is_not} it "
        f"**{theirs}**. The small number below another on the stage says how far it is from what "
        f"it would be {is_not} the scale."
    )


def with_and_without(scale_text: str) -> dict[str, Trace]:
    """The sentence with the scale and without. Raises `InputError`."""
    family = sentence_family(scale_text)
    return {name: family.run(**chosen(family) | {SCALED.key: name}) for name in SCALED.options}


frame(
    "why_scale",
    "Why scale: what goes wrong without √d_k?",
    "The more features [query](#term-query) and [key](#term-key) have, the wider their [dot "
    "products](#term-dot-product) spread. [Softmax](#term-softmax) of such a row gives nearly all "
    "[weight](#term-weight) to one key, and training gets almost no [gradient](#term-gradient) "
    "through it. [Attention](#term-attention) divides the [scores](#term-score) by √d_k.",
)
open_link("why_scale", KEYS)
say_messages()
wide_rows()
with fold(
    typeset_symbols("The same sentence, without √d_k and with it"), "scale_sentence", KEYS,
    OF_SENTENCE,
):  # fmt: skip
    sentence_exhibit()
with fold("What scaling does not do", "scale_more", KEYS):
    say(
        "√d_k controls the variance of the scores; it is subtracting the maximum "
        "that keeps softmax from overflowing. d_k counts the features of one head's queries and "
        "keys, d_model / H for H equal heads, not d_model. And variance 1 is a statement about "
        "independent vectors at the start of training: a query and a key that match may score far "
        "more."
    )
ask_each(SCALE_QUESTIONS, "scale")
in_code(
    divide_by_root,
    dot_products,
    softmax_jacobian,
    origin="Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1 and footnote 4, "
    "which gives the mean 0 and the variance d_k.",
    step="scaled",
    exhibit="scale_",
)
way_on(
    "why_scale",
    "The dot product of two vectors of $d_k$ independent entries, with mean 0 and variance 1, has "
    "the variance $d_k$. Divided by $\\sqrt{d_k}$ it has the variance 1, however many entries "
    "there are.",
)
save_link(KEYS)
