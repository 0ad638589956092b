"""The stage and "this number" for one look at a run, on any page."""

from collections.abc import Callable
from typing import Any

from core.explanations import explain
from core.programs import Trace
from ui.frame import presenting
from ui.inspector import inspector
from ui.selection import View
from ui.stage import stage, stage_data


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
        view.trace, view.array, view.row, selected=view.selected, head=view.head, other=other,
        present=presenting(), **options,
    )  # fmt: skip
    stage(key, data, on_event)


def draw_number(view: View) -> None:
    """The selected cell's arithmetic."""
    inspector(explain(view.trace, view.name, view.cell))
