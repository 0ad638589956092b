"""The keys in a class's links: the browser keeps them, and then they leave its address.

An address is seen by everybody who sees the window, and stays in the browser's history. What is
left in it says that the browser has the key, so a reload finds it again, and so does a session
that begins anew behind an open page.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from ui.components.component import component
from ui.server.visits import visit

KEPT = "kept"
"""Stands in a link in place of a key that the browser keeps."""
_HELD = "keys_of_links"
_COMPONENT = "kept_keys"
_component = component(Path(__file__).with_suffix(".js"), _COMPONENT)


def held_key(code: str, name: str) -> str:
    """Return the key of that name that the link has, or that the session has for it; "" if none."""
    said: str = st.query_params.get(name, "")
    return said if said != KEPT else _held().get(_place(code, name), "")


def find_key(code: str, name: str, fits: Callable[[str, str], bool]) -> str | None:
    """Return the same, after the browser was asked; None until it has answered.

    A key that `fits` the room of this code leaves the link once the browser keeps it.
    """
    said, place = st.query_params.get(name, ""), _place(code, name)
    if said != KEPT and not fits(code, said):
        return said
    is_known = said != KEPT or place in _held()
    is_at_rest = said == KEPT and is_known
    data = {
        "place": "" if is_at_rest else place, "key": "" if said == KEPT else said, "visit": visit(),
    }  # fmt: skip
    told = _component(key=_COMPONENT, data=[data], on_told_change=lambda: None).get("told")
    if isinstance(told, Mapping) and told.get("place") == place:
        key = told.get("key")
        if said == KEPT and not is_known:
            _held()[place] = key if isinstance(key, str) else ""
        elif key == said:
            _held()[place] = said
            st.query_params[name] = KEPT
    return held_key(code, name) if is_known or place in _held() else None


def _held() -> dict[str, str]:
    """The keys that the session has in place of the link."""
    held: dict[str, str] = st.session_state.setdefault(_HELD, {})
    return held


def _place(code: str, name: str) -> str:
    """Where the browser keeps a key."""
    return f"{code}.{name}"
