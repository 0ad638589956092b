"""Which chapters a person has read: their browser alone knows, and tells a page that asks."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.path import PATH
from stage.assets import module

_FOLDER = Path(__file__).parent
_KEY = "chapters_read"
_component = st.components.v2.component(
    _KEY, js=module(_FOLDER / "ticks.js", _FOLDER / "chapters_read.js")
)


def ask_what_was_read(asks: int, on_read: Callable[[list[str]], None]) -> None:
    """Have the browser tell which chapters were read, in the order of the path.

    `asks` counts the times that the page has asked; 0: it does not ask (any more). A browser in
    which nothing was read says nothing.
    """

    def heard() -> None:
        told = st.session_state[_KEY].get("read")
        pages = told.get("pages") if isinstance(told, dict) else None
        if asks and isinstance(pages, list):
            on_read([name for name in PATH if name in pages])

    _component(key=_KEY, data=[{"asks": asks}], on_read_change=heard)
