"""What does every head of a model do on a text of one's own?

A model runs on a prompt: what it predicts, the weights of all heads, any head with every number. A
recording of a person's own model is shown in the same way.
"""

from typing import Any

import streamlit as st

from core.errors import InputError
from core.models.head_places import Place, is_place_of, place_text, read_place
from core.models.offers import Offer
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.head_maps.head_maps import said_of_blocks
from ui.head_maps.measured import measure_control, measured_grid
from ui.links import Keys
from ui.models.changes import asked_changes, change_controls
from ui.models.choosing import check_offer, chosen_offer, own_recording
from ui.models.keys import MODEL_KEYS
from ui.models.prediction import draw_prediction
from ui.models.recordings import draw_recording
from ui.models.running import model_work, seen_run, start, watched_run
from ui.models.seen_run import SeenRun
from ui.models.stages import draw_head
from ui.page_texts import page_texts
from ui.path_navigation import side_page_footer
from ui.prose import say
from ui.real_model import named_place
from ui.session import PERSIST, link_said, open_link, save_link, say_messages

TEXTS = page_texts("models")
KEYS: Keys = MODEL_KEYS


def checked(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
    """What a link says, without a model that this server does not offer."""
    try:
        check_offer(values["model"])
    except InputError as error:
        messages.append(str(error))
        return values | {"model": ""}
    return values


def prompt(offer: Offer, linked: bool) -> None:
    """Draw the prompt, and run the model when it is asked for, or when a link says which it is."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("prompt"), key="model_text", **PERSIST)
        st.button(TEXTS("run"), key="model_run", type="primary", on_click=start, args=(offer,))
    if linked and model_work() is None:
        start(offer)


@fragment
def run_seen() -> None:
    """Draw what the run computed: the prediction, all heads, and one on the stage."""
    seen = seen_run()
    if seen is None:
        return
    settings, state = seen.checkpoint.settings, st.session_state
    measure = state.model_measure
    place = read_place("model_place", state.model_place)
    if place is None or not is_place_of(place, settings.n_layers, settings.n_heads):
        place = seen.scored(measure).leaders[0]
    change_controls(settings, place)
    if asked_changes() != seen.run.changes:
        start(seen.work.offer)
        st.rerun()
    draw_prediction(seen.work)
    all_heads(seen, place)
    say(TEXTS("one_head", place=named_place(place), off=place in seen.run.changes.heads_off))
    draw_head(seen.trace(place))
    save_link(KEYS)


def all_heads(seen: SeenRun, place: Place) -> None:
    """Draw the maps of all heads with a measure, and the chosen one large."""

    def look(chosen: Place) -> None:
        st.session_state.model_place = place_text(chosen)

    measure = measure_control("model_measure")
    say(TEXTS("grid_try"))
    measured_grid(
        "beside_model_maps", seen.maps, seen.tokens, measure, seen.scored(measure), place, look,
        off=seen.run.changes.heads_off, before=seen.maps_before,
    )  # fmt: skip
    if said := said_of_blocks(seen.maps):
        say(said)


frame("models", TEXTS("lede"), TEXTS("title"))
open_link("models", KEYS, checked)
say_messages()
offer = chosen_offer()
recording = own_recording(offer)
if recording:
    draw_recording(recording)
elif offer:
    prompt(offer, "model" in link_said())
    watched_run()
    run_seen()
with fold(TEXTS("more_title"), "model_more", KEYS):
    say(TEXTS("more"))
side_page_footer("models")
save_link(KEYS)
