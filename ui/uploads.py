"""Files that a person has chosen in a file uploader."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from core.errors import InputError


def file_in(uploader: str) -> UploadedFile | None:
    """Return the file that is chosen in the uploader with this key, or None.

    Raises `InputError` if the server no longer has it, as after a restart: the browser still names
    it then.
    """
    chosen: UploadedFile | DeletedFile | None = st.session_state.get(uploader)
    if isinstance(chosen, DeletedFile):
        raise InputError(
            "The file that was chosen is gone", "the server keeps it for one visit",
            "choose it again",
        )  # fmt: skip
    return chosen
