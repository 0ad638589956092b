"""The weights of all heads of a run as small maps, one of them large: a components-v2 component."""

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from core.models.head_places import Place
from core.program.reading import percentages
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.components.data_channel import carry
from ui.components.head_maps.head_maps import PAINTED, HeadMaps, map_legend, packed_cells

_grid = component(Path(__file__).with_name("grid.js"), "head_grid", before=PAINTED)


def head_grid(
    key: str,
    maps: HeadMaps,
    chosen: Place,
    on_choice: Callable[[Place], None],
    *,
    scores: Float[np.ndarray, "L H"] | None = None,
    counted: Bool[np.ndarray, "T S"] | None = None,
    framed: Collection[Place] = (),
    off: Collection[Place] = (),
    before: HeadMaps | None = None,
) -> None:
    """Draw the maps of a run, a column for each layer or call, and the chosen one large.

    `key` ends in `maps`. `on_choice` gets a layer, or a call, and a head. A bar below each map is
    as long as its score, from 0 to 1. `counted` are the cells of the large map that are marked.
    `framed` heads have a frame, and those that are `off` are struck. With `before`, the same heads
    before a change, the large map is drawn twice. What the colours mean is said above. Raises
    `ValueError` if `before` is of other sizes.
    """
    columns, heads = maps.size

    def pressed() -> None:
        event = read_event(key, "place")
        place: Any = event.get("layer"), event.get("head")
        if place in [*np.ndindex(columns, heads)]:
            on_choice(place)

    both: Sequence[HeadMaps] = [maps] if before is None else [before, maps]
    first, *others = ((one.size, one.queries, one.keys) for one in both)
    if others not in ([], [first]):
        raise ValueError(f"{first} ≠ {others[0]}")
    runs = ".".join(str(one.number) for one in both)
    state = {
        "runs": runs,
        "scores": None if scores is None else [percentages(row, None) for row in scores],
        "chosen": list(chosen),
        "framed": [list(place) for place in framed],
        "off": [list(place) for place in off],
        **answer(key),
    }
    marks = None if counted is None else packed_cells(counted)
    news = {"small": _small(both, runs), "large": _large(both, runs, chosen)}
    news |= {"counted": marks, "state": state}
    carry(key, {name: json.dumps(said) for name, said in news.items()})
    st.caption(map_legend(maps.block))
    _grid(key=key, data=[{"key": key}], on_place_change=pressed)


def _small(both: Sequence[HeadMaps], runs: str) -> dict[str, Any]:
    """Return all small maps: if they are whole, those of before a change too, first."""
    *_, maps = both
    columns, heads = maps.size
    small = [one.small for one in (both if maps.is_whole else [maps])]
    labels = {"names": maps.columns, "queries": maps.queries, "keys": maps.keys}
    size = {"runs": runs, "layers": columns, "heads": heads, "whole": maps.is_whole}
    return size | labels | {"maps": small}


def _large(both: Sequence[HeadMaps], runs: str, chosen: Place) -> dict[str, Any] | None:
    """Return the whole maps of the chosen head, that of before first; None if all are whole."""
    if both[-1].is_whole:
        return None
    return {"runs": runs, "at": chosen, "maps": [one.large(chosen) for one in both]}
