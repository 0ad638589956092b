"""Files that a person has chosen in a file uploader."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from core.errors import InputError
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("messages")

SMALL_FILE, RECORDING_FILE = 2, 64
"""Megabytes (of 2²⁰ bytes) that a field takes: of matrices or a lesson, and of a recording. The
server's own limit is the larger one.
"""


def file_in(uploader: str) -> UploadedFile | None:
    """Return the file that is chosen in the uploader with this key, or None.

    Raises `InputError` if the server no longer has it, as after a restart: the browser still names
    it then.
    """
    chosen: UploadedFile | DeletedFile | None = st.session_state.get(uploader)
    if isinstance(chosen, DeletedFile):
        raise InputError(TEXTS("file_gone"), TEXTS("kept_one_visit"), TEXTS("choose_again"))
    return chosen
