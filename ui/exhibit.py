"""The stage and "this number" for one look at a run, on any page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from core.limits import MAX_HEADS
from core.program.explanations import explain
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace
from stage.differences import differences
from stage.document import document
from stage.places import cell_id
from stage.row_tables import row_table
from ui.frame import presenting
from ui.inspector import inspector
from ui.links import Key, Keys, cell_of, one_of, whole
from ui.selection import View, look, looked_at, seat
from ui.session import save_link
from ui.stage import stage

Act = Callable[[str, Mapping[str, Any]], None]
"""Does what a person did on the stage: kind and value."""


def draw_stage(
    trace: Trace,
    opening: tuple[str, Cell],
    keys: Keys,
    prefix: str = "",
    *,
    other: Trace | None = None,
    on_act: Act = lambda kind, value: None,
    refused: str = "",
    paint: bool = False,
    editable: Sequence[str] = (),
    badge: str = "",
) -> View:
    """The stage of a run; where one looks on it.

    `opening` is the array and cell where an untouched page looks; `keys` are those of the page's
    link, in which the stage's begin with `prefix`. `other` is a run to compare with; `refused`
    says why a number that was typed is not taken. The others are those of `document`.
    """
    view = look(trace, opening, prefix)
    told = document(trace, opening, editable=editable, paint=paint, badge=badge)
    table = row_table(trace, view.array, view.row)
    stage(
        f"{prefix}stage",
        document=told,
        answer={
            "seat": seat(prefix),
            "view": {
                "step": view.array, "cell": view.selected, "open": view.opened,
                "slices": dict(view.slices),
            },
            "refused": refused,
            "table": {
                "id": told["id"], "row": cell_id(view.array, view.row),
                "table": asdict(table) if table else None,
            },
        },
        differences=None if other is None else differences(trace, other) | {"id": told["id"]},
        config={
            "keys": {name: f"{prefix}{name}" for name in ("step", "cell", "head")},
            "step": keys[f"{prefix}step"].default,
            "present": presenting(),
        },
        on_look=lambda looked: looked_at(looked, keys, prefix),
        on_act=on_act,
    )  # fmt: skip
    return view


def draw_number(view: View, key: str = "arithmetic") -> None:
    """The selected cell's arithmetic."""
    inspector(explain(view.trace, view.name, view.cell), key)


def draw_exhibit(
    trace: Trace,
    opening: tuple[str, Cell],
    keys: Keys,
    prefix: str = "",
    on_paint: Callable[[Mapping[str, Any]], None] | None = None,
    **options: Any,
) -> None:
    """The stage beside "this number", for a page whose link has the keys of `exhibit_keys`.

    `on_paint` takes what is painted on a mask; the others are as in `draw_stage`.
    """

    def act(kind: str, value: Mapping[str, Any]) -> None:
        if kind == "paint" and on_paint is not None:
            on_paint(value)

    wide, narrow = st.columns([2, 1])
    with wide:
        view = draw_stage(
            trace, opening, keys, prefix, on_act=act, paint=on_paint is not None, **options
        )
    with narrow:
        draw_number(view, f"{prefix}arithmetic")
    save_link(keys)


exhibit = st.fragment(draw_exhibit)
"""The same, rerun alone when somebody clicks in it."""


def exhibit_keys(
    program: Program, step: str, prefix: str = "", heads: int = MAX_HEADS
) -> dict[str, Key]:
    """The keys of a link that an exhibit of at most so many heads adds to its page's."""
    return {
        f"{prefix}step": Key(step, one_of(*program.names)),
        f"{prefix}cell": Key("", cell_of),
        f"{prefix}head": Key(1, whole(1, heads)),
    }
