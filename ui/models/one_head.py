"""One head of a visitor's model on the stage, from what its layer reads."""

import numpy as np
import streamlit as st

from core.models.head_places import Place
from core.models.token_text import label_token
from core.models.transformer.head_trace import head_trace
from core.program.patterns import Cell
from core.program.trace import Trace
from ui.exhibit import draw_exhibit
from ui.models.holder import HOLDER
from ui.models.keys import MODEL_KEYS, STAGE_PREFIX
from ui.models.work import ModelWork


def trace_at(work: ModelWork, place: Place) -> Trace:
    """Return the run of one head; the last one of a visitor is kept."""
    held = st.session_state.get("model_trace")
    if held is None or held[0] is not work.shown or held[1] != place:
        held = st.session_state.model_trace = work.shown, place, _made(work, place)
    trace: Trace = held[2]
    return trace


def draw_head(trace: Trace) -> None:
    """Draw a head on the stage; an untouched one opens at the largest weight of its last row."""
    draw_exhibit(trace, _opening, MODEL_KEYS, STAGE_PREFIX)


def _made(work: ModelWork, place: Place) -> Trace:
    run, checkpoint = work.shown, work.checkpoint
    assert run is not None
    assert checkpoint is not None
    model = HOLDER.reader(checkpoint)
    layer, head = place
    tokens = [label_token(token) for token in run.tokens]
    return head_trace(model, run.layer(model, layer), head, tokens, run.changes)


def _opening(trace: Trace) -> tuple[str, Cell]:
    last = trace["weights"][0, -1]
    return "weights", (0, len(last) - 1, int(np.argmax(last)))
