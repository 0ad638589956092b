"""What does generation actually compute?

One query at a time: the new token asks, and reads keys and values that were kept.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.attention.chosen_token import LAST_TOKEN, any_token_toggle, settled_choice, token_toggle
from core.attention.layers.decoding import decoding_program
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.one_query import cached, growing
from core.chapters.one_query.cached import TOKEN as WRITTEN
from core.chapters.one_query.one_row import D_MODEL, HEADS, one_row_family, one_row_program
from core.chapters.one_query.one_row import ROW_TOKEN as ASKING
from core.chapters.one_query.through_time import layer_kinds
from core.operations.shapes import append_rows
from core.operations.sums import recurrence
from core.program.labels import axis_labels, token_labels
from core.program.numbers.rounding import decimal_text
from ui.chapters.one_query.charts import sizes_figure, work_figure
from ui.chapters.one_query.further_parts import (
    CACHE_SIZE_KEYS,
    INFLUENCE_KEYS,
    INFLUENCE_TOGGLES,
    draw_cache_sizes,
    draw_influence,
)
from ui.charts.framing import draw_chart
from ui.components.cache_rows import cache_rows
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, sentence_of
from ui.links.session import PERSIST, save_link, set_if_changed
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, what_works
from ui.page.prose import cell_number, gap_text, say, say_drawn, typeset_count
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, run_as_chosen, toggle_keys
from ui.text import token_text

TEXTS = page_texts("one_query")
TAB_TITLES = {
    "row": TEXTS("row_part"),
    "corner": TEXTS("corner_part"),
    "grow": TEXTS("grow_part"),
    "recurrent": TEXTS("recurrent_part"),
    "bytes": TEXTS("bytes_part"),
}
FITTING = {
    WRITTEN: TEXTS("the_token"),
    ASKING: TEXTS("the_asking_token"),
    "query_text": TEXTS("the_sentence"),
}
KEYS: Keys = {
    "query_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    **toggle_keys(any_token_toggle(WRITTEN), cached.CACHE),
    **exhibit_keys(decoding_program(HEADS, 1), "K", "query_", HEADS),
    "query_part": Key("row", one_of(*TAB_TITLES)),
    **toggle_keys(any_token_toggle(ASKING), cached.CORNER, cached.NEW, growing.TOKENS),
    **toggle_keys(*INFLUENCE_TOGGLES),
    **exhibit_keys(one_row_program(0), "y_t", "query_row_", HEADS),
    **exhibit_keys(decoding_program(HEADS, 1), "masked", "query_corner_", HEADS),
    **exhibit_keys(growing.FIXED, "y", "query_fixed_", 1),
    **INFLUENCE_KEYS,
    **CACHE_SIZE_KEYS,
}


def fits(query_text: str, **tokens: str) -> str:
    """Return the sentence, if it has the tokens that are asked for. Raises `InputError`."""
    for key, token in tokens.items():
        token_toggle(key, query_text).check(settled_choice(token, query_text))
    return query_text


def anew() -> None:
    """Begin at the last token of another sentence."""
    set_if_changed(**{WRITTEN: LAST_TOKEN, ASKING: LAST_TOKEN})


@fragment
def writing(text: str) -> None:
    """Draw a sentence written token by token, with a cache or without, and the work of both."""
    family = cached.writing_family(text)
    now, trace = run_as_chosen(family)
    last, again = len(trace.tokens) - 1, now[cached.CACHE.key] == cached.AGAIN
    rows = cached.cached_writing(text, st.session_state.query_head - 1)
    with st.container(key="beside_cache"):
        labels = token_labels(tokenise(text))
        cache_rows("query_board", labels, rows, last, again, partial(write_up_to, text))
    token = token_text(axis_labels(trace, "K")[1][last])
    gap = gap_text(cached.difference(trace, text))
    say(TEXTS("notice", number=last + 1, token=token, again=again, apart=gap))
    say(TEXTS("try"))
    draw_exhibit(trace, ("K", (0, last, 0)), KEYS, "query_", family=family)
    with fold(TEXTS("counted_title"), "counted", KEYS):
        say_work(len(tokenise(text)), last)


def write_up_to(text: str, token: int) -> None:
    """Make another token, counted from 0, the new one."""
    set_if_changed(**{WRITTEN: settled_choice(str(token + 1), text)})


def say_work(tokens: int, last: int) -> None:
    """Draw the multiplications of each token in a chart, and say their sums."""
    counted = cached.writing_work(tokens)
    draw_chart(work_figure(counted.with_cache, counted.without, last + 1), "query_work")
    with_cache, without = map(typeset_count, (counted.all_with, counted.all_without))
    work = {"with_cache": with_cache, "without": without}
    say(TEXTS("counted", tokens=tokens, times=decimal_text(counted.times, 1), **work))


@fragment
def part_tabs(text: str) -> None:
    """Draw the rest of the chapter, one part at a time."""
    draw: dict[str, Callable[[], None]] = {
        "row": partial(row, text),
        "corner": corner,
        "grow": partial(grow, text),
        "recurrent": partial(draw_influence, KEYS),
        "bytes": partial(draw_cache_sizes, KEYS),
    }
    draw[choose_one(TEXTS("more_header"), TAB_TITLES, "query_part")]()
    save_link(KEYS)


@fragment
def row(text: str) -> None:
    """Draw the single-query form, and the same row of the matrix form."""
    say(TEXTS("row"))
    family = one_row_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("y_t", (0, 0, 0)), KEYS, "query_row_", family=family)
    token = token_text(axis_labels(trace, "y_t")[1][0])
    single, matrix = (cell_number(trace, name, (0, 0, 0)) for name in ("y_t", "row_t"))
    say(TEXTS("row_notice", token=token, single=single, matrix=matrix))
    with fold(TEXTS("more"), "row_more", KEYS):
        say(TEXTS("row_more"))


@fragment
def corner() -> None:
    """Draw which corner "causal" means if there are fewer queries than keys."""
    say(TEXTS("corner", sentence=DEFAULT_TEXT))
    family = cached.corner_family()
    trace = family.run(**chosen(family))
    new, keys = trace["mask"].shape
    draw_exhibit(trace, ("masked", (0, new - 1, keys - 1)), KEYS, "query_corner_", family=family)
    say(TEXTS("corner_notice", new=new, seen=cached.seen_by_last(trace), keys=keys))
    with fold(TEXTS("more"), "corner_more", KEYS):
        say(TEXTS("corner_more"))


@fragment
def grow(text: str) -> None:
    """Draw a map of fixed size, and compare it with attention, which fits any number of tokens."""
    say(TEXTS("grow"))
    family = growing.fixed_family()
    trace = family.run(**chosen(family))
    tokens = len(trace.tokens)
    draw_exhibit(trace, ("y", (0, 0)), KEYS, "query_fixed_", family=family)
    size, error = typeset_count(trace["W_fixed"].size), growing.refused(tokens + 1, tokens)
    say(TEXTS("fixed", tokens=tokens, size=size, error=error))
    lengths = list(range(1, 13))
    fixed, attention = [growing.size_of_fixed(T, D_MODEL) for T in lengths], cached.LAYER.parameters
    draw_chart(sizes_figure(lengths, fixed, attention), "query_sizes")
    numbers = {"attention": typeset_count(attention), "fixed": typeset_count(fixed[-1])}
    say(TEXTS("grow_notice", d_model=D_MODEL, tokens=lengths[-1], **numbers))
    say(TEXTS("grow_more", moved=gap_text(max(growing.row_changes(text, 0)))))


if __name__ == "__main__":
    begin_chapter("one_query", KEYS, link_that_fits(FITTING, KEYS, fits))
    main = st.container()
    st.text_input(TEXTS("sentence"), key="query_text", width=360, on_change=anew, **PERSIST)
    SHOWN = what_works(FITTING, KEYS, fits).made
    for name in (WRITTEN, ASKING):
        st.session_state[name] = settled_choice(st.session_state[name], SHOWN)
    with main:
        writing(SHOWN)
    say(TEXTS("why_it_works"))
    say_drawn(cached.writing_family(SHOWN).run())
    st.header(TEXTS("more_header"), anchor=False)
    part_tabs(SHOWN)
    code = (decoding_program, append_rows, recurrence, layer_kinds)
    end_chapter("one_query", KEYS, code, "context")
