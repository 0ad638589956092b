"""The way along the path: the header of every page, into a page and on from it, ticks.

Ticks stay in the person's browser: it is told what was read and answered, and tells nobody.
"""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from stage.assets import compact, sheet
from ui.path import BESIDE, PATH, address_of, number_of, page_of
from ui.presenting import presenting
from ui.prose import say
from ui.sharing import share_page

NAME = "Attention, step by step"
"""What the product is called."""

_FOLDER = Path(__file__).parent
_CHAPTERS = [
    {
        "name": chapter.name,
        "title": chapter.title,
        "address": address_of(chapter.name),
        "minutes": chapter.minutes,
        "needs": sorted(map(number_of, chapter.needs)),
    }
    for chapter in PATH.values()
]
_BESIDE = [
    {"name": name, "title": title, "address": address_of(name)} for name, title in BESIDE.items()
]
_GIVEN = {"NAME": NAME, "CHAPTERS": _CHAPTERS, "BESIDE": _BESIDE}
_SCRIPTS = ("follow.js", "ticks.js", "header.js", "walk.js")
_component = st.components.v2.component(
    "path",
    html='<div class="path"></div>',
    css=sheet(_FOLDER / "header.css"),
    js="\n".join(
        (
            *(f"const {name} = {json.dumps(given)};" for name, given in _GIVEN.items()),
            *(compact(_FOLDER / name) for name in _SCRIPTS),
        )
    ),
)


def header(name: str) -> None:
    """The line at the top of a page, from which every other page can be reached.

    A projector's view has none, nor has a page within another one.
    """
    if not presenting() and not st.context.is_embedded:
        _tell("header", here=name)
        share_page(name)


def way_in(name: str) -> str:
    """Where a chapter stands, how long it takes and what comes before, as a line of Markdown."""
    chapter = PATH[name]
    read = ", ".join(
        f"[{PATH[need].title}]({address_of(need)})" for need in sorted(chapter.needs, key=number_of)
    )
    said = [f"Chapter {number_of(name)} of {len(PATH)}", f"{chapter.minutes} min"]
    if read:
        said.append(f"read first: {read}")
    if chapter.knows:
        said.append(f"{'know first:' if read else 'needs'} {chapter.knows}")
    return " · ".join(said)


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
