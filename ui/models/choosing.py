"""What a visitor opens: of what the server offers, or a recording from a file of their own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import getsource
from textwrap import dedent
from typing import Any

import streamlit as st

from core.chapters.real_heads.gallery import ORDER
from core.errors import InputError, input_error
from core.models.captures import load_capture
from core.models.head_words import head_words
from core.models.offers import Offer
from core.models.recorded.recording_file import recording_of_bytes
from core.models.token_text import one_line
from ui.components.head_maps.cards import gallery_card, gallery_group, head_cards, short_name
from ui.links.navigation import go_to
from ui.links.path import page_named
from ui.links.session import PERSIST
from ui.models import offered_models
from ui.models.recordings import SeenRecording, forget_recording, opened_recording
from ui.page.prose import say
from ui.page_texts import page_texts, plain_ui_texts
from ui.server.uploads import RECORDING_FILE, file_in
from ui.stage.real_model import GALLERY_PAGE
from ui.text import Markdown, escape_markdown

TEXTS, PLAIN = page_texts("models"), plain_ui_texts("models")


def check_offer(name: str) -> None:
    """Raise `InputError` for a name that is not among what this server offers."""
    if name and offer_named(name) is None:
        raise input_error(PLAIN, "no_offer", name=name[:40])


def offer_named(name: str) -> Offer | None:
    """Return what the server offers under a name, on the hub too if that is allowed."""
    found = offered_models.offers().get(name)
    is_on_hub = found is None and name and offered_models.hub_allowed()
    return offered_models.published(name) if is_on_hub else found


def say_missing() -> None:
    """Say which folders are not there, and how models come here if there are none."""
    if lost := offered_models.missing_folders():
        st.warning(TEXTS("no_folder", folders=lost, setting=Markdown(offered_models.FOLDERS)))
    if offers_nothing():
        a_real_head()
        if missing := offered_models.needs():
            st.info(missing)


def offers_nothing() -> bool:
    """Whether there is no model here, and none may be fetched."""
    return not offered_models.offers() and not offered_models.hub_allowed()


def a_real_head() -> None:
    """Draw the card of one captured head: what there is to see without any model."""
    name, state = ORDER[0], st.session_state
    capture = load_capture(name)
    group = gallery_group(capture.run.model, causal=capture.run.mask == "causal")

    def open_gallery(_: str) -> None:
        state.model_gallery = True

    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width=260):
            cards = {group: [replace(gallery_card(name), measured="")]}
            head_cards("beside_model_card_maps", cards, "", open_gallery, title=group)
        with st.container(width=560):
            model, text = short_name(capture.run.model), one_line(capture.run.prompt)
            say(TEXTS("one_head_reads", model=model, text=text))
            say(TEXTS("one_head_here", words=head_words(capture)))
            st.page_link(page_named(GALLERY_PAGE), label=TEXTS("to_gallery"))
    if state.pop("model_gallery", False):
        go_to(page_named(GALLERY_PAGE), {})


def chosen_offer() -> Offer | None:
    """Draw the choice of what is opened, and return it; None if the server offers nothing."""
    there, state = offered_models.offers(), st.session_state
    may_fetch = offered_models.hub_allowed()
    if not there and not may_fetch:
        return None
    if offer_named(state.model) is None:
        state.model = next(iter(there), "")
    names = list(there) + [state.model] * (bool(state.model) and state.model not in there)
    st.selectbox(
        TEXTS("choose_or_name" if may_fetch else "choose"), names, key="model",
        format_func=lambda name: there[name].title if name in there else name,
        on_change=show_chosen, accept_new_options=may_fetch, **PERSIST,
    )  # fmt: skip
    return offer_named(state.model)


def offered_recording(offer: Offer | None) -> SeenRecording | None:
    """Return the recording that is chosen; None if it is a model. Says what is wrong with it."""
    if offer is None or offer.kind != "recording":
        return None
    try:
        return opened_recording(offer.name, offer.open)
    except InputError as error:
        st.error(escape_markdown(str(error)))
    return None


def show_chosen() -> None:
    """Show what is chosen in the list, and no longer a file of the visitor's own."""
    st.session_state.model_files = st.session_state.get("model_files", 0) + 1
    forget_heads()


def forget_heads() -> None:
    """Another model is chosen: it is run, and its heads are others."""
    st.session_state.update(model_place="", model_off="", model_asked=True)


def record_attention(model: Callable[[Any], object], x: Any, tokens: Sequence[str]) -> None:
    """Run a PyTorch model and write what its attention computes to a file."""
    from core.models import capture

    with capture("run.safetensors", tokens=tokens):
        model(x)


_LINES = dedent(getsource(record_attention).split('"""\n', 1)[1])
_FOLD = "model_own_fold"


def own_recording(*, alone: bool) -> SeenRecording | None:
    """Draw the fold in which a visitor chooses a file, and return the recording in that file.

    The fold is open at first if nothing else can be chosen. It closes when a file is opened. It
    comes before what it changes, because a field that moves in the page loses its file.
    """
    state = st.session_state
    state.setdefault(_FOLD, alone)
    recording, error = None, ""
    try:
        recording = _opened()
    except InputError as wrong:
        error = str(wrong)
    with st.expander(TEXTS("own_title"), key=_FOLD, on_change="rerun"):
        say(TEXTS("own"))
        st.code(_LINES, language="python")
        setting, folders = Markdown(offered_models.FOLDERS), offered_models.folder_names()
        say(TEXTS("own_size", most=RECORDING_FILE, setting=setting, folders=folders))
        st.file_uploader(
            TEXTS("upload"), ["safetensors"], key=_uploader(), on_change=forget_heads,
            max_upload_size=RECORDING_FILE,
        )  # fmt: skip
        if error:
            st.error(escape_markdown(error))
    if recording is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            say(TEXTS("own_shown", name=state.model_own_name))
            st.button(TEXTS("own_remove"), key="model_file_out", on_click=show_chosen)
    return recording


def _opened() -> SeenRecording | None:
    """Return what is in the chosen file, if there is one. Raises `InputError` for another kind."""
    state = st.session_state
    file = file_in(_uploader())
    is_new = state.get("model_own") != (file and file.file_id)
    if is_new and "model_own" in state:
        forget_recording(state.pop("model_own"))
    if file is None:
        return None
    state.model_own, state.model_own_name = file.file_id, file.name
    read = opened_recording(file.file_id, lambda: recording_of_bytes(file.getvalue(), file.name))
    if is_new:
        state[_FOLD] = False
    return read


def _uploader() -> str:
    """The key of the uploader: another one is empty."""
    return f"model_file_{st.session_state.get('model_files', 0)}"
