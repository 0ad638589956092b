"""The stage: formula bar, strip and focus of a trace, as one components-v2 component.

`stage` draws it and returns what a person did: {"step", "cell"} when they went somewhere,
{"cell", "text"} when they typed a number, {"cells", "visible"} when they painted a mask.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from stage.component import script, style_sheet

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
            if value is not None:
                on_event(kind, value)

        return call

    _stage(
        key=key,
        data=data,
        on_go_change=forward("go"),
        on_edit_change=forward("edit"),
        on_paint_change=forward("paint"),
    )
