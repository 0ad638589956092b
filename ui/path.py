"""The path through the pages: their order, what each needs, how long it takes, and what is next."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.prose import say

_FOLDER = Path(__file__).parents[1] / "pages"
HOME = "walkthrough"
"""The page at `/`."""


@dataclass(frozen=True)
class Chapter:
    """A page: its file's name, its title, about how many minutes it takes a reader who does not
    know it yet, what of elsewhere one should know, and which pages should come before.
    """

    name: str
    title: str
    minutes: int
    knows: str = ""
    needs: tuple[str, ...] = ()

    @property
    def page(self) -> StreamlitPage:
        url = self.name.replace("_", "-")
        return st.Page(
            _FOLDER / f"{self.name}.py", title=self.title, url_path=url, default=self.name == HOME
        )


PATH = {
    chapter.name: chapter
    for chapter in (
        Chapter("dot_products", "Dot products", 10, knows="what a row of numbers is"),
        Chapter("softmax", "Softmax", 15, needs=("dot_products",)),
        Chapter("walkthrough", "Walkthrough", 20, "how two matrices are multiplied", ("softmax",)),
        Chapter("queries_keys_values", "Queries, keys, values", 20, needs=("walkthrough",)),
        Chapter("why_scale", "Why scale", 15, "what a variance is", ("walkthrough",)),
        Chapter("why_mask", "Why mask", 15, needs=("walkthrough",)),
        Chapter("heads", "Heads", 20, needs=("queries_keys_values",)),
        Chapter("debug_lab", "Debug lab", 20, needs=("why_scale", "why_mask", "heads")),
        Chapter("one_query", "One query at a time", 20, needs=("why_mask", "heads")),
        Chapter("recursive_attention", "Recursive attention", 20, needs=("one_query",)),
        Chapter("cost", "What it costs", 20, needs=("heads", "one_query", "recursive_attention")),
        Chapter("word_order", "Word order", 15, needs=("why_mask", "queries_keys_values")),
        Chapter("attention_graph", "Attention as a graph", 20, needs=("why_mask",)),
        Chapter("block", "The block", 20, needs=("heads", "word_order")),
        Chapter("other_kinds", "Other kinds", 15, needs=("one_query", "block")),
    )
}
"""Every page by its name, in the order in which a beginner can follow them."""


def way_in(name: str) -> str:
    """What to know before a page and how long it takes, as a line of Markdown."""
    chapter = PATH[name]
    before = [chapter.knows] * bool(chapter.knows) + [PATH[need].title for need in chapter.needs]
    return f"**Before:** {', '.join(before)}. **Time:** about {chapter.minutes} minutes."


def way_on(name: str, taken: str) -> None:
    """The end of a page: what to take away from it, and the pages before and after it."""
    names = list(PATH)
    at = names.index(name)
    following = names[(at + 1) % len(names)]
    with st.container(border=True, key="way_on"):
        say(f"**To take away.** {taken}")
        word = "Next" if names.index(following) else "Again from the beginning"
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            if at:
                previous = PATH[names[at - 1]]
                st.page_link(previous.page, label=f"← Previous: {previous.title}")
            st.page_link(PATH[following].page, label=f"{word}: {PATH[following].title} →")
