"""A picture of one search: who asks, which titles are found, and what comes back."""

from dataclasses import asdict
from pathlib import Path

from core.chapters.queries_keys_values.lookup import Search
from core.program.numbers.rounding import typeset
from ui.components.component import component
from ui.page_texts import chart_texts

TEXTS = chart_texts("queries_keys_values")
_library = component(Path(__file__).with_name("library.js"), "soft_library")


def draw_library(key: str, search: Search) -> None:
    """Draw a search from the question down to the answer."""
    _library(key=f"{key}_picture", data=[asdict(search) | {"words": _words(search)}])


def _words(search: Search) -> dict[str, str | list[str]]:
    """Return what is written in the picture, by its place; `fits` has one text an entry."""
    return {
        "label": TEXTS("library_label"),
        "query": TEXTS("library_query"),
        "key": TEXTS("library_key"),
        "value": TEXTS("library_value"),
        "result": TEXTS("library_returned"),
        "fits": [TEXTS("library_fit", number=typeset(entry.fit)) for entry in search.entries],
        "asks": TEXTS("library_asks", topics=search.asks),
        "gets": TEXTS("library_gets", row=search.returned),
    }
