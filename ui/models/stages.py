"""The stages of the page of models: one head, of a run or of a recording; and the layer around it.

The layer stands in a fold: norms, all heads, residuals, feed-forward net.
"""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from core.errors import InputError
from core.models.head_places import Place
from core.program.patterns import Cell
from core.program.trace import Trace
from ui.links.session import PERSIST, set_if_changed
from ui.links.stage_position import look_anew
from ui.models import keys
from ui.models.seen_run import SeenRun
from ui.page.controls import choose_one
from ui.page.fold import fold_drawn_when_open
from ui.page.presenting import presenting
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.stage.exhibit import draw_exhibit
from ui.stage.settings import Telling
from ui.text import escape_markdown

TEXTS = page_texts("models")
PART_NAMES = {keys.ATTENTION: TEXTS("part_attention"), keys.NET: TEXTS("part_net")}


def draw_head(trace: Trace, name: str, row: int = -1) -> None:
    """Draw a head on the stage, with its name. An untouched one opens at the largest weight of a
    row, the last one if none is given.
    """

    def opening(run: Trace) -> tuple[str, Cell]:
        rows = run["weights"][0]
        at = row % len(rows)
        return "weights", (0, at, int(np.argmax(rows[at])))

    badge = name if presenting() else ""  # else it is said above the stage
    telling = Telling(badge=badge, in_code=False)
    draw_exhibit(trace, opening, keys.MODELS_PAGE_KEYS, keys.STAGE_PREFIX, telling=telling)


def layer_fold(seen: SeenRun, place: Place) -> None:
    """Draw the fold with the layer of a head. It is computed when it is opened."""
    title = TEXTS("layer_title", layer=place[0] + 1)
    draw = partial(_layer, seen, place)
    fold_drawn_when_open(title, "model_layer", keys.MODELS_PAGE_KEYS, keys.OF_LAYER, draw)


def _layer(seen: SeenRun, place: Place) -> None:
    try:
        trace = _whole(seen, place[0]) if seen.has_whole_layers else _part(seen, place)
    except InputError as error:
        st.error(escape_markdown(str(error)))
        return
    telling = Telling(in_code=False)
    draw_exhibit(trace, _opening, keys.MODELS_PAGE_KEYS, keys.LAYER_PREFIX, telling=telling)


def _whole(seen: SeenRun, layer: int) -> Trace:
    """The run of the whole layer, and what is said of it."""
    trace = seen.layer_trace(layer)
    say(TEXTS("layer", **_units(seen, trace)))
    return trace


def _part(seen: SeenRun, place: Place) -> Trace:
    """The run of one half of the layer, which a person chooses, and what is said of it."""
    state, labels = st.session_state, seen.maps.queries  # each is another one
    tokens = range(1, len(labels) + 1)
    say(TEXTS("parts"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named, label = PART_NAMES.__getitem__, TEXTS("part")
        choose_one(label, keys.LAYER_PARTS, "model_part", format_func=named, on_change=_other_part)
        if state.model_part == keys.NET:
            set_if_changed(model_token=min(state.model_token, len(tokens)))
            st.selectbox(
                TEXTS("part_token"), tokens, key="model_token", width=220, on_change=_other_part,
                format_func=lambda n: labels[n - 1], **PERSIST,
            )  # fmt: skip
    if state.model_part == keys.NET:
        trace = seen.net_trace(place[0], state.model_token - 1)
        say(TEXTS("net", **_units(seen, trace)))
    else:
        trace = seen.attention_trace(place)
        say(TEXTS("attention_part", head=place[1] + 1, head_index=place[1]))
    return trace


def _units(seen: SeenRun, trace: Trace) -> dict[str, Any]:
    every, units = seen.checkpoint.settings.d_ff, trace.sizes["f"]
    return {"units": units, "all_units": f"{every:,}", "whole": units == every}


def _other_part() -> None:
    """Another run is on the stage: it opens at its beginning."""
    st.session_state[f"{keys.LAYER_PREFIX}cell"] = ""
    look_anew(keys.LAYER_PREFIX)


def _opening(trace: Trace) -> tuple[str, Cell]:
    first = trace.program.phases[0].main
    return first, (len(trace.tokens) - 1, 0)
