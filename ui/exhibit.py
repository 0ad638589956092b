"""The stage and "this number" for one look at a run, on any page."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.program.explanations import explain
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace
from stage.views import stage_data
from ui.frame import presenting
from ui.inspector import inspector
from ui.links import Key, Keys, cell_of, one_of
from ui.selection import View, go, look
from ui.session import save_link
from ui.stage import stage


def draw_stage(
    view: View,
    on_event: Callable[[str, Any], None],
    *,
    other: Trace | None = None,
    key: str = "stage",
    **options: Any,
) -> None:
    """The stage; `other` is a run to compare with, `options` are those of `stage_data`."""
    data = stage_data(
        view.trace, view.array, view.row, selected=view.selected, slices=view.slices,
        opened=view.opened, other=other,
        present=presenting(), **options,
    )  # fmt: skip
    stage(key, data, on_event)


def draw_number(view: View, key: str = "arithmetic") -> None:
    """The selected cell's arithmetic."""
    trace = view.trace
    inspector(explain(trace, view.name, view.cell), key, trace.program.roles)


def draw_exhibit(
    trace: Trace,
    opening: tuple[str, Cell],
    keys: Keys,
    prefix: str = "",
    on_paint: Callable[[Mapping[str, Any]], None] | None = None,
    **options: Any,
) -> None:
    """The stage beside "this number", for a page whose link has the keys `step` and `cell`.

    `opening` is the array and cell where an untouched page looks; `prefix` tells the exhibits of
    one page apart, in their keys too; `on_paint` takes what is painted on a mask. `options` are
    those of `draw_stage`.
    """

    def act(kind: str, value: Mapping[str, Any]) -> None:
        if kind == "go":
            go(value, prefix)
        elif kind == "paint" and on_paint is not None:
            on_paint(value)

    view = look(trace, opening, prefix)
    wide, narrow = st.columns([2, 1])
    with wide:
        draw_stage(view, act, key=f"{prefix}stage", paint=on_paint is not None, **options)
    with narrow:
        draw_number(view, f"{prefix}arithmetic")
    save_link(keys)


exhibit = st.fragment(draw_exhibit)
"""The same, rerun alone when somebody clicks in it."""


def exhibit_keys(program: Program, step: str, prefix: str = "") -> dict[str, Key]:
    """The keys of a link that an exhibit adds to its page's."""
    return {
        f"{prefix}step": Key(step, one_of(*program.names)),
        f"{prefix}cell": Key("", cell_of),
    }
