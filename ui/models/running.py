"""The run of a visitor's model: started when something is asked for, watched, and stopped."""

import streamlit as st

from core.models.offers import Offer
from ui.fragments import fragment
from ui.models.changes import asked_changes
from ui.models.holder import HOLDER
from ui.models.seen_run import SeenRun
from ui.models.work import ModelWork
from ui.page_texts import page_texts
from ui.text import escape_markdown
from ui.watching import say_progress, watch_work

TEXTS = page_texts("models")
EVERY = 400
"""Milliseconds from one look at a run under way to the next."""
RESTING = 5_000
"""Milliseconds from one word that somebody looks at a model's run to the next."""


def model_work() -> ModelWork | None:
    """Return this visitor's run, if one was started."""
    held: ModelWork | None = st.session_state.get("model_work")
    return held


def start(offer: Offer) -> None:
    """Run the chosen model on the prompt, with the changes; a run under way is given up."""
    state = st.session_state
    held = model_work()
    before = None
    if held is not None:
        held.work.stop()
        if (held.offer, held.prompt) == (offer, state.model_text):
            before = held.before
    state.model_work = ModelWork(offer, state.model_text, asked_changes(), before)
    state.model_seen = False


def stop() -> None:
    """Give the run up."""
    held = model_work()
    if held is not None:
        held.work.stop()


def seen_run() -> SeenRun | None:
    """Return what is to be seen of a run that is over; None if there is none."""
    state, work = st.session_state, model_work()
    if work is None or work.shown is None or not work.work.over:
        return None
    seen: SeenRun | None = state.get("model_seen_run")
    if seen is None or seen.run is not work.shown:
        seen = state.model_seen_run = SeenRun(work)
    return seen


@fragment
def watched_run() -> None:
    """Draw how far the run is. When it is over, the page is drawn again with what it computed."""
    held = model_work()
    if held is None:
        return
    watch_work(
        "model_beat", held.work, EVERY, lambda: HOLDER.touch(held.offer.name), resting=RESTING
    )
    if not held.work.over:
        say_progress(held.work, held.done, TEXTS("progress", percent=f"{held.done:.0%}"))
        st.button(TEXTS("stop"), key="model_stop", on_click=stop)
    elif not st.session_state.model_seen:
        st.session_state.model_seen = True
        st.rerun()
    if held.error:
        st.error(escape_markdown(str(held.error)))
    elif held.work.failed:
        st.error(TEXTS("failed"))
