"""What a page keeps one click away: proofs, edge cases, tables, sources."""

from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.links import Keys


def fold(title: str, name: str, keys: Keys, of: Iterable[str] = ()) -> DeltaGenerator:
    """Return a fold with a title, closed at first unless the link says something of what is in it.

    `keys` are those of the page's link; those in `of` belong to what the fold holds. `name` is the
    fold's own among all of the page. A scene of a lesson is another link.
    """
    state = st.session_state
    opened = f"fold_{name}_opened_{state.get('come', 0)}"
    if opened not in state:
        state[opened] = any(state.get(key, keys[key].default) != keys[key].default for key in of)
    return st.expander(title, expanded=state[opened], key=f"fold_{name}")
