"""The stage: formula bar, strip and focus of a trace, as one components-v2 component.

`stage` draws it and returns what a person did: {"step", "cell"} when they went somewhere,
{"cell", "text"} when they typed a number, {"cells", "visible"} when they painted a mask.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from ui.assets import compact, module
from ui.stage.views import LEVELS, cell_id, main_array, stage_data

__all__ = ["cell_id", "main_array", "stage", "stage_data"]

_FOLDER = Path(__file__).parent
_SCRIPTS = ("patterns.js", "matrices.js", "formula.js", "picture.js", "gestures.js", "stage.js")
"""The parts of its ES module, in order; only the last exports."""


def _palette() -> str:
    """A class for each colour level: signed values around 0, shares from 0 to 1, booleans."""
    mix = ".{name}{{background:color-mix(in oklab,var(--{role}) {part:.0f}%,var(--empty))}}"
    rules = [
        mix.format(
            name=f"s{LEVELS + level}",
            role="positive" if level > 0 else "negative",
            part=100 * abs(level) / LEVELS,
        )
        for level in range(-LEVELS, LEVELS + 1)
    ]
    rules += [
        mix.format(name=f"w{level}", role="share", part=100 * level / LEVELS)
        for level in range(LEVELS + 1)
    ]
    rules += [mix.format(name=f"b{level}", role="share", part=30 * level) for level in (0, 1)]
    return "\n".join(rules)


_stage = st.components.v2.component(
    "attention_stage",
    css=_palette() + "\n" + compact(_FOLDER / "stage.css"),
    js=module(*(_FOLDER / name for name in _SCRIPTS)),
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
