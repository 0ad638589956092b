"""Toggles of a family of programs as keys of a link and as widgets: nothing of them said twice."""

from typing import Any

import streamlit as st

from core.program.families import Toggle
from ui.links import Key
from ui.session import KEPT


def toggle_keys(*toggles: Toggle) -> dict[str, Key]:
    """The keys of a link that toggles add to their page's."""
    return {toggle.key: Key(toggle.default, _reader(toggle)) for toggle in toggles}


def choose(toggle: Toggle, **layout: Any) -> str:
    """The options side by side; the value that is chosen."""
    settings = {"width": "content", "required": True, "wrap": True} | KEPT | layout
    value: str = st.segmented_control(
        toggle.word, list(toggle.options), key=toggle.key,
        format_func=toggle.options.__getitem__, **settings,
    )  # fmt: skip
    return value


def choose_along(toggle: Toggle, **layout: Any) -> str:
    """The same as a slider, for options that have an order."""
    value: str = st.select_slider(
        toggle.word, list(toggle.options), key=toggle.key,
        format_func=toggle.options.__getitem__, **(KEPT | layout),
    )  # fmt: skip
    return value


def _reader(toggle: Toggle) -> Any:
    def reader(key: str, text: str) -> str:
        toggle.check(text)
        return text

    return reader
