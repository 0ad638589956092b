"""What a component tells its page, each time with a number: the page answers with the last one.

The browser goes on showing what a person did until it is answered, and an older answer moves
nothing back.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

MOST = 2**31


def told(key: str, name: str) -> Mapping[str, Any]:
    """What the component with this key tells under a name; empty where it makes no sense."""
    state = st.session_state
    value = state[key].get(name)
    value = value if isinstance(value, dict) else {}
    number = value.get("number")
    if isinstance(number, int) and 0 < number < MOST:
        state[_kept(key)] = max(number, heard(key))  # two kinds may come at once
    return value


def heard(key: str) -> int:
    """The number of the last thing that was told; 0 at first."""
    number: int = st.session_state.get(_kept(key), 0)
    return number


def _kept(key: str) -> str:
    return f"{key}_heard"
