"""A recording that a visitor opens from a file of their own."""

from dataclasses import dataclass
from inspect import getsource

import streamlit as st

from core.errors import InputError
from core.models.recording_file import recording_of_bytes
from ui.models.choosing import forget_heads
from ui.models.recording_example import record_attention
from ui.models.recordings import SeenRecording, opened_recording
from ui.page_texts import page_texts
from ui.prose import say
from ui.text import escape_markdown
from ui.uploads import file_in

UPLOAD = "model_file"
"""The key of the uploader."""
TEXTS = page_texts("models")


@dataclass(frozen=True)
class OwnFile:
    """What is in a visitor's own file: a recording, or what is wrong with it."""

    recording: SeenRecording | None = None
    error: str = ""


def own_file() -> OwnFile:
    """Return what is in the file that a visitor has chosen, if there is one."""
    try:
        if (file := file_in(UPLOAD)) is None:
            return OwnFile()
        read = opened_recording(
            file.file_id, lambda: recording_of_bytes(file.getvalue(), file.name)
        )
    except InputError as error:
        return OwnFile(error=str(error))
    say(TEXTS("own_shown", name=file.name))
    return OwnFile(read)


def choose_own_file(own: OwnFile) -> None:
    """Draw the fold in which a visitor chooses a file, and what is wrong with it."""
    with st.expander(TEXTS("own_title")):
        say(TEXTS("own"))
        st.code(getsource(record_attention), language="python")
        say(TEXTS("own_size"))
        st.file_uploader(TEXTS("upload"), ["safetensors"], key=UPLOAD, on_change=forget_heads)
        if own.error:
            st.error(escape_markdown(own.error))
