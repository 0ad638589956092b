"""What a page keeps one click away: proofs, edge cases, tables, sources, and what is for later."""

from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.links import Keys
from ui.path import PATH
from ui.session import link_said


def fold(title: str, name: str, keys: Keys, of: Iterable[str] = ()) -> DeltaGenerator:
    """Return a fold with a title, closed at first unless the link says something of what is in it.

    `keys` are those of the page's link; those in `of` belong to what the fold holds. `name` is the
    fold's own among all of the page.
    """
    return st.expander(title, expanded=_is_opened(name, keys, of), key=f"fold_{name}")


def fold_for_later(
    title: str, name: str, keys: Keys, of: Iterable[str], after: str
) -> DeltaGenerator:
    """Return a fold of what needs a chapter that comes later: nothing belongs in it until `open`.

    `after` is the chapter's name; the others are those of `fold`.
    """
    key = f"fold_{name}"
    asked = _is_opened(name, keys, of)
    if asked != st.session_state.get(f"{key}_asked", False):
        st.session_state[key] = st.session_state[f"{key}_asked"] = asked
    return st.expander(
        f"{title} (read first: {PATH[after].title})", key=key, on_change="rerun"
    )  # fmt: skip


def _is_opened(name: str, keys: Keys, of: Iterable[str]) -> bool:
    """Return whether the link, or the scene that came last, says something of these keys.

    What merely came along from another page says nothing.
    """
    state, place = st.session_state, f"fold_{name}_opened"
    come = state.get("come", 0)
    if place not in state or state[place][0] != come:
        told = [key for key in of if not keys[key].along or key in link_said()]
        said = any(state.get(key, keys[key].default) != keys[key].default for key in told)
        state[place] = come, said
    opened: bool = state[place][1]
    return opened
