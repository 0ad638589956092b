"""What does every head of a model do on a text of one's own?

A model runs on a prompt: what it predicts, the weights of all heads, any head with every number.
"""

import streamlit as st

from core.models.head_places import is_place_of, read_place
from ui.fragments import fragment
from ui.frame import frame
from ui.links import Keys
from ui.models.changes import asked_changes, change_controls
from ui.models.keys import MODEL_KEYS
from core.models.offers import Offer
from ui.offered_models import offers
from ui.models.one_head import draw_head, trace_at
from ui.models.prediction import draw_prediction
from ui.models.running import model_work, start, watched_run
from ui.page_texts import page_texts
from ui.path_navigation import side_page_footer
from ui.prose import say
from ui.real_model import named_place
from ui.session import PERSIST, open_link, save_link, say_messages

TEXTS = page_texts("models")
KEYS: Keys = MODEL_KEYS


def controls() -> Offer | None:
    """Draw what is run: the model and the prompt. Returns the offer that is chosen."""
    there = offers()
    if not there:
        st.info(TEXTS("nothing_here", command="make models"))
        return None
    state = st.session_state
    if state.model not in there:
        state.model = next(iter(there))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            TEXTS("choose"), list(there), key="model", width=330,
            format_func=lambda name: there[name].title, **PERSIST,
        )  # fmt: skip
        chosen = there[state.model]
        st.text_input(TEXTS("prompt"), key="model_text", **PERSIST)
        st.button(TEXTS("run"), key="model_run", type="primary", on_click=start, args=(chosen,))
    return chosen


@fragment
def seen() -> None:
    """Draw what the run computed."""
    work = model_work()
    if work is None or work.shown is None or not work.work.over:
        return
    settings = work.checkpoint.settings
    place = read_place("model_place", st.session_state.model_place) or (0, 0)
    if not is_place_of(place, settings.n_layers, settings.n_heads):
        place = (0, 0)
    change_controls(settings, place)
    if asked_changes() != work.changes:
        start(work.offer)
        st.rerun()
    draw_prediction(work)
    say(named_place(place))
    draw_head(trace_at(work, place))
    save_link(KEYS)


frame("models", TEXTS("lede"), TEXTS("title"))
open_link("models", KEYS)
say_messages()
controls()
watched_run()
seen()
side_page_footer("models")
save_link(KEYS)
