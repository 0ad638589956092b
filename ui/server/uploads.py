"""Files that a person has chosen in a file uploader; and how much of what a visit sends is kept.

Streamlit keeps every file of a session until the session ends, used or not, and takes a text of
any length: the length of a field is the browser's affair.
"""

from http import HTTPStatus
from typing import Any

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from core.errors import input_error
from core.files.text import MAX_CHARACTERS
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
        raise input_error(TEXTS, "file_gone")
    return chosen


MOST_BYTES = 64 * 2**20
"""Of the files of a visit together; the latest one is kept in any case."""
MOST_OF_ALL = 512 * 2**20
"""Bytes of files that all visits may have on the server."""
MOST_FILES = 4
"""Files that a visit may have on the server: more than its pages can show at a time."""
LONGEST = MAX_CHARACTERS + 1
"""Characters that are kept of a text: one more than any page takes, so that the page refuses it."""
UPLOADS = "/_stcore/upload_file/"


class KeepLittle:
    """Lets a visit keep its latest files, and of each field no more than a page can use."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.bytes_under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def cut_receive() -> Message:
            return cut(await receive())

        if scope["type"] == "http" and scope["method"] == "PUT" and UPLOADS in scope["path"]:
            await self._upload(scope, receive, send)
        else:
            websocket = scope["type"] == "websocket"
            await self.app(scope, cut_receive if websocket else receive, send)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a file if there is room for it, and drop the older ones of its visit for it."""
        session, _, _ = scope["path"].partition(UPLOADS)[2].partition("/")
        length = Headers(scope=scope).get("content-length", "")
        if not length.isdecimal():
            await Response(status_code=HTTPStatus.LENGTH_REQUIRED)(scope, receive, send)
            return
        manager = Runtime.instance().uploaded_file_mgr
        drop_oldest(manager, session, int(length))
        if byte_count(manager) + self.bytes_under_way + int(length) > MOST_OF_ALL:
            await Response(status_code=HTTPStatus.INSUFFICIENT_STORAGE)(scope, receive, send)
            return
        self.bytes_under_way += int(length)
        try:
            await self.app(scope, receive, send)
        finally:
            self.bytes_under_way -= int(length)
        drop_oldest(manager, session)


def drop_oldest(manager: Any, session: str, coming: int = 0) -> None:
    """Remove all files of a session but the latest ones; so many bytes more are to come."""
    assert isinstance(manager, MemoryUploadedFileManager)
    files = list(manager.file_storage.get(session, {}).items())
    room = MOST_BYTES - coming
    for number, (name, file) in enumerate(reversed(files)):
        room -= len(file.data)
        if number >= MOST_FILES or (room < 0 and (number > 0 or coming > 0)):
            manager.remove_file(session, name)


def byte_count(manager: Any) -> int:
    """Return the bytes of all files of all sessions."""
    assert isinstance(manager, MemoryUploadedFileManager)
    sessions = list(manager.file_storage.values())
    return sum(len(file.data) for files in sessions for file in list(files.values()))


def cut(message: Message) -> Message:
    """Return a browser's message with its long texts cut, and without other values of such size."""
    data = message.get("bytes") or b""
    if len(data) <= LONGEST:
        return message
    text = BackMsg()
    try:
        text.ParseFromString(data)
    except DecodeError:  # for Streamlit to refuse
        return message
    states = text.rerun_script.widget_states
    for widget in states.widgets:
        if widget.WhichOneof("value") == "string_value":
            widget.string_value = widget.string_value[:LONGEST]
    kept = [w for w in states.widgets if w.ByteSize() <= LONGEST or w.HasField("string_value")]
    states.CopyFrom(WidgetStates(widgets=kept))
    return {**message, "bytes": text.SerializeToString()}
