"""What a component tells its page: events with a number; the page answers with the last number.

The browser goes on showing what a person did until it is answered, and an older answer moves
nothing back. Numbers count within one visit. When the browser has reconnected to a visit that
knows nothing of the one before (ui/server/visits.py), it tells what was not answered once more.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui.page.presenting import presenting
from ui.server.visits import visit

LARGEST_NUMBER = 2**31


def read_event(key: str, name: str) -> Mapping[str, Any]:
    """Return the component's last event of that name; empty if it makes no sense here."""
    state = st.session_state
    value = state[key].get(name)
    if not isinstance(value, dict) or value.get("visit") != visit():
        return {}
    number = value.get("number")
    if isinstance(number, int) and 0 < number < LARGEST_NUMBER:
        state[_number_key(key)] = max(number, _last_event_number(key))  # two kinds may come at once
    return value


def answer(key: str) -> dict[str, Any]:
    """Return what the component must know: this visit, and the number of its last event here.

    Also whether it is projected: what it draws is larger then.
    """
    return {"visit": visit(), "heard": _last_event_number(key), "present": presenting()}


def _last_event_number(key: str) -> int:
    """Return the number of the component's last event in this visit; 0 at first."""
    number: int = st.session_state.get(_number_key(key), 0)
    return number


def _number_key(key: str) -> str:
    return f"{key}_heard"
