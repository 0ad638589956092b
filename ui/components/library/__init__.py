"""A picture of one search: who asks, which titles are found, and what comes back."""

from dataclasses import asdict
from pathlib import Path

from core.chapters.queries_keys_values.lookup import Search
from ui.components.component import component
from ui.page_texts import chart_texts

_library = component(
    Path(__file__).with_name("library.js"), "soft_library", texts=chart_texts("queries_keys_values")
)


def draw_library(key: str, search: Search) -> None:
    """Draw a search from the question down to the answer."""
    _library(key=f"{key}_picture", data=[asdict(search)])
