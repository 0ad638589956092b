"""The controls that change a model: its mask, its scale, and heads that are switched off."""

import streamlit as st

from core.errors import InputError, input_error
from core.models.head_places import Place, is_place_of, missing_place, read_place
from core.models.transformer.changes import ModelChanges
from core.models.transformer.settings import ModelSettings
from ui.links.session import controlled_widget
from ui.models.keys import MOST_OFF, OFF, ON, places_text, read_places
from ui.page.controls import choose_one
from ui.page.prose import typeset_symbols
from ui.page_texts import page_texts, plain_ui_texts
from ui.stage.real_model import plain_place
from ui.text import Markdown

TEXTS, PLAIN = page_texts("models"), plain_ui_texts("models")


def asked_changes() -> ModelChanges:
    """Return the changes that the page's controls ask for."""
    state = st.session_state
    off = read_places("model_off", state.model_off)
    return ModelChanges(off, state.model_mask == ON, state.model_scale == ON)


def keep_to(settings: ModelSettings) -> bool:
    """Leave out of the page's keys what a model does not have: a head, or a mask.

    Returns whether anything was left out. A message says so in the next run of the page.
    """
    state, layers, heads = st.session_state, settings.n_layers, settings.n_heads
    asked, errors = asked_changes(), list[InputError]()
    known = asked.fitting(settings)
    place = read_place("model_place", state.model_place)
    if missing := sorted(asked.heads_off - known.heads_off):
        errors.append(missing_place(missing[0], layers, heads))
        state.model_off = places_text(known.heads_off)
    if place is not None and not is_place_of(place, layers, heads):
        errors.append(missing_place(place, layers, heads))
        state.model_place = ""
    if known.mask != asked.mask:
        errors.append(input_error(PLAIN, "no_mask"))
        state.model_mask = ON
    state.messages = state.get("messages", []) + list(dict.fromkeys(map(str, errors)))
    return bool(errors)


def change_controls(settings: ModelSettings, place: Place) -> None:
    """Draw what can be changed in the model. `place` is the head that is looked at."""
    off = read_places("model_off", st.session_state.model_off)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if settings.is_causal:
            _switch("model_mask")
        _switch("model_scale")
        if place in off:
            st.button(TEXTS("switch_on"), key="model_on", on_click=_set_off, args=(off - {place},))
        elif len(off) < MOST_OFF:
            st.button(
                TEXTS("switch_off"), key="model_out", on_click=_set_off, args=(off | {place},)
            )
        if asked_changes() != ModelChanges():
            st.button(TEXTS("undo"), key="model_undo", on_click=_undo)
    if len(off) > 1:
        _list_of_off(sorted(off))


def changes_said(changes: ModelChanges) -> Markdown:
    """Return what is changed, as the beginning of a sentence."""
    off = [
        {"layer": layer + 1, "head": head + 1, "layer_index": layer, "head_index": head}
        for layer, head in sorted(changes.heads_off)
    ]
    return TEXTS("changes", off=off, mask=changes.mask, scale=changes.scale)


def _list_of_off(off: list[Place]) -> None:
    """The heads that are switched off, each to be switched on again."""

    def keep(kept: list[Place]) -> None:
        _set_off(frozenset(kept))

    st.multiselect(
        TEXTS("heads_off"), off, format_func=plain_place,
        **controlled_widget("model_heads_off", off, keep),
    )  # fmt: skip


def _switch(key: str) -> None:
    choose_one(typeset_symbols(TEXTS(key)), [ON, OFF], key, format_func=TEXTS, width="content")


def _set_off(places: frozenset[Place]) -> None:
    st.session_state.model_off = places_text(places)


def _undo() -> None:
    st.session_state.update(model_off="", model_mask=ON, model_scale=ON)
