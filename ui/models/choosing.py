"""What a visitor opens: a model or a recording that the server offers, or a recording of their own."""

import streamlit as st

from core.errors import InputError, input_error
from core.models.offers import Offer
from core.models.recording import Recording
from core.models.recording_file import open_recording
from ui.models.recordings import SeenRecording
from ui.offered_models import needs, offers
from ui.page_texts import page_texts, plain_ui_texts
from ui.prose import say
from ui.session import PERSIST
from ui.text import escape_markdown
from ui.uploads import file_in

TEXTS, PLAIN = page_texts("models"), plain_ui_texts("models")


def check_offer(name: str) -> None:
    """Raise `InputError` for a name that is not among what this server offers."""
    if name and name not in offers():
        raise input_error(PLAIN, "no_offer", name=name[:40])


def chosen_offer() -> Offer | None:
    """Draw the choice of what is opened, and return it; None if the server offers nothing."""
    there, state = offers(), st.session_state
    if missing := needs():
        st.info(missing)
    if not there:
        return None
    if state.model not in there:
        state.model = next(iter(there))
    st.selectbox(
        TEXTS("choose"), list(there), key="model", width=400,
        format_func=lambda name: there[name].title, on_change=_other_model, **PERSIST,
    )  # fmt: skip
    return there[state.model]


def own_recording(offer: Offer | None) -> SeenRecording | None:
    """Return the recording that is to be seen: a visitor's own file first, then the chosen offer."""
    with st.expander(TEXTS("own_title")):
        say(TEXTS("own"))
        st.file_uploader(TEXTS("upload"), ["safetensors"], key="model_file")
        try:
            if (file := file_in("model_file")) is not None:
                return _opened(file.file_id, lambda: open_recording(file.getvalue(), file.name))
        except InputError as error:
            st.error(escape_markdown(str(error)))
    if offer is None or offer.kind != "recording":
        return None
    try:
        return _opened(offer.name, offer.open)
    except InputError as error:
        st.error(escape_markdown(str(error)))
    return None


def _opened(name, opens) -> SeenRecording:
    """A recording that is open; the last one of a visitor stays open."""
    state = st.session_state
    held = state.get("model_recording")
    if held is None or held[0] != name:
        recording = opens()
        assert isinstance(recording, Recording)
        held = state.model_recording = name, SeenRecording(recording)
    return held[1]


def _other_model() -> None:
    """Another model is chosen: its heads are others."""
    state = st.session_state
    state.update(model_place="", model_off="")
