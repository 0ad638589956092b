"""What does generation actually compute?

One query at a time: the new token asks, and reads keys and values that were kept.
"""

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, settled, token_toggle
from core.attention.configurations import CONFIGURATIONS
from core.attention.costs import size_text
from core.attention.decoding import decoding_program
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.one_query.cached import (
    AGAIN,
    BYTES_HERE,
    CACHE,
    CORNER,
    LAYER,
    NEW,
    bytes_here,
    corner_family,
    difference,
    seen_by_last,
    work,
    writing_family,
    written,
)
from core.chapters.one_query.cached import TOKEN as WRITTEN
from core.chapters.one_query.growing import (
    FIXED,
    TOKENS,
    fixed_family,
    refused,
    row_changes,
    size_of_fixed,
)
from core.chapters.one_query.one_row import TOKEN as ASKING
from core.chapters.one_query.one_row import one_row_family, one_row_program
from core.chapters.one_query.questions import ONE_QUERY_QUESTIONS
from core.chapters.one_query.sentence import D_MODEL, HEADS
from core.chapters.one_query.through_time import (
    FACTOR,
    WEIGHT,
    influence,
    influence_family,
    influence_program,
    layer_kinds,
)
from core.operations.shapes import append_rows
from core.operations.sums import recurrence
from core.program.labels import axis_labels, listed, token_labels
from core.program.rounding import cell_text, decimal_text, typeset
from ui.asking import ask_each
from ui.cache_rows import cache_rows
from ui.chart import draw_chart
from ui.charts.one_query import influence_figure, sizes_figure, work_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, one_of, sentence_of
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import escape_markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

PARTS = {
    "row": "A row of the matrix form",
    "corner": "Which corner is causal",
    "grow": "Inputs that grow",
    "recurrent": "Beside a recurrent net",
    "bytes": "What a cache takes",
}
THROUGH = 32  # tokens in the chart of how far the first one reaches
LENGTHS = (16, 64, 256, 1024, 4096)
WIDTHS = (64, 128, 256, 512, 1024)
KERNELS = (2, 3, 5, 9)
CONTEXTS = (1, 1024, 8192, 32768, 131072)
FITTING = {WRITTEN: "the token", ASKING: "the token that asks", "query_text": "the sentence"}
KEYS: Keys = {
    "query_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    **toggle_keys(any_token_toggle(WRITTEN), CACHE),
    **exhibit_keys(decoding_program(HEADS, 1), "K", "query_", HEADS),
    "query_part": Key("row", one_of(*PARTS)),
    **toggle_keys(any_token_toggle(ASKING), CORNER, NEW, TOKENS, FACTOR, WEIGHT),
    **exhibit_keys(one_row_program(0), "y_t", "query_row_", HEADS),
    **exhibit_keys(decoding_program(HEADS, 1), "masked", "query_corner_", HEADS),
    **exhibit_keys(FIXED, "y", "query_fixed_", 1),
    **exhibit_keys(influence_program(1.0), "state", "query_through_", 1),
    "query_n": Key(1024, among(*LENGTHS)),
    "query_d": Key(512, among(*WIDTHS)),
    "query_kernel": Key(3, among(*KERNELS)),
    "query_context": Key(8192, among(*CONTEXTS)),
}


def fits(query_text: str, **tokens: str) -> str:
    """The sentence, where it has the tokens that are asked for. Raises `InputError`."""
    for key, token in tokens.items():
        token_toggle(key, query_text).check(settled(token, query_text))
    return query_text


def anew() -> None:
    """Another sentence is looked at from its last token."""
    put(**{WRITTEN: LAST, ASKING: LAST})


@fragment
def writing(text: str) -> None:
    """A sentence token by token, with a cache or without, and the work of both."""
    family = writing_family(text)
    now = chosen(family)
    trace = family.run(**now)
    last = len(trace.tokens) - 1
    rows = written(text, st.session_state.query_head - 1)
    with st.container(key="beside_cache"):
        cache_rows(
            "query_board", token_labels(tokenise(text)), rows, last, now[CACHE.key] == AGAIN,
            lambda token: put(**{WRITTEN: settled(str(token + 1), text)}),
        )  # fmt: skip
    say(
        "**Try it.** Press *Play*: the sentence is written token by token, and K and V grow by one "
        "row each."
    )
    token = token_text(axis_labels(trace, "K")[1][last])
    met = f"{last + 1} rows of K and of V"
    if now[CACHE.key] == AGAIN and last:
        done = (
            f"all {last + 1} tokens so far come in, and {met} are computed. {last} of each had "
            "been computed in the steps before"
        )
    elif last:
        were = "was" if last == 1 else "were"
        done = f"one row of X comes in. It meets {met}; {last} of each {were} kept"
    else:
        done = "nothing has been kept yet, and one row of X comes in"
    gap = difference(trace, text)
    apart = (
        f"differs by {typeset(cell_text(gap))} at most, for floats are added in another order"
        if gap
        else "is the same, bit for bit"
    )
    say(
        f"**Token {last + 1}, {token}:** {done}. Beside its row of the whole pass, where all "
        f"tokens of the sentence are there at once, its row of the output {apart}."
    )
    draw_exhibit(trace, ("K", (0, last, 0)), KEYS, "query_", family=family)
    with fold("Counted: the work with a cache and without", "counted", KEYS):
        say_work(len(tokenise(text)), last)


def say_work(tokens: int, last: int) -> None:
    """The multiplications of each token, in a chart and added up."""
    counted = work(tokens)
    figure = work_figure(counted.with_cache, counted.without, last + 1)
    draw_chart(figure, "query_work")
    for_all = "this token" if tokens == 1 else f"all {tokens} tokens"
    say(
        f"**Counted in one layer, for {for_all}:** {counted.all_with:,} multiplications "
        f"with a cache, {counted.all_without:,} without, {decimal_text(counted.times, 1)} times "
        "as many. With a cache each step projects one row; without one it projects all rows so "
        "far. The [scores](#term-score) of the new token grow in number with the text either way."
    )


@fragment
def parts(text: str) -> None:
    """The rest of the chapter, one part at a time."""
    st.segmented_control(
        "More about one query", PARTS, key="query_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    part = st.session_state.query_part
    if part in ("row", "grow"):
        {"row": row, "grow": grow}[part](text)
    else:
        {"corner": corner, "recurrent": recurrent, "bytes": sizes}[part]()
    save_link(KEYS)


@fragment
def row(text: str) -> None:
    """The single-query form, and the same row of the matrix form."""
    say(
        "For one token $t$ attention is a sum over the tokens up to it. Row $t$ of the matrix form "
        "is the same sum:\n\n"
        r"$$y_t=\operatorname{softmax}\!\left(\frac{q_t K_{1:t}^\top}{\sqrt{d_k}}\right)V_{1:t}$$"
    )
    family = one_row_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("y_t", (0, 0, 0)), KEYS, "query_row_", family=family)
    token = token_text(axis_labels(trace, "y_t")[1][0])
    ours, theirs = (cell_number(trace, name, (0, 0, 0)) for name in ("y_t", "row_t"))
    say(
        f"**What to notice.** For {token} feature 1 is {ours} by the single query, and {theirs} in "
        "its row of the matrix form. The single query needs no mask: what it may not "
        "read is not there. In training all queries are asked at once, for the text is known: "
        "teacher forcing. When a model writes, there is one query at a time."
    )


@fragment
def corner() -> None:
    """Which corner "causal" means where queries are fewer than keys."""
    say(
        f"The last tokens of “{DEFAULT_TEXT}” are new and ask; the keys of the others were kept. "
        "With fewer queries than keys the mask is no square, and its triangle can lie in two "
        "corners."
    )
    family = corner_family()
    now = chosen(family)
    trace = family.run(**now)
    new, keys = trace["mask"].shape
    draw_exhibit(trace, ("masked", (0, new - 1, keys - 1)), KEYS, "query_corner_", family=family)
    queries = "The new query sees" if new == 1 else "The last of the new queries sees"
    say(
        f"**{queries} {seen_by_last(trace)} of {keys} keys.** As “lower right” has it, a query "
        "sees the keys up to its own: with one new query nothing is hidden, and no mask is "
        "needed. As “upper left” has it, the first query sees the first key alone. "
        "`is_causal=True` of PyTorch's `scaled_dot_product_attention` means upper left, so for "
        "fewer queries than keys it hides what should be read: leave it out for a single query, "
        "and give `attn_mask` for several. Both agree where there are as many queries as keys."
    )


@fragment
def grow(text: str) -> None:
    """The same weights for any number of tokens, beside a map of fixed size."""
    say(
        "Attention computes $y_t$ from $x_1$ to $x_t$, one input more at each step, with the same "
        "W_Q, W_K, W_V and W_O. A map of fixed size cannot: here all tokens stand in one long row, "
        "and one matrix makes the result."
    )
    family = fixed_family()
    trace = family.run(**chosen(family))
    tokens = len(trace.tokens)
    draw_exhibit(trace, ("y", (0, 0)), KEYS, "query_fixed_", family=family)
    given = tokens + 1
    say(
        f"The matrix for {tokens} token{'s' * (tokens > 1)} has {trace['W_fixed'].size:,} numbers. "
        f"Given {given} tokens it does not run: “{escape_markdown(refused(given, tokens))}”."
    )
    lengths = list(range(1, 13))
    fixed, attention = [size_of_fixed(T, D_MODEL) for T in lengths], LAYER.parameters
    figure = sizes_figure(lengths, fixed, attention)
    draw_chart(figure, "query_sizes")
    changes = row_changes(text, 0)
    say(
        f"**What to notice.** With d_model = {D_MODEL} attention has {attention:,} numbers for any "
        f"text; a map for {lengths[-1]} tokens would have {fixed[-1]:,}. And while the sentence "
        "above grows token by token, the first row of attention's output moves by "
        f"{typeset(cell_text(max(changes)))} at most: with the causal mask a row never depends on "
        "what comes after it."
    )


@fragment
def recurrent() -> None:
    """How far the first token reaches, through a state and by a weight; kinds of layers."""
    say(
        "A [recurrent](#term-recurrent) net passes everything on in one state of fixed size. Here "
        "it is linear, with one feature: at each step the state is multiplied by a factor, and the "
        "new token is added. Token 1 has the value 1, all others 0, so what arrives anywhere comes "
        "from token 1."
    )
    family = influence_family()
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("state", (0, 3, 0)), KEYS, "query_through_", family=family)
    factor, weight = now[FACTOR.key], now[WEIGHT.key]
    reach = influence(float(factor), float(weight), THROUGH)
    figure = influence_figure(reach.recurrent, reach.attention, factor, weight)
    draw_chart(figure, "query_influence")
    left, read = (typeset(cell_text(values[-1])) for values in (reach.recurrent, reach.attention))
    say(
        f"**What to notice.** At token {THROUGH} the state holds **{left}** of token 1, because "
        f"with the factor {factor} it {reach.becomes}; attention reads **{read}**, the weight "
        "that was chosen, at any distance. In a trained net the factor is learned, and the state "
        "has many features; but each step still goes through it, and it does not grow with the "
        "text."
    )
    say("**Layers, counted** for $n$ tokens of $d$ features, causal and without biases:")
    with st.container(horizontal=True):
        n = st.select_slider("Tokens $n$", LENGTHS, key="query_n", width=260, **KEPT)
        d = st.select_slider("Features $d$", WIDTHS, key="query_d", width=260, **KEPT)
        kernel = st.select_slider(
            "Rows a convolution reads", KERNELS, key="query_kernel", width=260, **KEPT
        )
    rows = [
        [
            kind.name, f"{kind.multiplications:,}", f"{kind.steps:,}", f"{kind.layers:,}",
            f"{kind.path:,}", f"{kind.kept:,}",
        ]
        for kind in layer_kinds(n, d, kernel)
    ]  # fmt: skip
    head = [
        "kind", "multiplications of a layer", "steps in a row",
        "layers until the last token sees the first", "path from the first token to the last",
        "numbers that all of them keep to write on",
    ]  # fmt: skip
    say(markdown_table(head, rows))
    say(
        "Steps in a row cannot be done at the same time, for each needs the one before. The "
        "path is how many products with weights lie between the first token and the last: what is "
        "learned has to travel back along it. A [convolution](#term-convolution) needs "
        "more layers to reach further; dilated, each layer reads rows that are further apart. "
        "Attention buys its short path with work that grows as n², and with a "
        "[cache](#term-cache) that grows with the text."
    )
    save_link(KEYS)


@fragment
def sizes() -> None:
    """Bytes of caches: ours, and those of published models."""
    context = st.select_slider(
        "Tokens", CONTEXTS, key="query_context", format_func="{:,}".format, width=360, **KEPT
    )
    rows = [["this page, one layer", "1", str(HEADS), str(LAYER.d_k), str(BYTES_HERE),
             size_text(bytes_here(context)), ""]]  # fmt: skip
    rows += [
        [
            model.dated, str(model.layers), str(model.kv_heads), str(model.d_head), "2",
            size_text(model.cache_bytes(context)), f"{model.context:,}",
        ]
        for model in CONFIGURATIONS
    ]  # fmt: skip
    head = [
        "model", "layers", "key/value heads", "$d_k$", "bytes a number", f"cache of {context:,} "
        f"token{'s' * (context > 1)}", "trained on so many tokens",
    ]  # fmt: skip
    say(markdown_table(head, rows, write=str))
    biggest = max(CONFIGURATIONS, key=lambda model: model.cache_bytes(1))
    shares = next(model for model in CONFIGURATIONS if model.sharing > 1)
    as_many = shares.sharing
    say(
        "**What to notice.** A cache holds 2·layers·G·d_k numbers for each token, G the number of "
        f"key/value heads. {biggest.name} keeps {size_text(biggest.cache_bytes(1))} for every "
        f"token of every text that is being written. {shares.name} lets {as_many} heads share each "
        f"key/value head, so it keeps one number where it would else keep {as_many}."
    )
    if short := [model.dated for model in CONFIGURATIONS if model.context < context]:
        was = "was" if len(short) == 1 else "were"
        say(f"{listed(short)} {was} trained on fewer tokens at once than the table asks for.")
    say("Sources: " + "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS) + ".")
    save_link(KEYS)


frame(
    "one_query",
    "One query at a time: what does generation compute?",
    "A model that writes adds one [token](#term-token) at a time, and in its "
    "[attention](#term-attention) only the new one asks: its "
    "[query](#term-query) meets the [keys](#term-key) of all tokens so far. So keys and "
    "[values](#term-value) can be kept, in a [cache](#term-cache).",
)
open_link("one_query", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input("Sentence", key="query_text", width=360, on_change=anew, **KEPT)
SHOWN = what_works(FITTING, KEYS, fits).made
for name in (WRITTEN, ASKING):
    st.session_state[name] = settled(st.session_state[name], SHOWN)
writing(SHOWN)
say_drawn(writing_family(SHOWN).run())
say(
    "**What to notice.** Choose token after token: K and V grow by one row at each, labelled with "
    "its token. Queries are not kept, for each is used once. The [causal](#term-causal) "
    "[mask](#term-mask) is what makes this possible: no row of the output depends on a later "
    "token, so what was computed for the earlier ones stays true."
)
st.header("More about one query", anchor=False)
parts(SHOWN)
ask_each(ONE_QUERY_QUESTIONS, "query")
in_code(
    decoding_program,
    append_rows,
    recurrence,
    layer_kinds,
    origin="Causal attention: Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3; "
    "steps, paths and work of layers: their table 1. Linear attention as a recurrent net: "
    "Katharopoulos et al. (2020).",
    step="context",
    exhibit="query_",
)
way_on(
    "one_query",
    "When a model writes, one query meets all keys so far, and its row is that of the matrix form. "
    "Keys and values are kept, so a step projects one row; the cache grows with every token.",
)
save_link(KEYS)
