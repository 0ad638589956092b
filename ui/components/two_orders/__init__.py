"""Two sentences of the same words, one above the other, with lines between the rows of a word.

One components-v2 component. A line says whether both rows are the same; two switches change them
at once, because the browser has all cases.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import streamlit as st

from core.chapters.word_order.orders import MASK_TOGGLES, SentencePair, pair
from core.program.numbers.rounding import cell_text
from core.program.trace import Trace
from ui.components.component import BARS, component
from ui.components.component_events import answer, read_event
from ui.links.links import Key, Keys, one_of
from ui.links.session import save_link
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment

TEXTS, NAMES = page_texts("word_order"), chart_texts("word_order")
KEY = "order_board"
TOLD = ("off", "on")
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "mask": dict(zip(MASK_TOGGLES, map(NAMES, ("board_none", "board_causal")), strict=True)),
    "places": {"off": NAMES("board_off"), "on": NAMES("board_on")},
}

_orders = component(Path(__file__).with_name("two_orders.js"), before=BARS, texts=NAMES)
PAIR_KEYS: Keys = {
    "order_pair_mask": Key(MASK_TOGGLES[0], one_of(*MASK_TOGGLES)),
    "order_pair_places": Key(TOLD[0], one_of(*TOLD)),
}


@fragment
def paired(keys: Keys) -> None:
    """Draw both sentences with a mask and positions, or without; say which rows are the same."""
    state = st.session_state
    mask, places = state.order_pair_mask, state.order_pair_places

    def chose() -> None:
        found = read_event(KEY, "chosen")
        if found.get("mask") in MASK_TOGGLES and found.get("places") in TOLD:
            state.update(order_pair_mask=found["mask"], order_pair_places=found["places"])

    every = product(MASK_TOGGLES, TOLD)
    data = {
        "cases": {f"{one} {other}": _case(pair(one, other == "on")) for one, other in every},
        "chosen": {"mask": mask, "places": places},
        "switches": {name: dict(options) for name, options in SWITCHES.items()},
        **answer(KEY),
    }
    _orders(key=KEY, data=[data], on_chosen_change=chose)
    same = pair(mask, places == "on").same
    say(TEXTS("try"))
    switched = {"causal": mask == "causal", "placed": places == "on"}
    say(TEXTS("pair", same=sum(same), count=len(same), **switched))
    save_link(keys)


def _case(found: SentencePair) -> dict[str, object]:
    def rows(trace: Trace) -> list[list[str]]:
        return [[cell_text(float(x)) for x in row] for row in trace["context"][0]]

    runs = found.above, found.below
    told = {"tokens": [list(trace.tokens) for trace in runs], "rows": [*map(rows, runs)]}
    return told | {"place": list(found.place), "same": list(found.same)}
