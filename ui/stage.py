"""The stage: formula bar, strip and focus of a trace, as one components-v2 component.

`stage` draws it and returns what a person did: {"step", "cell"} when they went somewhere,
{"cell", "text"} when they typed a number, {"cells", "visible"} when they painted a mask.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.limits import MAX_TEXT, MAX_TOKENS
from stage.component import script, style_sheet

LONGEST_NAME = 100
"""Characters of an array's or a cell's name."""

_stage = st.components.v2.component(
    "attention_stage",
    css=style_sheet(),
    js=script(),
)


def stage(key: str, data: dict[str, Any], on_event: Callable[[str, Any], None]) -> None:
    """Draw the stage; `on_event(kind, value)` is called for `go`, `edit` and `paint`."""

    def forward(kind: str) -> Callable[[], None]:
        def call() -> None:
            value = st.session_state[key].get(kind)
            if _is_event(kind, value):
                on_event(kind, value)

        return call

    _stage(
        key=key,
        data=data,
        on_go_change=forward("go"),
        on_edit_change=forward("edit"),
        on_paint_change=forward("paint"),
    )


def _is_event(kind: str, value: Any) -> bool:
    """Whether a browser sent what the stage sends. Anybody may send anything."""
    if not isinstance(value, Mapping):
        return False
    given = value.get
    if kind == "go":
        return _is_name(given("step")) and _is_name(given("cell"))
    if kind == "edit":
        text = given("text")
        return _is_name(given("cell")) and isinstance(text, str) and len(text) <= MAX_TEXT
    if kind == "paint":
        cells = given("cells")
        if not isinstance(cells, list) or len(cells) > MAX_TOKENS**2:
            return False
        return all(map(_is_name, cells)) and isinstance(given("visible"), bool)
    return False


def _is_name(text: Any) -> bool:
    """Whether it may name an array or a cell; whether there is such a one, the page knows."""
    return isinstance(text, str) and len(text) <= LONGEST_NAME
