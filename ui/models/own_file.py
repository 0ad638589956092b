"""A recording that a visitor opens from a file of their own."""

from collections.abc import Callable, Sequence
from inspect import getsource
from textwrap import dedent
from typing import Any

import streamlit as st

from core.errors import InputError
from core.models.recorded.recording_file import recording_of_bytes
from ui.models.choosing import forget_heads, show_chosen
from ui.models.offered_models import FOLDERS, folder_names
from ui.models.recordings import SeenRecording, forget_recording, opened_recording
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.server.uploads import RECORDING_FILE, file_in
from ui.text import Markdown, escape_markdown


def record_attention(model: Callable[[Any], object], x: Any, tokens: Sequence[str]) -> None:
    """Run a PyTorch model and write what its attention computes to a file."""
    from core.models import capture

    with capture("run.safetensors", tokens=tokens):
        model(x)


TEXTS = page_texts("models")
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
        setting, folders = Markdown(FOLDERS), folder_names()
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
