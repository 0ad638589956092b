"""What a visitor opens: what the server offers, or a recording of their own."""

from collections.abc import Callable
from functools import partial
from inspect import getsource

import streamlit as st

from core.errors import InputError, input_error
from core.models.offers import Offer, Opened
from core.models.recording import Recording
from core.models.recording_file import recording_of_bytes
from ui.models.recording_example import record_attention
from ui.models.recordings import SeenRecording
from ui.offered_models import fetched, hub_allowed, needs, offers
from ui.page_texts import page_texts, plain_ui_texts
from ui.prose import say
from ui.session import PERSIST
from ui.text import escape_markdown
from ui.uploads import file_in

UPLOAD = "model_file"
"""The key of the uploader."""
TEXTS, PLAIN = page_texts("models"), plain_ui_texts("models")


def check_offer(name: str) -> None:
    """Raise `InputError` for a name that is not among what this server offers."""
    if name and offer_named(name) is None:
        raise input_error(PLAIN, "no_offer", name=name[:40])


def offer_named(name: str) -> Offer | None:
    """Return what the server offers under a name, on the hub too if that is allowed."""
    if (found := offers().get(name)) is not None or not (name and hub_allowed()):
        return found
    return Offer(name, name, "model", partial(fetched, name))


def chosen_offer() -> Offer | None:
    """Draw the choice of what is opened, and return it; None if the server offers nothing."""
    there, state = offers(), st.session_state
    may_fetch = hub_allowed()
    if not there and not may_fetch:
        if missing := needs():
            st.info(missing)
        return None
    if offer_named(state.model) is None:
        state.model = next(iter(there), "")
    names = list(there) + [state.model] * (bool(state.model) and state.model not in there)
    st.selectbox(
        TEXTS("choose_or_name" if may_fetch else "choose"), names, key="model",
        format_func=lambda name: there[name].title if name in there else name,
        on_change=_other_model, accept_new_options=may_fetch, **PERSIST,
    )  # fmt: skip
    return offer_named(state.model)


def seen_recording(offer: Offer | None) -> SeenRecording | None:
    """Return the recording that is to be seen: a visitor's own file, or else the chosen one."""
    try:
        if (file := file_in(UPLOAD)) is not None:
            return _opened(file.file_id, lambda: recording_of_bytes(file.getvalue(), file.name))
        if offer is not None and offer.kind == "recording":
            return _opened(offer.name, offer.open)
    except InputError as error:
        st.error(escape_markdown(str(error)))
    return None


def own_recording() -> None:
    """Draw the fold in which a visitor opens a recording of their own."""
    with st.expander(TEXTS("own_title")):
        say(TEXTS("own"))
        st.code(getsource(record_attention), language="python")
        say(TEXTS("own_size"))
        st.file_uploader(TEXTS("upload"), ["safetensors"], key=UPLOAD)


def _opened(name: str, opens: Callable[[], Opened]) -> SeenRecording:
    """A recording that is open; the last one of a visitor stays open."""
    state = st.session_state
    held = state.get("model_recording")
    if held is None or held[0] != name:
        recording = opens()
        assert isinstance(recording, Recording)
        held = state.model_recording = name, SeenRecording(recording)
    seen: SeenRecording = held[1]
    return seen


def _other_model() -> None:
    """Another model is chosen: its heads are others."""
    state = st.session_state
    state.update(model_place="", model_off="")
