"""The way along the path: the header of every page, into a page and on from it, ticks.

Ticks stay in the person's browser: it is told what was read and answered, and tells nobody.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from core.path import PATH
from ui.components.component import component
from ui.links.path import BESIDE, UNLISTED, address_of, chapter_number, page_named
from ui.page.presenting import presenting
from ui.page.prose import say
from ui.page.sharing import share_page
from ui.page_texts import plain_ui_texts, ui_texts
from ui.text import Markdown

TEXTS = ui_texts("path")
NAME = plain_ui_texts("path")("name")
"""What the product is called."""

_CHAPTERS = [
    {
        "name": chapter.name,
        "title": chapter.title,
        "address": address_of(chapter.name),
        "minutes": chapter.minutes,
        "needs": sorted(map(chapter_number, chapter.needs)),
    }
    for chapter in PATH.values()
]
_BESIDE = [
    {
        "name": name,
        "title": title,
        "address": address_of(name),
        "place": "list" if name == "models" else "line",
    }
    for name, title in BESIDE.items()
]
_GIVEN = {"NAME": NAME, "CHAPTERS": _CHAPTERS, "BESIDE": _BESIDE}
_component = component(
    Path(__file__).with_name("path_navigation.js"),
    "path",
    html='<div class="path"></div>',
    given=_GIVEN,
)


def header(name: str) -> None:
    """The line at the top of a page, from which every other page can be reached.

    A projector's view has none, nor has a page within another one. Of a page that no menu lists the
    link is not shared: it may have a teacher's key.
    """
    if presenting() or st.context.is_embedded or _is_class_screen(name):
        return
    _tell("header", here=name, shares=name not in UNLISTED)
    if name not in UNLISTED:
        share_page(name)


def _is_class_screen(name: str) -> bool:
    """Whether a page is a student's, or a room's without a key, which is for its projector."""
    link = st.query_params
    return name == "join" or (name == "room" and "room" in link and "key" not in link)


def chapter_line(name: str) -> Markdown:
    """Return a line on a chapter: its number, its minutes and what to read or know first.

    It links to what is read first, but to the chapter before: the header above does that.
    """
    chapter, number = PATH[name], chapter_number(name)
    read = ", ".join(
        PATH[need].title
        if chapter_number(need) == number - 1
        else f"[{PATH[need].title}]({address_of(need)})"
        for need in sorted(chapter.needs, key=chapter_number)
    )
    return TEXTS(
        "chapter", number=number, count=len(PATH), minutes=chapter.minutes,
        read=Markdown(read), knows=chapter.knows,
    )  # fmt: skip


def page_footer(name: str, taken: str = "") -> None:
    """The end of a page: what to take away from it, and the pages before and after it; where the
    path begins, on a page that is no part of it.
    """
    names = list(PATH)
    with st.container(border=True, key="page_footer"):
        _tell("path_end", end=name)
        if name not in PATH:
            return _lead("begins", names[0])
        at = names.index(name)
        following = names[(at + 1) % len(names)]
        say(TEXTS("take_away", taken=Markdown(taken)))
        word = "next" if names.index(following) else "again"
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            if at:
                _lead("previous", names[at - 1])
            _lead(word, following)


def _lead(word: str, name: str) -> None:
    """Draw a link to a chapter; `word` is the id of how it is called."""
    st.page_link(page_named(name), label=TEXTS(word, title=PATH[name].title))


def answered(key: str, question: str) -> None:
    """A question of the page was answered, and rightly."""
    _tell(f"{key}_answered", answered=question)


def _tell(key: str, **told: Any) -> None:
    _component(key=key, data=[told])
