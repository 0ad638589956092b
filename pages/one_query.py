"""What does generation actually compute?

One query at a time: the new token asks, and reads keys and values that were kept.
"""

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, settled_choice, token_toggle
from core.attention.configurations import CONFIGURATIONS
from core.attention.costs import size_text
from core.attention.decoding import decoding_program
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.one_query import cached
from core.chapters.one_query.cached import TOKEN as WRITTEN
from core.chapters.one_query.growing import (
    FIXED,
    TOKENS,
    fixed_family,
    refused,
    row_changes,
    size_of_fixed,
)
from core.chapters.one_query.one_row import ROW_TOKEN as ASKING
from core.chapters.one_query.one_row import one_row_family, one_row_program
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
from core.program.labels import axis_labels, token_labels
from core.program.rounding import cell_text, decimal_text, typeset
from ui.asking import ask_each
from ui.cache_rows import cache_rows
from ui.chart import draw_chart
from ui.charts.one_query import influence_figure, sizes_figure, work_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.last_valid import link_that_fits, what_works
from ui.links import SENTENCE_KEY, Key, Keys, among, one_of, sentence_of
from ui.page_texts import page_texts
from ui.path_navigation import page_footer
from ui.prose import cell_number, say, say_drawn
from ui.session import PERSIST, open_link, save_link, say_messages, set_if_changed
from ui.text import Markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys

TEXTS = page_texts("one_query")
PARTS = {
    "row": TEXTS("row_part"),
    "corner": TEXTS("corner_part"),
    "grow": TEXTS("grow_part"),
    "recurrent": TEXTS("recurrent_part"),
    "bytes": TEXTS("bytes_part"),
}
THROUGH = 32  # tokens in the chart of what arrives of the first one
LENGTHS = (16, 64, 256, 1024, 4096)
WIDTHS = (64, 128, 256, 512, 1024)
KERNELS = (2, 3, 5, 9)
CONTEXTS = (1, 1024, 8192, 32768, 131072)
FITTING = {
    WRITTEN: TEXTS("the_token"),
    ASKING: TEXTS("the_asking_token"),
    "query_text": TEXTS("the_sentence"),
}
KEYS: Keys = {
    "query_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    **toggle_keys(any_token_toggle(WRITTEN), cached.CACHE),
    **exhibit_keys(decoding_program(HEADS, 1), "K", "query_", HEADS),
    "query_part": Key("row", one_of(*PARTS)),
    **toggle_keys(any_token_toggle(ASKING), cached.CORNER, cached.NEW, TOKENS, FACTOR, WEIGHT),
    **exhibit_keys(one_row_program(0), "y_t", "query_row_", HEADS),
    **exhibit_keys(decoding_program(HEADS, 1), "masked", "query_corner_", HEADS),
    **exhibit_keys(FIXED, "y", "query_fixed_", 1),
    **exhibit_keys(influence_program(1.0), "state", "query_through_", 1),
    "query_n": Key(1024, among(*LENGTHS)),
    "query_d": Key(512, among(*WIDTHS)),
    "query_kernel": Key(3, among(*KERNELS)),
    "query_context": Key(8192, among(*CONTEXTS)),
}


def grouped(count: int) -> str:
    """Return a count with commas: 1,024."""
    return f"{count:,}"


def fits(query_text: str, **tokens: str) -> str:
    """Return the sentence, if it has the tokens that are asked for. Raises `InputError`."""
    for key, token in tokens.items():
        token_toggle(key, query_text).check(settled_choice(token, query_text))
    return query_text


def anew() -> None:
    """Another sentence is looked at from its last token."""
    set_if_changed(**{WRITTEN: LAST, ASKING: LAST})


@fragment
def writing(text: str) -> None:
    """A sentence token by token, with a cache or without, and the work of both."""
    family = cached.writing_family(text)
    now = chosen(family)
    trace = family.run(**now)
    last = len(trace.tokens) - 1
    rows = cached.cached_writing(text, st.session_state.query_head - 1)
    with st.container(key="beside_cache"):
        cache_rows(
            "query_board",
            token_labels(tokenise(text)),
            rows,
            last,
            now[cached.CACHE.key] == cached.AGAIN,
            lambda token: set_if_changed(**{WRITTEN: settled_choice(str(token + 1), text)}),
        )
    say(TEXTS("try"))
    token = Markdown(token_text(axis_labels(trace, "K")[1][last]))
    again, apart = now[cached.CACHE.key] == cached.AGAIN, small(cached.difference(trace, text))
    say(TEXTS("notice", number=last + 1, token=token, again=again, apart=apart))
    draw_exhibit(trace, ("K", (0, last, 0)), KEYS, "query_", family=family)
    with fold(TEXTS("counted_title"), "counted", KEYS):
        say_work(len(tokenise(text)), last)


def small(difference: float) -> str:
    """Return a difference as a text; "" if there is none."""
    return typeset(cell_text(difference)) if difference else ""


def say_work(tokens: int, last: int) -> None:
    """The multiplications of each token, in a chart and added up."""
    counted = cached.writing_work(tokens)
    figure = work_figure(counted.with_cache, counted.without, last + 1)
    draw_chart(figure, "query_work")
    say(
        TEXTS(
            "counted", tokens=tokens, with_cache=grouped(counted.all_with),
            without=grouped(counted.all_without), times=decimal_text(counted.times, 1),
        )
    )  # fmt: skip


@fragment
def part_tabs(text: str) -> None:
    """The rest of the chapter, one part at a time."""
    st.segmented_control(
        TEXTS("more_header"), PARTS, key="query_part", required=True,
        format_func=PARTS.__getitem__, **PERSIST,
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
    say(TEXTS("row"))
    family = one_row_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("y_t", (0, 0, 0)), KEYS, "query_row_", family=family)
    token = Markdown(token_text(axis_labels(trace, "y_t")[1][0]))
    single, matrix = (cell_number(trace, name, (0, 0, 0)) for name in ("y_t", "row_t"))
    say(TEXTS("row_notice", token=token, single=single, matrix=matrix))
    with fold(TEXTS("more"), "row_more", KEYS):
        say(TEXTS("row_more"))


@fragment
def corner() -> None:
    """Which corner "causal" means if there are fewer queries than keys."""
    say(TEXTS("corner", sentence=DEFAULT_TEXT))
    family = cached.corner_family()
    now = chosen(family)
    trace = family.run(**now)
    new, keys = trace["mask"].shape
    draw_exhibit(trace, ("masked", (0, new - 1, keys - 1)), KEYS, "query_corner_", family=family)
    say(TEXTS("corner_notice", new=new, seen=cached.seen_by_last(trace), keys=keys))
    with fold(TEXTS("more"), "corner_more", KEYS):
        say(TEXTS("corner_more"))


@fragment
def grow(text: str) -> None:
    """The same weights for any number of tokens, compared with a map of fixed size."""
    say(TEXTS("grow"))
    family = fixed_family()
    trace = family.run(**chosen(family))
    tokens = len(trace.tokens)
    draw_exhibit(trace, ("y", (0, 0)), KEYS, "query_fixed_", family=family)
    size, error = grouped(trace["W_fixed"].size), refused(tokens + 1, tokens)
    say(TEXTS("fixed", tokens=tokens, size=size, error=error))
    lengths = list(range(1, 13))
    fixed, attention = [size_of_fixed(T, D_MODEL) for T in lengths], cached.LAYER.parameters
    draw_chart(sizes_figure(lengths, fixed, attention), "query_sizes")
    numbers = {"attention": grouped(attention), "fixed": grouped(fixed[-1])}
    say(TEXTS("grow_notice", d_model=D_MODEL, tokens=lengths[-1], **numbers))
    say(TEXTS("grow_more", moved=small(max(row_changes(text, 0)))))


@fragment
def recurrent() -> None:
    """What arrives of the first token, through a state and by a weight; kinds of layers."""
    say(TEXTS("recurrent"))
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
        TEXTS(
            "recurrent_notice", factor=factor, trend=reach.trend, tokens=THROUGH, left=left,
            read=read,
        )
    )  # fmt: skip
    layers()
    save_link(KEYS)


def layers() -> None:
    """Kinds of layers in a table: work, steps, path, and what they keep."""
    say(TEXTS("layers"))
    with st.container(horizontal=True):
        n, d, kernel = (
            st.select_slider(TEXTS(id), places, key=key, width=260, **PERSIST)
            for id, places, key in (
                ("layers_tokens", LENGTHS, "query_n"), ("layers_features", WIDTHS, "query_d"),
                ("layers_kernel", KERNELS, "query_kernel"),
            )
        )  # fmt: skip
    rows = [
        [
            kind.name,
            *map(grouped, (kind.multiplications, kind.steps, kind.layers, kind.path, kind.kept)),
        ]
        for kind in layer_kinds(n, d, kernel)
    ]
    heads = (
        "kind_head", "multiplications_head", "steps_head", "layers_head", "path_head", "kept_head",
    )  # fmt: skip
    say(markdown_table([TEXTS(id) for id in heads], rows))
    say(TEXTS("layers_more"))


@fragment
def sizes() -> None:
    """Bytes of caches: ours, and those of published models."""
    context = st.select_slider(
        TEXTS("context"), CONTEXTS, key="query_context", format_func=grouped, width=360, **PERSIST
    )
    rows = [[TEXTS("this_page"), "1", str(HEADS), str(cached.LAYER.d_k), str(cached.BYTES_HERE),
             size_text(cached.bytes_here(context)), ""]]  # fmt: skip
    rows += [
        [
            model.dated, str(model.layers), str(model.kv_heads), str(model.d_head), "2",
            size_text(model.cache_bytes(context)), grouped(model.context),
        ]
        for model in CONFIGURATIONS
    ]  # fmt: skip
    cache = TEXTS("cache_head", tokens=grouped(context), one=context == 1)
    head = [
        TEXTS("model_head"), TEXTS("model_layers_head"), TEXTS("groups_head"), "$d_k$",
        TEXTS("each_head"), cache, TEXTS("trained_head"),
    ]  # fmt: skip
    say(markdown_table(head, rows, write=str))
    biggest = max(CONFIGURATIONS, key=lambda model: model.cache_bytes(1))
    sharing = next(model for model in CONFIGURATIONS if model.sharing > 1)
    say(
        TEXTS(
            "bytes_notice", biggest=biggest.name, size=size_text(biggest.cache_bytes(1)),
            sharing=sharing.name, heads=sharing.sharing,
        )
    )  # fmt: skip
    with fold(TEXTS("more"), "bytes_more", KEYS):
        say(TEXTS("bytes_formula"))
        sources = "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS)
        say(TEXTS("sources", sources=sources))
    save_link(KEYS)


frame("one_query", TEXTS("lede"))
open_link("one_query", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input(TEXTS("sentence"), key="query_text", width=360, on_change=anew, **PERSIST)
SHOWN = what_works(FITTING, KEYS, fits).made
for name in (WRITTEN, ASKING):
    st.session_state[name] = settled_choice(st.session_state[name], SHOWN)
writing(SHOWN)
say(TEXTS("why_it_works"))
say_drawn(cached.writing_family(SHOWN).run())
st.header(TEXTS("more_header"), anchor=False)
part_tabs(SHOWN)
ask_each("one_query")
in_code(
    decoding_program,
    append_rows,
    recurrence,
    layer_kinds,
    origin=TEXTS("origin"),
    step="context",
    exhibit="query_",
)
page_footer("one_query", TEXTS("takeaway"))
save_link(KEYS)
