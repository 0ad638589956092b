"""The maps of all heads of a run with a measure: who leads by it, and one map large."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from core.models.head_places import Place
from core.models.head_scores import COUNTED_CELLS
from core.models.head_search import ScoredHeads
from core.models.head_words import score_title, whole_percent
from ui.components.head_maps.grid import head_grid
from ui.components.head_maps.head_maps import HeadMaps
from ui.page.controls import choose_one
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.stage.real_model import named_place

TEXTS = page_texts("real_heads")
MEASURES = tuple(COUNTED_CELLS)
"""Scores that are the weight in some cells, which can be marked in a map."""


def measure_control(key: str) -> str:
    """Draw the choice of a measure, and return the chosen one."""
    chosen: str = choose_one(TEXTS("score"), MEASURES, key, format_func=score_title, wrap=True)
    return chosen


def measured_grid(
    key: str,
    maps: HeadMaps,
    tokens: Sequence[str],
    measure: str,
    scored: ScoredHeads,
    place: Place,
    look: Callable[[Place], None],
    *,
    framed: Collection[Place] = (),
    off: Collection[Place] = (),
    before: HeadMaps | None = None,
) -> None:
    """Draw the grid of a causal or bidirectional run, and what the measure says in it.

    `tokens` are as the tokeniser writes them, `scored` are the scores of the run by this measure.
    The others are those of `head_grid`.
    """
    head_grid(
        key, maps, place, look, scores=scored.scores, counted=COUNTED_CELLS[measure](tokens),
        framed=framed, off=off, before=before,
    )  # fmt: skip
    if not scored.scores.any():
        say(TEXTS("no_leaders", title=score_title(measure)))
        return
    leaders = [
        {"place": named_place(leader), "percent": whole_percent(scored.scores[leader])}
        for leader in scored.leaders
    ]
    say(TEXTS("leaders", title=score_title(measure), leaders=leaders))
    with st.container(horizontal=True, key=f"{key.removesuffix('maps')}leaders"):
        for number, leader in enumerate(scored.leaders, start=1):
            label = TEXTS("look", layer=leader[0] + 1, head=leader[1] + 1)
            st.button(label, key=f"{key}_{number}", on_click=look, args=(leader,), type="tertiary")
    say(TEXTS("chosen_map", place=named_place(place), percent=whole_percent(scored.scores[place])))
