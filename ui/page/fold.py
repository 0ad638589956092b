"""What a page keeps one click away: proofs, edge cases, tables, sources, and what is for later."""

from collections.abc import Callable, Iterable

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from core.path import PATH
from ui.links.links import Keys
from ui.links.session import link_said
from ui.page_texts import ui_texts
from ui.text import Markdown


def fold(title: str, name: str, keys: Keys, of: Iterable[str] = ()) -> ExpanderContainer:
    """Return a fold with a title, closed at first unless the link says something of what is in it.

    `keys` are those of the page's link; those in `of` belong to what the fold holds. `name` is the
    fold's own among all of the page.
    """
    opened = _is_opened(name, keys, of)
    # A browser keeps what stands open by its key, whatever comes: another scene needs another one.
    return st.expander(title, expanded=opened, key=f"fold_{name}_{st.session_state.get('come', 0)}")


def fold_drawn_when_open(
    title: str, name: str, keys: Keys, of: Iterable[str], draw: Callable[[], None]
) -> None:
    """Draw a fold of what takes time: `draw` is called only while it is open.

    The others are those of `fold`.
    """
    state, key = st.session_state, f"fold_{name}"
    opened = _is_opened(name, keys, of)
    if key not in state or state.get(f"{key}_by_link") != opened:
        state[key] = state[f"{key}_by_link"] = opened
    with st.expander(title, key=key, on_change="rerun") as panel:
        if panel.open:
            draw()


def fold_for_later(
    title: str, name: str, keys: Keys, of: Iterable[str], draw: Callable[[], None], after: str
) -> None:
    """Draw the same of what needs a chapter that comes later; `after` is the chapter's name."""
    label = ui_texts("path")("read_first", title=Markdown(title), chapter=PATH[after].title)
    fold_drawn_when_open(label, name, keys, of, draw)


def _is_opened(name: str, keys: Keys, of: Iterable[str]) -> bool:
    """Return whether the link, or the scene that came last, said something of these keys."""
    assert {*of} <= keys.keys(), f"no keys of the page: { ({*of} - keys.keys()) }"
    state, place = st.session_state, f"fold_{name}_opened"
    come = state.get("come", 0)
    if place not in state or state[place][0] != come:
        link = link_said()
        # What cannot be used says nothing: the default is shown in its place.
        usable = (
            state.get(key) != keys[key].default or link[key] == str(keys[key].default)
            for key in of
            if key in link
        )
        state[place] = come, any(usable)
    opened: bool = state[place][1]
    return opened
