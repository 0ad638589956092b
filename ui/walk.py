"""The way along the path: into a page and on from it, where one stands, ticks for what is done.

Ticks stay in the person's browser: it is told what was read and answered, and tells nobody.
"""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from stage.assets import compact
from ui.path import PATH, address_of, number_of, page_of
from ui.prose import say

_FOLDER = Path(__file__).parent
_CHAPTERS = [
    {
        "name": chapter.name,
        "title": chapter.title,
        "address": address_of(chapter.name),
        "minutes": chapter.minutes,
        "needs": [number_of(need) for need in chapter.needs],
    }
    for chapter in PATH.values()
]
_component = st.components.v2.component(
    "path",
    html='<div class="path"></div>',
    css=compact(_FOLDER / "walk.css"),
    js="\n".join(
        (
            f"const CHAPTERS = {json.dumps(_CHAPTERS)};",
            *(compact(_FOLDER / name) for name in ("follow.js", "walk.js")),
        )
    ),
)


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
        _tell("path_end", end=name)
        say(f"**To take away.** {taken}")
        word = "Next" if names.index(following) else "Again from the beginning"
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            if at:
                previous = names[at - 1]
                st.page_link(page_of(previous), label=f"← Previous: {PATH[previous].title}")
            st.page_link(page_of(following), label=f"{word}: {PATH[following].title} →")


def path_of(name: str) -> None:
    """Where a page stands on the path, as lists that open: the pages, and what is on this one."""
    _tell("path", here=name)


def way_from(page: str) -> None:
    """The end of a page that is no part of the path: where the path begins."""
    with st.container(border=True, key="way_on"):
        _tell("path_end", end=page)
        first = next(iter(PATH))
        st.page_link(page_of(first), label=f"The path begins: {PATH[first].title} →")


def answered(key: str, question: str) -> None:
    """A question of the page was answered, and rightly."""
    _tell(f"{key}_answered", answered=question)


def _tell(key: str, **told: Any) -> None:
    _component(key=key, data=[told])
