"""How many bytes a cache takes: here, and in published models."""

from core.attention.configurations import CONFIGURATIONS
from core.attention.costs import size_text
from core.chapters.one_query import cached
from core.chapters.one_query.one_row import HEADS
from core.program.labels import listed_names
from ui.links.links import Key, Keys, among
from ui.links.session import save_link
from ui.page.controls import slide_along
from ui.page.fold import fold
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.text import markdown_table

TEXTS = page_texts("one_query")
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
