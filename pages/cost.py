"""Where do work, memory and parameters go?

Scores grow with the square of the text, all else with the text or not at all; counted, and drawn.
"""

from collections.abc import Mapping

import streamlit as st

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.attention.costs import Block, Layer, size_text
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.cost.batch import (
    LAYOUT,
    OTHERS,
    PADDED,
    TEXT,
    Batch,
    Packed,
    Padded,
    batch,
    batch_family,
    batch_program,
)
from core.chapters.cost.growth import (
    BLOCK,
    BYTES,
    D_MODEL,
    ENDS,
    HEADS,
    HELD,
    LENGTHS,
    PLACES,
    WORK,
    bytes_of,
    counts,
    even_at,
    marked,
    scores_written,
    share,
    share_of_block,
    strip_width,
    table,
    written,
)
from core.chapters.cost.parts import LENGTHS as CONTEXTS
from core.chapters.cost.parts import (
    NAMES,
    is_plain,
    model_named,
    parameter_shares,
    per_token,
    percent,
    plain,
    plain_half,
    shares,
    shares_over,
)
from core.chapters.cost.parts import PLACES as TEXTS
from core.chapters.cost.questions import COST_QUESTIONS
from core.program.labels import axis_labels
from core.program.rounding import cell_text, decimal_text, typeset
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.cost import (
    areas_figure,
    billions,
    crossing_figure,
    growth_figure,
    parameters_figure,
    shares_figure,
)
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, one_of, sentence_of
from ui.measuring import measurement
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

PARTS = {"parameters": "Where the parameters are", "work": "Where the work is"}
OF_LAYOUTS: Keys = {
    **toggle_keys(LAYOUT, TEXT),
    **exhibit_keys(batch_program(Padded(PADDED), 0, 1), "weights", "cost_", HEADS),
}
OF_PARTS: Keys = {
    "cost_part": Key("parameters", one_of(*PARTS)),
    "cost_model": Key("GPT-3", one_of(*NAMES)),
    "cost_context": Key(2048, among(*CONTEXTS)),
}
KEYS: Keys = {
    "cost_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    "cost_tokens": Key(1024, among(*LENGTHS)),
    **OF_LAYOUTS,
    **OF_PARTS,
}


def as_batch(cost_text: str) -> Batch:
    """The sentence with the other texts. Raises `InputError`."""
    return batch(cost_text)


@fragment
def growth(text: str) -> None:
    """T² against T as areas, and the share of T² in the work; then all that is counted."""
    tokens = st.select_slider(
        "Tokens $T$", LENGTHS, key="cost_tokens", format_func="{:,}".format, width=420, **KEPT
    )
    left, right = st.columns(2)
    with left:
        say(f"**Work of one layer** with $d$ = {D_MODEL} features, drawn to scale")
        draw_chart(areas_figure(tokens, strip_width()), "cost_areas")
    with right:
        say("**Share of [scores](#term-score) and weighted sum** in all work")
        figure = crossing_figure(
            PLACES,
            {
                "attention alone": list(map(share, PLACES)),
                "a whole block": list(map(share_of_block, PLACES)),
            },
            (even_at(), float(BLOCK.half)), tokens,
        )  # fmt: skip
        draw_chart(figure, "cost_crossing")
    marks = marked(len(tokenise(text)), tokens)
    quadratic, linear = (str(each.times(tokens)) for each in WORK)
    say("**Try it.** Move T: the square grows both ways, the strip only down.")
    say(
        f"**Notice.** From {tokens:,} to {marks['2T']:,} tokens: scores and their "
        f"work **× {quadratic}**, [projections](#term-projection), keys and "
        f"[values](#term-value) **× {linear}**, [parameters](#term-parameter) "
        f"**× {HELD[-1].times(tokens)}**."
    )
    with fold("Work and memory, counted", "cost_counted", KEYS):
        counted(tokens, marks)
    save_link(KEYS)


def counted(tokens: int, marks: Mapping[str, int]) -> None:
    """Work and memory against T, at the sentence and at a T that is chosen."""
    quadratic, linear = (str(each.times(tokens)) for each in WORK)
    places = list(marks.values())
    for column, key, quantities, what, unit in zip(
        st.columns(2), ("cost_work", "cost_held"), (WORK, HELD),
        ("**Work** of one layer: multiplications", "**Memory** of one layer: numbers held"),
        ("multiplications", "numbers"), strict=True,
    ):  # fmt: skip
        figure = growth_figure(
            unit, {each.name: each.degree for each in quantities}, ENDS,
            [counts(each, ENDS) for each in quantities], marks,
            [counts(each, places) for each in quantities],
        )  # fmt: skip
        with column:
            say(what)
            draw_chart(figure, key)
    rows = [
        [row.name, *(f"{count:,}" for count in row.counts), f"× {row.times}"]
        for row in table(places)
    ]
    head = ["count", *(f"{name}: {T:,}" for name, T in marks.items()), "doubled"]
    say(markdown_table(head, rows))
    scores, cache = (size_text(bytes_of(each, tokens)) for each in HELD[:2])
    say(
        f"Twice as many tokens take **{quadratic} times** the work in "
        f"scores and weighted sum, and {linear} times the work in "
        "projections. So for long texts the pairs count, for short ones the "
        f"projections: here, with d_model = {D_MODEL}, both are equal at $T$ = {even_at()}, "
        "twice d_model; beside a feed-forward net too, as in a whole model, at six times. The "
        "table counts all $T^2$ pairs, hidden ones too. "
        f"The scores of {tokens:,} tokens take {scores}, their keys and values {cache}, at "
        f"{BYTES} bytes a number. A fused kernel (FlashAttention, Dao et al. 2022) makes the "
        "scores piece by piece and never holds all of them: its memory grows as $T$, its work "
        "still as $T^2$."
    )
    say(
        "**A price by token** does not ask where in the text a token stands. The work does. "
        f"Written with a [cache](#term-cache), token 1 takes {written(1):,} multiplications in "
        f"this layer, and token {tokens:,} takes {written(tokens):,}, because it meets every key "
        f"so far. No hidden pair is computed: all {tokens:,} tokens make "
        f"{scores_written(tokens):,} scores, of the {HELD[0].count(tokens):,} that the table "
        "counts."
    )


@fragment
def layouts(text: str) -> None:
    """A batch on the stage, padded or packed, and what each layout computes."""
    others = " and ".join(f"“{other}”" for other in OTHERS)
    say(
        "Models read several texts at once: a batch. [Padding](#term-padding) fills each text up "
        "to the longest; [packing](#term-packing) puts all of them into one row. This batch is "
        f"the sentence above, {others}. Packed, “Text” says whose rows the last step keeps."
    )
    family = batch_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("weights", (0, 2, 0)), KEYS, "cost_", family=family)
    made = batch(text)
    token = token_text(axis_labels(trace, "kept")[0][0])
    padded, packed = made.padded, made.packed
    rows = [[name, *(f"{n:,}" for n in numbers)] for name, numbers in made.table.items()]
    head = ["batch", "rows of X", "of them PAD", "scores computed", "used", "thrown away"]
    say(markdown_table(head, rows))
    apart = (
        f"differ by {typeset(cell_text(made.apart))} at most, for floats are added in another order"
        if made.apart
        else "are the same, bit for bit"
    )
    say(
        f"**What to notice.** Padded, **{padded.padding} of {padded.rows}** rows are PAD. Nobody "
        "reads them, and yet each is multiplied by every weight matrix, in this layer and in all "
        f"others. The texts have {packed.rows} tokens, and a price by token counts no more. "
        f"Packed, there is no such row. The rows that are kept {apart}. In the last step, "
        f"feature 1 of {token} is {cell_number(trace, 'kept', (0, 0))} either way."
    )
    say(
        "**Scores are another matter.** The packed texts make one long row, and its whole square "
        f"has {packed.scores:,} scores, {made.packed_needs} the padded ones have. Those between "
        "two texts are hidden by the [mask](#term-mask), but they are computed. "
        f"A kernel that is told where each text begins leaves them out: {packed.within:,} are "
        "left, or some more, for it works in tiles (`flash_attn_varlen_func` of FlashAttention, "
        "`varlen_attn` of PyTorch). Padding stands at the end here, so the "
        "[causal](#term-causal) mask alone would keep it from every token of a text; where it "
        "stands in front, the mask must name it."
    )
    save_link(KEYS)


@fragment
def parts() -> None:
    """Published models, one part at a time."""
    st.segmented_control(
        "What is counted", PARTS, key="cost_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    st.segmented_control("Model", NAMES, key="cost_model", required=True, **KEPT)
    {"parameters": parameters, "work": work}[st.session_state.cost_part]()
    say("Sources: " + "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS) + ".")
    save_link(KEYS)


def parameters() -> None:
    """What training sets: attention, feed-forward and embeddings of each model."""
    model = model_named(st.session_state.cost_model)
    held = model.parameters
    figure = parameters_figure({m.name: m.parameters for m in CONFIGURATIONS}, model.name)
    draw_chart(figure, "cost_parameters")
    attention, feeding, embedding = map(percent, parameter_shares(model))
    compute = shares(model, model.context)
    kept = (
        "each with keys and values of its own"
        if model.kv_heads == model.heads
        else f"which share {model.kv_heads} key/value heads"
    )
    say(
        f"**{model.name}** has {billions(held.all)} parameters: "
        f"{billions(held.attention)} in attention, **{attention}**; {billions(held.feeding)} in "
        f"[feed-forward](#term-feed-forward), {feeding}; {billions(held.embedding)} in "
        f"[embeddings](#term-embedding), {embedding}. Counted from the sizes of its {model.layers} "
        f"layers: d_model = {model.d_model:,}, {model.heads} [heads](#term-head) of "
        f"{model.d_head} features, {kept}, and "
        f"{model.matrices} feed-forward matrices, {model.d_ff:,} wide. Biases and norms are left "
        "out."
    )
    say(
        "**What to notice.** A share of the parameters is no share of the work. Over the "
        f"{model.context:,} tokens that {model.dated} was trained on at once, attention takes "
        f"{percent(compute.attention)} of the multiplications in its layers, and "
        f"{percent(compute.quadratic)} are scores and weighted sum, which have no "
        "parameters at all; embeddings are looked up. The longer the text, the larger that share."
    )
    say_banded(model)


def say_banded(model: Configuration) -> None:
    """Where a model's layers are counted as more than they are."""
    if model.banded:
        say(
            f"In every second layer of {model.name} a token sees only its neighbourhood (Brown et "
            "al.: alternating dense and locally banded sparse attention). Here all layers are "
            "counted as full ones; in the real model scores take less."
        )


def work() -> None:
    """What a pass over a text multiplies: projections, feed-forward, scores and weighted sum."""
    model = model_named(st.session_state.cost_model)
    tokens = st.select_slider(
        "Tokens of a text", CONTEXTS, key="cost_context", format_func="{:,}".format, width=420,
        **KEPT,
    )  # fmt: skip
    half = float(model.block.half)
    figure = shares_figure(model.name, TEXTS, shares_over(model, TEXTS), half, tokens)
    draw_chart(figure, "cost_shares")
    now = shares(model, tokens)
    quadratic, projections, feeding = map(percent, (now.quadratic, now.projections, now.feeding))
    say(
        f"**{model.name}, {tokens:,} tokens:** scores and weighted sum are **{quadratic}** of "
        f"the multiplications in its layers, projections {projections}, "
        f"feed-forward {feeding}. All layers take "
        f"{decimal_text(per_token(model, tokens), 2)} billion [FLOPs](#term-flop) for each token: "
        "a multiplication and an addition are two. What makes scores for the vocabulary out of the "
        "last layer's rows is not counted."
    )
    say_banded(model)
    say(
        "With $d$ features, keys of their own for all [heads](#term-head), and a feed-forward of "
        "two matrices $d \\times 4d$, the share of scores and weighted sum is\n\n"
        r"$$\frac{2T^2d}{12d^2T+2T^2d}=\frac{T}{6d+T}$$"
    )
    supposed = percent(plain(model, tokens))
    exact = (
        f"{model.name} has these sizes: the formula gives {supposed}, and a half at $6d$ = "
        f"{plain_half(model):,} tokens."
        if is_plain(model)
        else f"{model.name} has other sizes. The formula would give {supposed} and a half at $6d$ "
        f"= {plain_half(model):,} tokens; its own sizes give {quadratic} and {half:,.0f}."
    )
    say(
        f"{exact} Hidden pairs are counted; a kernel that leaves them out needs about half of "
        "that part."
    )
    say(
        "**What to notice.** In short texts feed-forward has the most work; scores and weighted "
        "sum take over as the text grows. And multiplications are not time: a fused kernel makes "
        "the same products, and what it saves is moving scores to memory and back. Where it is "
        "faster, that shows what moving numbers had cost, not that these products are most of "
        "the work."
    )


frame(
    "cost",
    "What it costs: where do work, memory and parameters go?",
    "In [attention](#term-attention) every [query](#term-query) meets every [key](#term-key), so "
    "its work grows with the square of the text: twice as many [tokens](#term-token), four times "
    "as many pairs. All else grows with the text, or not at all.",
)
open_link("cost", KEYS)
say_messages()
main = st.container()
with fold("Padded or packed", "cost_layouts", KEYS, OF_LAYOUTS):
    st.text_input("Sentence", key="cost_text", width=360, **KEPT)
    text = what_works({"cost_text": "the sentence"}, KEYS, as_batch).values["cost_text"]
    say_drawn(batch_family(text).run(**{TEXT.key: "1"}))
    layouts(text)
with main:
    growth(text)
with fold("Published models, counted", "cost_parts", KEYS, OF_PARTS):
    parts()
with fold("Measured here", "cost_measured", KEYS):
    measurement()
ask_each(COST_QUESTIONS, "cost")
in_code(
    Layer,
    Block,
    Packed,
    origin="Work and parameters of a transformer, counted: Kaplan et al. (2020), section 2.1. "
    "Gated feed-forward layers: Shazeer (2020). Packing with a mask between texts: Krell et al. "
    "(2021). Scores that are never held all at once: Dao et al. (2022).",
    step="scores",
    exhibit="cost_",
)
way_on(
    "cost",
    "Scores grow with the square of the text, projections and the cache with the text, parameters "
    "not at all; so pairs of tokens count for most in long texts: from $2d$ tokens on against "
    "projections alone, from $6d$ on with a feed-forward net counted too. What share of the "
    "parameters a part has says nothing of its share of the work.",
)
save_link(KEYS)
