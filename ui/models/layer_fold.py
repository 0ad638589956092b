"""The layer around a head, on a stage of its own: norms, all heads, residuals, feed-forward net."""

import streamlit as st

from core.errors import InputError
from core.program.patterns import Cell
from core.program.trace import Trace
from ui.exhibit import draw_exhibit
from ui.fold import fold_drawn_when_open
from ui.models.keys import LAYER_PREFIX, MODELS_PAGE_KEYS, OF_LAYER
from ui.models.seen_run import SeenRun
from ui.page_texts import page_texts
from ui.prose import say
from ui.text import escape_markdown

TEXTS = page_texts("models")


def layer_fold(seen: SeenRun, layer: int) -> None:
    """Draw the fold with a layer of a run, counted from 0. It is computed when it is opened."""
    title = TEXTS("layer_title", layer=layer + 1)
    with fold_drawn_when_open(title, "model_layer", MODELS_PAGE_KEYS, OF_LAYER) as panel:
        if panel.open:
            try:
                trace = seen.layer_trace(layer)
            except InputError as error:
                st.error(escape_markdown(str(error)))
                return
            all_units, units = seen.checkpoint.settings.d_ff, trace.sizes["f"]
            say(TEXTS("layer", units=units, all_units=f"{all_units:,}", whole=units == all_units))
            draw_exhibit(trace, _opening, MODELS_PAGE_KEYS, LAYER_PREFIX, in_code=False)


def _opening(trace: Trace) -> tuple[str, Cell]:
    first = trace.program.phases[0].main
    return first, (len(trace.tokens) - 1, 0)
