"""Where do work, memory and parameters go?

Scores grow with the square of the text, everything else linearly or not at all; counted, and drawn.
"""

from collections.abc import Mapping

import streamlit as st

from core.attention.costs import Layer, LayerCosts, size_text
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.cost import batch as batches
from core.chapters.cost import growth as cost_growth
from core.chapters.cost import real_model
from core.models.captures import captured_run
from core.program.numbers.rounding import decimal_text
from ui.chapters.cost.cost_growth import (
    areas_figure,
    crossing_figure,
    growth_figure,
    weights_read_figure,
)
from ui.chapters.cost.cost_of_models import MODEL_COST_KEYS, draw_model_costs
from ui.charts.framing import draw_chart
from ui.links.links import SENTENCE_KEY, Key, Keys, among, one_of, sentence_of
from ui.links.session import PERSIST, save_link
from ui.measuring import measurement
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one, slide_along
from ui.page.fold import fold
from ui.page.last_valid import of_one, what_works
from ui.page.prose import gap_text, say, say_drawn, typeset_count
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.real_model import draw_run_name, real_model_fold
from ui.stage.toggles import chosen, toggle_keys
from ui.text import markdown_table

TEXTS, CHARTS = page_texts("cost"), chart_texts("cost")
PADDED = batches.batch_program(batches.Padded(batches.PADDED), 0, 1)
OF_LAYOUTS: Keys = {
    **toggle_keys(batches.LAYOUT, batches.TEXT),
    **exhibit_keys(PADDED, "weights", "cost_", cost_growth.HEADS),
}
OF_REAL: Keys = {"cost_run": Key("smollm2-ship", one_of(*real_model.TEXTS_READ))}
KEYS: Keys = {
    "cost_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    "cost_tokens": Key(1024, among(*cost_growth.LENGTHS)),
    **OF_LAYOUTS,
    **MODEL_COST_KEYS,
    **OF_REAL,
}


@fragment
def growth(text: str) -> None:
    """Draw T² against T as areas, the part of T² in the work, and everything that is counted."""
    left, right = st.columns(2)
    with left:
        say(TEXTS("areas_title", d=cost_growth.D_MODEL))
        picture = st.container()
        say(TEXTS("try"))
        tokens = slide_along(TEXTS("tokens"), cost_growth.LENGTHS, "cost_tokens", width=420)
    marks = cost_growth.marked_lengths(len(tokenise(text)), tokens)
    degrees = {2: "quadratic", 1: "linear", 0: "fixed"}
    times = {degrees[each.degree]: str(each.times(tokens)) for each in cost_growth.HELD}
    with picture:
        draw_chart(areas_figure(tokens, cost_growth.strip_width()), "cost_areas")
        counts = {"tokens": typeset_count(tokens), "doubled": typeset_count(marks["2T"])}
        say(TEXTS("notice", **counts, **times))
    with right:
        say(TEXTS("crossing_title"))
        places, halves = cost_growth.PLACES, (cost_growth.even_at(), float(cost_growth.BLOCK.half))
        lines = {"attention_line": cost_growth.share, "block_line": cost_growth.share_of_block}
        shares: dict[str, list[float]] = {
            TEXTS(id): list(map(share, places)) for id, share in lines.items()
        }
        draw_chart(crossing_figure(places, shares, halves, tokens), "cost_crossing")
    with fold(TEXTS("counted_title"), "cost_counted", KEYS):
        counted(tokens, marks)
    save_link(KEYS)


def counted(tokens: int, marks: Mapping[str, int]) -> None:
    """Draw work and memory against T, for the sentence and for a T that is chosen."""
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
        [row.name, *map(typeset_count, row.counts), f"× {row.times}"]
        for row in cost_growth.growth_table(places)
    ]
    head = [
        TEXTS("table_head"),
        *(CHARTS("mark", name=name, tokens=typeset_count(T)) for name, T in marks.items()),
        TEXTS("table_doubled"),
    ]
    say(markdown_table(head, rows))
    say(TEXTS("even", even=cost_growth.even_at()))
    scores, cache = (size_text(cost_growth.bytes_of(each, tokens)) for each in cost_growth.HELD[:2])
    held = {"scores": scores, "cache": cache}
    say(TEXTS("memory", bytes=cost_growth.BYTES, tokens=typeset_count(tokens), **held))
    first, last = (typeset_count(cost_growth.cached_token_work(token)) for token in (1, tokens))
    say(TEXTS("price", tokens=typeset_count(tokens), first=first, last=last))


@fragment
def layouts(text: str) -> None:
    """Draw a batch, padded or packed, and say what each layout computes."""
    second, third = batches.OTHERS
    say(TEXTS("batch", second=second, third=third))
    family = batches.batch_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("weights", (0, 2, 0)), KEYS, "cost_", family=family)
    made = batches.batch(text)
    padded, packed = made.padded, made.packed
    rows = [[name, *map(typeset_count, numbers)] for name, numbers in made.table.items()]
    heads = ("batch_head", "rows_head", "pad_head", "computed_head", "used_head", "unused_head")
    say(markdown_table([TEXTS(id) for id in heads], rows))
    say(TEXTS("layouts_notice", padding=padded.padding, rows=padded.rows, tokens=packed.rows))
    say(TEXTS("same_rows", apart=gap_text(made.apart)))
    say(TEXTS("packed_scores"))
    say(TEXTS("padding_in_front"))


@fragment
def in_a_real_model() -> None:
    """Draw how few weights matter in a real model, and say how many keys and values it keeps."""
    name = choose_one(
        TEXTS("real_tokens"),
        real_model.TEXTS_READ,
        "cost_run",
        format_func=lambda run: str(real_model.weights_read(run).tokens),
    )
    draw_run_name(captured_run(name))
    read, cache = real_model.weights_read(name), real_model.cache_kept(name)
    beside = st.container(horizontal=True)
    with beside, st.container(width=720):
        draw_chart(weights_read_figure(read), "cost_real")
    with beside, st.container(width=400):
        say(TEXTS("real_try"))
        seen, needed = (decimal_text(count, 1) for count in (read.seen, read.needed))
        percent = real_model.HELD_PERCENT
        say(TEXTS("real_notice", seen=seen, needed=needed, percent=percent))
    sizes = {name: getattr(cache, name) for name in ("heads", "kv_heads", "layers", "d_k")}
    kept = {name: typeset_count(getattr(cache, name)) for name in ("kept", "unshared")}
    say(TEXTS("real_cache", tokens=read.tokens, **sizes, **kept))
    save_link(KEYS)


if __name__ == "__main__":
    begin_chapter("cost", KEYS)
    main = st.container()
    with fold(TEXTS("layouts_title"), "cost_layouts", KEYS, OF_LAYOUTS):
        st.text_input(TEXTS("sentence"), key="cost_text", width=360, **PERSIST)
        words = {"cost_text": TEXTS("the_sentence")}
        text = what_works(words, KEYS, of_one(batches.batch)).values["cost_text"]
        say_drawn(batches.batch_family(text).run(**{batches.TEXT.key: "1"}))
        layouts(text)
    with main:
        growth(text)
    with fold(TEXTS("models_title"), "cost_parts", KEYS, MODEL_COST_KEYS):
        draw_model_costs(KEYS)
    real_model_fold("cost_real", KEYS, OF_REAL, in_a_real_model)
    with fold(TEXTS("measured_title"), "cost_measured", KEYS):
        measurement()
    end_chapter("cost", KEYS, [Layer, LayerCosts, batches.Packed], "scores")
