"""A recording that a visitor opens from a file of their own."""

from dataclasses import dataclass
from inspect import getsource

import streamlit as st

from core.errors import InputError
from core.models.recording_file import recording_of_bytes
from ui.models.choosing import forget_heads
from ui.models.recording_example import record_attention
from ui.models.recordings import SeenRecording, forget_recording, opened_recording
from ui.offered_models import FOLDERS, folder_names
from ui.page_texts import page_texts
from ui.prose import say
from ui.text import Markdown, escape_markdown
from ui.uploads import RECORDING_FILE, file_in

TEXTS = page_texts("models")


@dataclass(frozen=True)
class OwnFile:
    """What is in a visitor's own file: a recording, or what is wrong with it."""

    recording: SeenRecording | None = None
    error: str = ""


def own_file() -> OwnFile:
    """Return what is in the file that a visitor has chosen, if there is one."""
    state = st.session_state
    try:
        file = file_in(_uploader())
        if state.get("model_own") not in (None, file and file.file_id):
            forget_recording(state.pop("model_own"))
        if file is None:
            return OwnFile()
        state.model_own = file.file_id
        read = opened_recording(
            file.file_id, lambda: recording_of_bytes(file.getvalue(), file.name)
        )
    except InputError as error:
        return OwnFile(error=str(error))
    with st.container(horizontal=True, vertical_alignment="center"):
        say(TEXTS("own_shown", name=file.name))
        st.button(TEXTS("own_remove"), key="model_file_out", on_click=_remove)
    return OwnFile(read)


def choose_own_file(own: OwnFile) -> None:
    """Draw the fold in which a visitor chooses a file, and what is wrong with it."""
    with st.expander(TEXTS("own_title")):
        say(TEXTS("own"))
        st.code(getsource(record_attention), language="python")
        setting, folders = Markdown(FOLDERS), folder_names()
        say(TEXTS("own_size", most=RECORDING_FILE, setting=setting, folders=folders))
        st.file_uploader(
            TEXTS("upload"), ["safetensors"], key=_uploader(), on_change=forget_heads,
            max_upload_size=RECORDING_FILE,
        )  # fmt: skip
        if own.error:
            st.error(escape_markdown(own.error))


def _uploader() -> str:
    """The key of the uploader: another one is empty."""
    return f"model_file_{st.session_state.get('model_files', 0)}"


def _remove() -> None:
    """Remove the file, and show again what is chosen above."""
    st.session_state.model_files = st.session_state.get("model_files", 0) + 1
    forget_heads()
