"""The path through the pages: their order, what each needs, and how long it takes."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.page_texts import plain_ui_texts

_FOLDER = Path(__file__).parents[1] / "pages"
TEXTS = plain_ui_texts("path")
HOME = "walkthrough"
"""The page at `/`."""


@dataclass(frozen=True)
class Chapter:
    """A page: its file's name, about how many minutes it takes a reader who does not know it yet,
    what a reader should know from elsewhere, and which pages should come before.
    """

    name: str
    minutes: int
    knows: str = ""
    needs: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return TEXTS(self.name)


PATH = {
    chapter.name: chapter
    for chapter in (
        Chapter("words", 15, knows=TEXTS("knows_nothing")),
        Chapter("dot_products", 10, needs=("words",)),
        Chapter("softmax", 15, needs=("dot_products",)),
        Chapter("walkthrough", 20, TEXTS("knows_matrices"), ("softmax",)),
        Chapter("queries_keys_values", 20, needs=("walkthrough",)),
        Chapter("why_scale", 15, TEXTS("knows_variance"), ("walkthrough",)),
        Chapter("why_mask", 15, needs=("walkthrough",)),
        Chapter("heads", 20, needs=("queries_keys_values",)),
        Chapter("debug_lab", 20, needs=("why_scale", "why_mask", "heads")),
        Chapter("one_query", 20, needs=("why_mask", "heads")),
        Chapter("recursive_attention", 20, needs=("one_query",)),
        Chapter("cost", 20, needs=("heads", "one_query", "recursive_attention")),
        Chapter("word_order", 15, needs=("why_mask", "queries_keys_values")),
        Chapter("attention_graph", 20, needs=("why_mask",)),
        Chapter("block", 20, needs=("heads", "word_order")),
        Chapter("other_kinds", 15, needs=("one_query", "block")),
    )
}
"""Every page by its name, in the order in which a beginner can follow them."""


BESIDE = {name: TEXTS(name) for name in ("lessons", "practice")}
"""Pages that are no part of the path, by their name: what they are called."""


def pages() -> list[StreamlitPage]:
    """Every page."""
    return [page_of(name) for name in (*BESIDE, *PATH)]


def page_of(name: str) -> StreamlitPage:
    """A page, on the path or beside it."""
    title = PATH[name].title if name in PATH else BESIDE[name]
    return st.Page(
        script_of(name), title=title, url_path=name.replace("_", "-"), default=name == HOME
    )


def name_of(page: StreamlitPage) -> str:
    """The name of a page."""
    return page.url_path.replace("-", "_") or HOME


def script_of(name: str) -> Path:
    """The file of a page."""
    return _FOLDER / f"{name}.py"


def address_of(name: str) -> str:
    """Where a page is, from any other page of the app."""
    return "./" if name == HOME else name.replace("_", "-")


def number_of(name: str) -> int:
    """The number of a page, counted from 1."""
    return list(PATH).index(name) + 1
