"""Two sentences of the same words, one above the other, with lines between the rows of a word.

One components-v2 component. A line says whether both rows are the same; two switches change them
at once, because the browser has all cases. `two_orders` reports what is chosen.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from core.chapters.word_order.pair import MASK_TOGGLES, SentencePair
from core.program.numbers.rounding import cell_text
from core.program.trace import Trace
from ui.components.component import BARS, component
from ui.components.component_events import answer, read_event
from ui.page_texts import chart_texts

TEXTS = chart_texts("word_order")
TOLD = ("off", "on")
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "mask": dict(zip(MASK_TOGGLES, map(TEXTS, ("board_none", "board_causal")), strict=True)),
    "places": {"off": TEXTS("board_off"), "on": TEXTS("board_on")},
}

_orders = component(Path(__file__).with_name("two_orders.js"), before=BARS, texts=TEXTS)


def two_orders(
    key: str, pair: Callable[[str, bool], SentencePair], mask: str, places: str,
    on_chosen: Callable[[str, str], None],
) -> None:  # fmt: skip
    """Draw the two runs with a mask and positions, or without; `on_chosen` gets other choices."""

    def chose() -> None:
        found = read_event(key, "chosen")
        if found.get("mask") in MASK_TOGGLES and found.get("places") in TOLD:
            on_chosen(found["mask"], found["places"])

    data = {
        "cases": {
            f"{one} {other}": _case(pair(one, other == "on"))
            for one in MASK_TOGGLES
            for other in TOLD
        },
        "chosen": {"mask": mask, "places": places},
        "switches": {name: dict(options) for name, options in SWITCHES.items()},
        **answer(key),
    }
    _orders(key=key, data=[data], on_chosen_change=chose)


def _case(found: SentencePair) -> dict[str, object]:
    def rows(trace: Trace) -> list[list[str]]:
        return [[cell_text(float(x)) for x in row] for row in trace["context"][0]]

    return {
        "tokens": [list(trace.tokens) for trace in (found.above, found.below)],
        "rows": [rows(found.above), rows(found.below)],
        "place": list(found.place),
        "same": list(found.same),
    }
