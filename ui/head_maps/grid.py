"""The weights of all layers and heads of a run as small maps: one components-v2 component."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from core.models.captures import CapturedRun
from core.program.reading import percentages
from ui.component_events import answer, read_event
from ui.head_maps import map_script, map_sheet, packed_run
from ui.presenting import presenting

_grid = st.components.v2.component("head_grid", css=map_sheet("grid"), js=map_script("grid"))
Place = tuple[int, int]
"""A layer and a head, from 0."""


def head_grid(
    key: str,
    run: CapturedRun,
    labels: Sequence[str],
    scores: Float[np.ndarray, "L H"],
    counted: Bool[np.ndarray, "T T"],
    chosen: Place,
    framed: Collection[Place],
    on_choice: Callable[[Place], None],
) -> None:
    """Draw the maps of a run, a column for each layer, and the chosen one large.

    `labels` are those of the tokens. A bar below each map is as long as its score, from 0 to 1.
    `counted` are the cells of the large map that the score counts; `framed` heads have a frame.
    `on_choice` gets a layer and a head.
    """
    layers, heads = scores.shape

    def pressed() -> None:
        event = read_event(key, "place")
        place: Any = event.get("layer"), event.get("head")
        if place in [*np.ndindex(layers, heads)]:
            on_choice(place)

    data = {
        "layers": layers,
        "heads": heads,
        "labels": list(labels),
        "causal": run.mask == "causal",
        "scores": [percentages(row, None) for row in scores],
        "counted": np.argwhere(counted).tolist(),
        "chosen": list(chosen),
        "framed": [list(place) for place in framed],
        "present": presenting(),
        **packed_run(run),
        **answer(key),
    }
    _grid(key=key, data=[data], on_place_change=pressed)
