"""Every sentence of 'what it costs', at the ends of its controls."""

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.configurations import CONFIGURATIONS
from core.attention.tokens import tokenise
from core.chapters.cost.batch import OTHERS, batch
from core.chapters.cost.growth import (
    BYTES,
    HELD,
    WORK,
    bytes_of,
    cached_token_work,
    estimated_share,
    growth_table,
    is_plain,
    model_named,
    parameter_shares,
    per_token,
    share,
    share_of_block,
    work_shares,
)
from core.chapters.cost.real_model import TEXTS_READ, cache_kept, weights_read
from core.models.captures import captured_run
from core.pytorch import speed
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, agree, only, rounding, row_of
from tests.ui.claims import RANDOM_WEIGHTS, SYMBOL, Inventory, drawn, drawn_with
from tests.ui.support import prose
from ui.chapters.cost import cost_growth

GROWS = {2: "as T²", 1: "as T", 0: "not at all"}


def marks(page: AppTest) -> list[int]:
    """The sentence, T and 2T."""
    T = page.session_state.cost_tokens
    return [len(tokenise(page.session_state.cost_text)), T, 2 * T]


@proves("""
    every query meets every key: twice the tokens make four times the pairs. Everything else grows
    linearly or not at all | From {tokens} to {doubled} tokens: scores and their work × {quadratic};
    projections, keys and values × {linear}; parameters × {fixed} | With padding, {padding} of
    {rows} rows are PAD | A per-token price counts only the {tokens} rows of the texts | Over
    {context} tokens, attention takes {attention} of the multiplications in {model}'s layers. Scores
    and weighted sum take {quadratic} | a token sees {seen} keys, and {needed} weights or fewer hold
    {percent} %. Attention computes all of them | {model}, {tokens} tokens: scores and weighted sum
    are {quadratic} of the multiplications in its layers; projections {projections}, feed-forward
    {feeding}. [beyond] {model} reads at most {most} tokens, so this counts layers of its sizes |
    With $d$ features, keys of their own for all heads, and two feed-forward matrices | the fraction
    of scores and weighted sum | [exact] {model} has these sizes, so they take half at $6d$ =
    {supposed_half} tokens. [else] {model} has other sizes. The formula would give {supposed} and a
    half at $6d$ = {supposed_half} tokens; its own sizes give {quadratic} and {half} | With {bytes}
    bytes per number, the scores of {tokens} tokens take {scores}, their keys and values {cache} |
    With a cache, token 1 takes {first} multiplications in this layer, and token {tokens} takes
    {last} | {model} has {all} parameters: {attention} in attention, {attention_part}; {feeding} in
    feed-forward, {feeding_part}; {embedding} in embeddings, {embedding_part} | It has {layers}
    layers, d_model = {d_model}, {heads} heads of {d_head} features on {kv_heads} key/value heads,
    and {matrices} feed-forward matrices, {d_ff} wide | {heads} heads use {kv_heads} key/value
    heads. So the cache keeps 2·L·G·d_k·T = 2·{layers}·{kv_heads}·{d_k}·{tokens} = {kept} numbers,
    instead of {unshared} | {heads} heads with {d_k} features, T from {first} to {last}; {limit} s
    at most. It ends {silence} s after you leave the page
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, (_, T, doubled) = page.session_state, marks(page)
    scores, kept, _ = HELD
    made = batch(state.cost_text)
    model, context = model_named(state.cost_model), state.cost_context
    name, sizes, d = model.name, model.parameters, model.d_model
    work, own_work = work_shares(model, context), work_shares(model, model.context)
    shares = {part: 100 * getattr(work, part) for part in ("projections", "feeding", "quadratic")}
    half = model.block.half
    read, cache = weights_read(state.cost_run), cache_kept(state.cost_run)
    real = {"seen": read.seen, "percent": 90}
    assert cache.kept == cache.unshared / 3 == 2 * 30 * 3 * 64 * read.tokens
    beyond = 0 < model.positions < context
    return {
        "notice": {"tokens": T, "doubled": doubled, "quadratic": 4, "linear": 2, "fixed": 1},
        "areas_alt": {"tokens": T, "width": 2 * 8},
        "crossing_alt": {"tokens": T, "lines": [
            ["attention only", 100 * share(T), 2 * 8],
            ["a whole block", 100 * share_of_block(T), 6 * 8],
        ]},
        "even": {"even": 2 * 8},
        "memory": {
            "bytes": BYTES, "tokens": T, "scores": bytes_of(scores, T), "cache": bytes_of(kept, T),
        },
        "price": {"first": cached_token_work(1), "tokens": T, "last": cached_token_work(T)},
        "batch": dict(zip(("second", "third"), OTHERS, strict=True)),
        "layouts_notice": {
            "padding": made.padded.padding, "rows": made.padded.rows, "tokens": sum(made.lengths),
        },
        "same_rows": {"apart": rounding},
        "model_parameters": {
            "model": name, "all": sizes.all, "attention": sizes.attention,
            "feeding": sizes.feeding, "embedding": sizes.embedding,
        } | {
            f"{part}_part": 100 * of for part, of in
            zip(("attention", "feeding", "embedding"), parameter_shares(model), strict=True)
        },
        "parameters_alt": {"models": len(CONFIGURATIONS), "chosen": name, "bars": [
            [each.name, each.parameters.all, *(100 * part for part in parameter_shares(each))]
            for each in CONFIGURATIONS
        ]},
        "model_sizes": {
            "layers": model.layers, "d_model": d, "heads": model.heads, "kv_heads": model.kv_heads,
            "d_head": model.d_head, "matrices": model.matrices, "d_ff": model.d_ff,
        },
        "banded": only(name == "GPT-3", model=name),
        "parameters_notice": {
            "context": model.context, "model": name, "attention": 100 * own_work.attention,
            "quadratic": 100 * own_work.quadratic,
        },
        "sources": {"sources": all_named},
        "model_work": {
            "model": name, "tokens": context, "beyond": beyond, **shares,
            "most": model.positions,
        },
        "shares_alt": {
            "model": name, "first": "128", "last": "1,048,576", "tokens": context, "half": half,
            "parts": [
                ["projections", shares["projections"]], ["feed-forward", shares["feeding"]],
                ["scores and weighted sum", shares["quadratic"]],
            ],
        },
        "flops": {"flops": per_token(model, context)},
        "formula": {
            "model": name, "exact": is_plain(model), "quadratic": shares["quadratic"],
            "supposed": 100 * estimated_share(model, context), "supposed_half": 6 * d, "half": half,
        },
        "measuring_limits": {
            "heads": speed.HEADS, "d_k": speed.D_K, "limit": speed.TIME_LIMIT,
            "first": min(speed.MEASURED_LENGTHS), "last": max(speed.MEASURED_LENGTHS),
            "silence": speed.SILENCE,
        },
        "real_notice": real | {"needed": read.needed},
        "real_alt": real | {"tokens": read.tokens, "needed": list(read.by_layer)},
        "real_cache": {
            "layers": 30, "heads": 9, "kv_heads": 3, "d_k": 64, "tokens": read.tokens,
            "kept": cache.kept, "unshared": cache.unshared,
        },
    }  # fmt: skip


def growth_alt(said: Values, page: AppTest) -> None:
    quantities = {"multiplications": WORK, "numbers": HELD}[said["unit"]]
    agree(said["marks"], marks(page))
    agree(said["lines"], [
        [each.name, GROWS[each.degree], [each.count(T) for T in marks(page)]] for each in quantities
    ])  # fmt: skip


def all_named(said: str) -> None:
    assert [one.name for one in CONFIGURATIONS if f"{one.name}: " in said] == [
        one.name for one in CONFIGURATIONS
    ]
    assert said.count("(20") == len(CONFIGURATIONS)


@proves("Move $T$ up. Only the square grows in both directions")
def try_(said: Values, page: AppTest) -> None:
    """The strip keeps its width, whatever the slider says."""
    made = [cost_growth.areas_figure(T, 16) for T in (8, 16)]
    sizes = [[(np.ptp(part.x), np.ptp(part.y)) for part in figure.data] for figure in made]
    (square, strip), (larger, longer) = sizes
    assert (larger[0], larger[1]) == (2 * square[0], 2 * square[1])
    assert (longer[0], longer[1]) == (strip[0], 2 * strip[1])


@proves("""
    the sentence above, “{second}” and “{third}”. Padding fills each text up to the longest. Packing
    puts all into one row
""")
def batch_(said: Values, page: AppTest) -> None:
    """The field of the sentence is drawn first; rows of X are counted."""
    text, order = page.session_state.cost_text, [*drawn(page.main, ("text_input", "markdown"))]
    assert any(said.startswith("A batch is") for said in order[order.index(text) :])
    made = batch(text)
    assert (made.padded.rows, made.packed.rows) == (3 * max(made.lengths), sum(made.lengths))


@proves("""
    never holds all scores: its memory grows as $T$, its work still as $T^2$ | a fused kernel makes
    the same products
""")
def memory(said: Values, page: AppTest) -> None:
    (held, work) = re.findall(
        r"its memory grows as \$(.+?)\$, its work still as \$(.+?)\$\.", prose(page)
    )[0]
    for counted, power in ((held, 0), (work, 1)):
        one, two, four = (fused_kernel(n)[power] for n in (4, 8, 16))
        assert not power or one == WORK[0].count(4)
        assert (four - two) == {"T": 2, "T^2": 4}[counted] * (two - one), counted


def fused_kernel(T: int) -> tuple[int, int]:
    """Numbers that it holds and products that it makes, query by query and key by key."""
    held = made = 0
    for _ in range(T):
        held += 8 + 2  # a row of the output, the largest score so far and the sum so far
        for _ in range(T):
            made += 2 * 8
    return held + 1, made  # one score at a time


@proves("""
    Pairs of tokens grow with the square of the text. From about $6d$ tokens on, they take most of a
    block's work
""")
def takeaway(said: Values, page: AppTest) -> None:
    """Half of a block's work is at about 6d for each model."""
    for model in CONFIGURATIONS:
        shares = [work_shares(model, n * model.d_model).quadratic for n in (5, 7)]
        assert shares[0] < 0.5 < shares[1]


@proves("""
    In short texts feed-forward takes the most work; scores and weighted sum take over as the text
    grows
""")
def work_notice(said: Values, page: AppTest) -> None:
    for model in CONFIGURATIONS:
        assert work_shares(model, 128).feeding > 0.5 < work_shares(model, 2**20).quadratic


@proves("In a shorter one, most bars are closer to the line")
def real_try(said: Values, page: AppTest) -> None:
    for short, long in combinations(map(weights_read, TEXTS_READ), 2):
        gaps = [np.array(one.by_layer) - one.seen for one in (short, long)]
        assert (abs(gaps[0]) < abs(gaps[1])).sum() > len(gaps[0]) / 2


def real_text(match: re.Match[str], page: AppTest) -> None:
    """It is part of the prompt, and the link leads to one of the run's heads."""
    run = captured_run(page.session_state.cost_run)
    assert match[1] in re.sub(r"\s+", " ", run.prompt)
    assert match[2] in (None, *(head.name for head in run.heads))


def quantity(page: AppTest, name: str) -> list[Any]:
    (row,) = (each for each in growth_table(marks(page)) if each.name == name)
    return [*row.counts, f"× {row.times}"]


INVENTORY = Inventory(
    "cost",
    claims={
        rf"Work of one layer, to scale \({SYMBOL} = (\d+) features\)$": row_of(lambda page: [8]),
        r"\| count \| (sentence: \S+ \| T: \S+ \| 2T: \S+) \| doubled \|$": row_of(
            lambda page: [
                f"{name}: {T:,}"
                for name, T in zip(("sentence", "T", "2T"), marks(page), strict=True)
            ]
        ),
        r"\| ((?:multiplications|numbers): [\w ]+) \| (\S+ \| \S+ \| \S+ \| × \d) \|$": row_of(
            quantity
        ),
        RANDOM_WEIGHTS: drawn_with,
        r"(SmolLM2-135M-Instruct \(Q4_1\)):$": row_of(
            lambda page: [captured_run(page.session_state.cost_run).model]
        ),
        r"“?([^“”]*?)(?: …)?(?:” \[Open a head\]\(real-heads\?real_capture=([\w-]+)\)"
        r"|(?<=sunrise\.))$": real_text,
        r"\| (padded|packed, one square|packed, a square for each text) \| (.*) \|$": row_of(
            lambda page, name: batch(page.session_state.cost_text).table[name]
        ),
    },
    module=globals(),
    panels=["fold_cost_real"],
)
