"""Where do work, memory and parameters go?

Scores grow with the square of the text, everything else linearly or not at all; counted, and drawn.
"""

from collections.abc import Mapping

import streamlit as st

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.attention.costs import Layer, LayerCosts, size_text
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.cost import growth as cost_growth
from core.chapters.cost import parts
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
from core.chapters.cost.parts import PARTS_LENGTHS as CONTEXTS
from core.chapters.cost.parts import PARTS_PLACES as DRAWN
from core.program.rounding import cell_text, decimal_text, typeset
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.cost_growth import areas_figure, crossing_figure, growth_figure
from ui.charts.cost_of_models import billions, parameters_figure, shares_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.last_valid import what_works
from ui.links import SENTENCE_KEY, Key, Keys, among, one_of, sentence_of
from ui.measuring import measurement
from ui.page_texts import chart_texts, page_texts
from ui.path_navigation import page_footer
from ui.prose import say, say_drawn
from ui.session import PERSIST, open_link, save_link, say_messages
from ui.text import markdown_table
from ui.toggles import chosen, toggle_keys

TEXTS, CHARTS = page_texts("cost"), chart_texts("cost")
PARTS = {"parameters": TEXTS("parameters_part"), "work": TEXTS("work_part")}
OF_LAYOUTS: Keys = {
    **toggle_keys(LAYOUT, TEXT),
    **exhibit_keys(batch_program(Padded(PADDED), 0, 1), "weights", "cost_", cost_growth.HEADS),
}
OF_PARTS: Keys = {
    "cost_part": Key("parameters", one_of(*PARTS)),
    "cost_model": Key("GPT-3", one_of(*parts.NAMES)),
    "cost_context": Key(2048, among(*CONTEXTS)),
}
KEYS: Keys = {
    "cost_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    "cost_tokens": Key(1024, among(*cost_growth.LENGTHS)),
    **OF_LAYOUTS,
    **OF_PARTS,
}


def grouped(count: int) -> str:
    """Return a count with commas: 1,024."""
    return f"{count:,}"


def as_batch(cost_text: str) -> Batch:
    """Return the sentence with the other texts. Raises `InputError`."""
    return batch(cost_text)


@fragment
def growth(text: str) -> None:
    """T² against T as areas, and the part of T² in the work; then everything that is counted."""
    tokens = st.select_slider(
        TEXTS("tokens"),
        cost_growth.LENGTHS,
        key="cost_tokens",
        format_func=grouped,
        width=420,
        **PERSIST,
    )
    left, right = st.columns(2)
    with left:
        say(TEXTS("areas_title", d=cost_growth.D_MODEL))
        draw_chart(areas_figure(tokens, cost_growth.strip_width()), "cost_areas")
    with right:
        say(TEXTS("crossing_title"))
        figure = crossing_figure(
            cost_growth.PLACES,
            {
                TEXTS("attention_line"): list(map(cost_growth.share, cost_growth.PLACES)),
                TEXTS("block_line"): list(map(cost_growth.share_of_block, cost_growth.PLACES)),
            },
            (cost_growth.even_at(), float(cost_growth.BLOCK.half)),
            tokens,
        )
        draw_chart(figure, "cost_crossing")
    marks = cost_growth.marked_lengths(len(tokenise(text)), tokens)
    times = {each.degree: str(each.times(tokens)) for each in cost_growth.HELD}
    say(TEXTS("try"))
    say(
        TEXTS(
            "notice",
            tokens=grouped(tokens),
            doubled=grouped(marks["2T"]),
            quadratic=times[2],
            linear=times[1],
            fixed=times[0],
        )
    )
    with fold(TEXTS("counted_title"), "cost_counted", KEYS):
        counted(tokens, marks)
    save_link(KEYS)


def counted(tokens: int, marks: Mapping[str, int]) -> None:
    """Work and memory against T, at the sentence and at a T that is chosen."""
    places = list(marks.values())
    for column, key, quantities, title, unit in zip(
        st.columns(2),
        ("cost_work", "cost_held"),
        (cost_growth.WORK, cost_growth.HELD),
        (TEXTS("work_title"), TEXTS("memory_title")),
        (TEXTS("work_unit"), TEXTS("memory_unit")),
        strict=True,
    ):
        figure = growth_figure(
            unit,
            {each.name: each.degree for each in quantities},
            cost_growth.ENDS,
            [cost_growth.quantity_counts(each, cost_growth.ENDS) for each in quantities],
            marks,
            [cost_growth.quantity_counts(each, places) for each in quantities],
        )
        with column:
            say(title)
            draw_chart(figure, key)
    rows = [
        [row.name, *map(grouped, row.counts), f"× {row.times}"]
        for row in cost_growth.growth_table(places)
    ]
    head = [
        TEXTS("table_head"),
        *(CHARTS("mark", name=name, tokens=grouped(T)) for name, T in marks.items()),
        TEXTS("table_doubled"),
    ]
    say(markdown_table(head, rows))
    say(TEXTS("even", even=cost_growth.even_at()))
    scores, cache = (size_text(cost_growth.bytes_of(each, tokens)) for each in cost_growth.HELD[:2])
    say(
        TEXTS("memory", bytes=cost_growth.BYTES, tokens=grouped(tokens), scores=scores, cache=cache)
    )
    first, last = (grouped(cost_growth.cached_token_work(token)) for token in (1, tokens))
    say(TEXTS("price", tokens=grouped(tokens), first=first, last=last))


@fragment
def layouts(text: str) -> None:
    """A batch on the stage, padded or packed, and what each layout computes."""
    second, third = OTHERS
    say(TEXTS("batch", second=second, third=third))
    family = batch_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("weights", (0, 2, 0)), KEYS, "cost_", family=family)
    made = batch(text)
    padded, packed = made.padded, made.packed
    rows = [[name, *map(grouped, numbers)] for name, numbers in made.table.items()]
    heads = ("batch_head", "rows_head", "pad_head", "computed_head", "used_head", "unused_head")
    say(markdown_table([TEXTS(id) for id in heads], rows))
    say(TEXTS("layouts_notice", padding=padded.padding, rows=padded.rows, tokens=packed.rows))
    apart = typeset(cell_text(made.apart)) if made.apart else ""
    say(TEXTS("same_rows", apart=apart))
    say(TEXTS("packed_scores"))
    say(TEXTS("padding_in_front"))
    save_link(KEYS)


@fragment
def part_tabs() -> None:
    """Published models, one part at a time."""
    st.segmented_control(
        TEXTS("what_is_counted"),
        PARTS,
        key="cost_part",
        required=True,
        format_func=PARTS.__getitem__,
        **PERSIST,
    )
    st.segmented_control(TEXTS("model"), parts.NAMES, key="cost_model", required=True, **PERSIST)
    {"parameters": parameters, "work": work}[st.session_state.cost_part]()
    sources = "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS)
    say(TEXTS("sources", sources=sources))
    save_link(KEYS)


def parameters() -> None:
    """What training sets: attention, feed-forward and embeddings of each model."""
    model = parts.model_named(st.session_state.cost_model)
    held = model.parameters
    figure = parameters_figure({m.name: m.parameters for m in CONFIGURATIONS}, model.name)
    draw_chart(figure, "cost_parameters")
    attention, feeding, embedding = map(parts.percent_text, parts.parameter_shares(model))
    say(
        TEXTS(
            "model_parameters",
            model=model.name,
            all=billions(held.all),
            attention=billions(held.attention),
            attention_part=attention,
            feeding=billions(held.feeding),
            feeding_part=feeding,
            embedding=billions(held.embedding),
            embedding_part=embedding,
        )
    )
    compute = parts.work_shares(model, model.context)
    say(
        TEXTS(
            "parameters_notice",
            context=grouped(model.context),
            model=model.name,
            attention=parts.percent_text(compute.attention),
            quadratic=parts.percent_text(compute.quadratic),
        )
    )
    say(
        TEXTS(
            "model_sizes",
            layers=model.layers,
            d_model=grouped(model.d_model),
            heads=model.heads,
            d_head=model.d_head,
            kv_heads=model.kv_heads,
            matrices=model.matrices,
            d_ff=grouped(model.d_ff),
        )
    )
    say_banded(model)


def say_banded(model: Configuration) -> None:
    """Say that a model's layers are counted as more than they are, if they are."""
    if model.banded:
        say(TEXTS("banded", model=model.name))


def work() -> None:
    """What a pass over a text multiplies: projections, feed-forward, scores and weighted sum."""
    model = parts.model_named(st.session_state.cost_model)
    tokens = st.select_slider(
        TEXTS("tokens_of_a_text"),
        CONTEXTS,
        key="cost_context",
        format_func=grouped,
        width=420,
        **PERSIST,
    )
    half = float(model.block.half)
    draw_chart(
        shares_figure(model.name, DRAWN, parts.shares_over(model, DRAWN), half, tokens),
        "cost_shares",
    )
    now = parts.work_shares(model, tokens)
    quadratic = parts.percent_text(now.quadratic)
    say(
        TEXTS(
            "model_work",
            model=model.name,
            tokens=grouped(tokens),
            quadratic=quadratic,
            projections=parts.percent_text(now.projections),
            feeding=parts.percent_text(now.feeding),
        )
    )
    say(TEXTS("work_notice"))
    say(TEXTS("flops", flops=decimal_text(parts.per_token(model, tokens), 2)))
    say(
        TEXTS(
            "formula",
            exact=parts.is_plain(model),
            model=model.name,
            supposed=parts.percent_text(parts.estimated_share(model, tokens)),
            supposed_half=grouped(parts.plain_half(model)),
            quadratic=quadratic,
            half=f"{half:,.0f}",
        )
    )
    say(TEXTS("not_time"))
    say_banded(model)


frame("cost", TEXTS("lede"))
open_link("cost", KEYS)
say_messages()
main = st.container()
with fold(TEXTS("layouts_title"), "cost_layouts", KEYS, OF_LAYOUTS):
    st.text_input(TEXTS("sentence"), key="cost_text", width=360, **PERSIST)
    text = what_works({"cost_text": TEXTS("the_sentence")}, KEYS, as_batch).values["cost_text"]
    say_drawn(batch_family(text).run(**{TEXT.key: "1"}))
    layouts(text)
with main:
    growth(text)
with fold(TEXTS("models_title"), "cost_parts", KEYS, OF_PARTS):
    part_tabs()
with fold(TEXTS("measured_title"), "cost_measured", KEYS):
    measurement()
ask_each("cost")
in_code(Layer, LayerCosts, Packed, origin=TEXTS("origin"), step="scores", exhibit="cost_")
page_footer("cost", TEXTS("takeaway"))
save_link(KEYS)
