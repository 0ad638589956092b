"""A visit: one session of the server's, and what happens if a page outlives it.

Streamlit keeps the session of a lost connection for two minutes. After that, after a restart, or on
another replica, the browser reconnects into a new session: the same page and the same values in its
widgets, but a session that knows only the address. So a page that reconnects asks for its address
anew (visits.js), `OneAddressAtATime` adds what its widgets hold (navigation.py), and components
see by the visit that they have to tell again what was not answered (component_events.py).
"""

import json
from pathlib import Path
from secrets import token_hex

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.session_state import Serialized

from ui.components.component import component

RECONNECTED = "reconnected"
"""The component's key, and the name of what it tells."""

_component = component(Path(__file__).with_name("visits.js"), RECONNECTED)


def visit() -> str:
    """Return a name of this session that no other one has."""
    name: str = st.session_state.setdefault("visit", token_hex(8))
    return name


def ask_again_when_reconnected(lost: str) -> None:
    """Let the browser ask for its address anew whenever its connection comes back.

    Until then it says that the connection is `lost`, in these words.
    """
    _component(key=RECONNECTED, data=[{"lost": lost}], on_reconnected_change=lambda: None)


def texts_of_widgets() -> dict[str, str]:
    """Return what the browser's fields hold in a session's first run, by the keys of the widgets.

    A page that is loaded brings nothing. One that outlived its session does: what was typed while
    nobody heard it, unless somebody went elsewhere meanwhile.
    """
    context = get_script_run_ctx()
    if context is None:
        return {}
    states = context.session_state._state._new_widget_state.states
    held = {
        user_key_from_element_id(name): state.value
        for name, state in states.items()
        if isinstance(state, Serialized)
    }
    if RECONNECTED not in held or not _stayed(held[RECONNECTED].json_value):
        return {}
    return {
        key: value.string_value
        for key, value in held.items()
        if key and value.WhichOneof("value") == "string_value"
    }


def _stayed(text: str) -> bool:
    """Return whether the browser says so of its place. Anybody may send anything."""
    try:
        return json.loads(text)[RECONNECTED]["moved"] is False
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return False
