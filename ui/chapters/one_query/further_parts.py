"""Two parts of the page: recurrence compared with attention, and how many bytes a cache takes.

What arrives of the first token, and kinds of layers; a cache here, and in published models.
"""

from typing import Any

import streamlit as st

from core.attention.configurations import CONFIGURATIONS
from core.attention.costs import size_text
from core.chapters.one_query import cached, through_time
from core.chapters.one_query.one_row import HEADS
from core.program.labels import listed_names
from ui.chapters.one_query.charts import influence_figure
from ui.charts.framing import draw_chart
from ui.links.links import Key, Keys, among
from ui.links.session import save_link
from ui.page.controls import slide_along
from ui.page.fold import fold
from ui.page.prose import say, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import run_as_chosen
from ui.text import markdown_table

TEXTS = page_texts("one_query")
THROUGH = 32
"""Tokens in the chart of what arrives of the first one."""
LENGTHS = (16, 64, 256, 1024, 4096)
WIDTHS = (64, 128, 256, 512, 1024)
KERNELS = (2, 3, 5, 9)
INFLUENCE_KEYS: Keys = {
    **exhibit_keys(through_time.influence_program(1.0), "state", "query_through_", 1),
    "query_n": Key(1024, among(*LENGTHS)),
    "query_d": Key(512, among(*WIDTHS)),
    "query_kernel": Key(3, among(*KERNELS)),
}
INFLUENCE_TOGGLES = (through_time.FACTOR, through_time.WEIGHT)


@fragment
def draw_influence(keys: Keys) -> None:
    """Draw what arrives of the first token, through a state and by a weight; kinds of layers."""
    say(TEXTS("recurrent"))
    family = through_time.influence_family()
    now, trace = run_as_chosen(family)
    draw_exhibit(trace, ("state", (0, 3, 0)), keys, "query_through_", family=family)
    factor, weight = (now[toggle.key] for toggle in INFLUENCE_TOGGLES)
    reach = through_time.influence(float(factor), float(weight), THROUGH)
    figure = influence_figure(reach.recurrent, reach.attention, factor, weight)
    draw_chart(figure, "query_influence")
    left, read = (typeset_decimal(values[-1]) for values in (reach.recurrent, reach.attention))
    numbers = {"factor": factor, "tokens": THROUGH, "left": left, "read": read}
    say(TEXTS("recurrent_notice", trend=reach.trend, **numbers))
    _draw_layer_kinds()
    save_link(keys)


def _draw_layer_kinds() -> None:
    """Draw kinds of layers in a table: work, steps, path, and what they keep."""
    say(TEXTS("layers"))
    say(TEXTS("layers_each"))
    looks: dict[str, Any] = {"width": 260, "format_func": str}
    with st.container(horizontal=True):
        n = slide_along(TEXTS("layers_tokens"), LENGTHS, "query_n", **looks)
        d = slide_along(TEXTS("layers_features"), WIDTHS, "query_d", **looks)
        kernel = slide_along(TEXTS("layers_kernel"), KERNELS, "query_kernel", **looks)
    rows = []
    for kind in through_time.layer_kinds(n, d, kernel):
        counts = (kind.layers, kind.multiplications, kind.steps, kind.path, kind.kept)
        rows.append([kind.name, *map("{:,}".format, counts)])
    heads = ["kind_head", "layers_head", "multiplications_head", "steps_head", "path_head"]
    say(markdown_table([*map(TEXTS, [*heads, "kept_head"])], rows))
    say(TEXTS("layers_more"))


CONTEXTS = (1, 1024, 8192, 32768, 131072)
CACHE_SIZE_KEYS: Keys = {"query_context": Key(8192, among(*CONTEXTS))}


@fragment
def draw_cache_sizes(keys: Keys) -> None:
    """Draw the table of a number of tokens that a person chooses, and say which is largest."""
    tokens = slide_along(TEXTS("context"), CONTEXTS, "query_context", width=360)
    say(markdown_table(_header(tokens), _rows(tokens), write=str))
    biggest = max(CONFIGURATIONS, key=lambda model: model.cache_bytes(1))
    sharing = next(model for model in CONFIGURATIONS if model.sharing > 1)
    largest = {"biggest": biggest.name, "size": size_text(biggest.cache_bytes(1))}
    say(TEXTS("bytes_notice", **largest, sharing=sharing.name, heads=sharing.sharing))
    with fold(TEXTS("more"), "bytes_more", keys):
        say(TEXTS("bytes_formula"))
        learned = listed_names([model.name for model in CONFIGURATIONS if model.positions])
        say(TEXTS("bytes_learned", models=learned))
        sources = "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS)
        say(TEXTS("sources", sources=sources))
    save_link(keys)


def _header(tokens: int) -> list[str]:
    sizes = (TEXTS("model_layers_head"), TEXTS("groups_head"), "$d_k$", TEXTS("each_head"))
    cache = TEXTS("cache_head", tokens=f"{tokens:,}", one=tokens == 1)
    return [TEXTS("model_head"), *sizes, cache, TEXTS("trained_head")]


def _rows(tokens: int) -> list[list[str]]:
    """The cells of each model under `_header`; this page comes first."""
    sizes = ("1", str(HEADS), str(cached.LAYER.d_k), str(cached.BYTES_HERE))
    rows = [[TEXTS("this_page"), *sizes, size_text(cached.bytes_here(tokens)), ""]]
    for model in CONFIGURATIONS:
        sizes = (str(model.layers), str(model.kv_heads), str(model.d_head), "2")
        if model.reads(tokens):
            cache = size_text(model.cache_bytes(tokens))
        else:
            cache = TEXTS("cache_beyond", tokens=f"{model.positions:,}")
        rows.append([model.dated, *sizes, cache, f"{model.context:,}"])
    return rows
