"""What does every head of a model do on a text of one's own?

A model runs on a prompt: what it predicts, the weights of all heads, any head with every number. A
recording of a person's own model is shown in the same way.
"""

from typing import Any

import streamlit as st

from core.errors import InputError
from core.models.checkpoints.opening import MODEL_PACKAGES
from core.models.head_places import Place, place_text, read_place
from ui.components.head_maps.measured import measure_control, measured_grid
from ui.links.links import Keys
from ui.links.session import open_link, save_link, say_messages
from ui.links.stage_position import look_anew
from ui.models.changes import change_controls
from ui.models.choosing import (
    check_offer,
    chosen_offer,
    offered_recording,
    offers_nothing,
    own_recording,
    say_missing,
)
from ui.models.in_memory import IDLE, LEFT
from ui.models.keys import MODELS_PAGE_KEYS, STAGE_PREFIX
from ui.models.offered_models import offers
from ui.models.prediction import draw_prediction
from ui.models.recordings import draw_recording
from ui.models.running import (
    COLUMNS,
    draw_run_preview,
    prompt_and_progress,
    run_asked,
    run_changes,
    seen_run,
)
from ui.models.seen_run import SeenRun
from ui.models.stages import draw_head, layer_fold
from ui.page.fold import fold
from ui.page.frame import frame
from ui.page.path_navigation import page_footer
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.real_model import named_place, plain_place
from ui.text import escape_markdown

TEXTS, PLAIN = page_texts("models"), chart_texts("models")
KEYS: Keys = MODELS_PAGE_KEYS


def checked(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
    """What a link says, without a model that this server does not offer.

    A model is run if somebody asks for it: with a link, by choosing it, or with the button. One of
    the small ones in packages is run at once.
    """
    try:
        check_offer(values["model"])
    except InputError as error:
        messages.append(str(error))
        values = values | {"model": ""}
    asked = bool(values["model"]) or next(iter(offers()), "") in MODEL_PACKAGES
    return values | {"model_asked": asked}


@fragment
def run_seen() -> None:
    """Draw what the run computed: the prediction, all heads, and one on the stage."""
    seen = seen_run()
    if seen is None:
        draw_run_preview()
        return
    settings, state = seen.checkpoint.settings, st.session_state
    measure = state.model_measure
    run_changes(settings)
    place = read_place("model_place", state.model_place)
    if place is None:  # from here on no measure and no change moves it
        place = seen.leader(measure)
        state.model_place = place_text(place)
    left, right = st.columns(COLUMNS)
    with left:
        change_controls(settings, place)
        draw_prediction(seen.work)
    with right:
        all_heads(seen, place)
    is_off = place in seen.run.changes.heads_off
    say(TEXTS("one_head", place=named_place(place), off=is_off))
    model = seen.work.offer.title
    name = PLAIN("head_name", model=model, place=plain_place(place), off=is_off)
    try:
        draw_head(seen.trace(place), name)
    except InputError as error:  # the layer is not in memory, and its file is another one now
        st.error(escape_markdown(str(error)))
    layer_fold(seen, place)
    save_link(KEYS)


def all_heads(seen: SeenRun, place: Place) -> None:
    """Draw the maps of all heads with a measure, and the chosen one large."""

    def look(chosen: Place) -> None:
        st.session_state.model_place = place_text(chosen)
        look_anew(STAGE_PREFIX)

    measure = measure_control("model_measure")
    say(TEXTS("grid_try"))
    measured_grid(
        "beside_model_maps", seen.maps, seen.tokens, measure, seen.scored(measure), place, look,
        off=seen.run.changes.heads_off, before=seen.maps_before,
    )  # fmt: skip


frame("models", TEXTS("lede", without_model=offers_nothing()), TEXTS("title"))
open_link("models", KEYS, checked)
say_messages()
say_missing()
left, right = st.columns([2, 5], vertical_alignment="top")
with left:
    offer = chosen_offer()
recording = own_recording(alone=offer is None)
if recording is None and offer and offer.kind == "model":
    run_asked(offer)
    with right:
        prompt_and_progress(offer)
    run_seen()
elif recording := recording or offered_recording(offer):
    draw_recording(recording)
with fold(TEXTS("more_title"), "model_more", KEYS):
    say(TEXTS("more", idle=int(IDLE), left=int(LEFT)))
page_footer("models")
save_link(KEYS)
