"""Two sentences of the same words, one above the other, with lines between the rows of a word.

One components-v2 component. A line says whether both rows are the same; two switches change them
at once, for all their cases come along. `two_orders` reports what is chosen.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from core.chapters.word_order.pair import MASKS, Pair
from core.program.rounding import cell_text
from core.program.trace import Trace
from stage.assets import module, sheet
from ui.component_events import EVENTS, answer, told
from ui.presenting import presenting

_FOLDER = Path(__file__).parent
TOLD = ("off", "on")
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "mask": dict(zip(MASKS, MASKS, strict=True)),
    "places": {"off": "not told", "on": "added to the rows"},
}
WORDS: Mapping[str, str] = {
    "mask": "Mask", "places": "Positions", "same": "same row", "other": "another row",
}  # fmt: skip

_orders = st.components.v2.component(
    "two_orders",
    css=sheet(_FOLDER / "two_orders.css"),
    js=module(EVENTS, _FOLDER / "two_orders.js"),
)


def two_orders(
    key: str, pair: Callable[[str, bool], Pair], mask: str, places: str,
    on_chosen: Callable[[str, str], None],
) -> None:  # fmt: skip
    """Draw the pair of runs of a mask and of places told or not; `on_chosen` gets others."""

    def chose() -> None:
        found = told(key, "chosen")
        if found.get("mask") in MASKS and found.get("places") in TOLD:
            on_chosen(found["mask"], found["places"])

    data = {
        "cases": {
            f"{one} {other}": _case(pair(one, other == "on")) for one in MASKS for other in TOLD
        },
        "chosen": {"mask": mask, "places": places},
        "switches": {name: dict(options) for name, options in SWITCHES.items()},
        "words": dict(WORDS),
        "present": presenting(),
        **answer(key),
    }
    _orders(key=key, data=[data], on_chosen_change=chose)


def _case(found: Pair) -> dict[str, object]:
    def rows(trace: Trace) -> list[list[str]]:
        return [[cell_text(float(x)) for x in row] for row in trace["context"][0]]

    return {
        "tokens": [list(trace.tokens) for trace in (found.above, found.below)],
        "rows": [rows(found.above), rows(found.below)],
        "place": list(found.place),
        "same": list(found.same),
    }
