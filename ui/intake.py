"""How much of what a visit sends the server keeps: files that are uploaded, texts in fields.

Streamlit keeps every file of a session until the session ends, used or not, and takes a text of
any length: the length of a field is the browser's affair.
"""

from typing import Any

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core.files.text import MAX_CHARACTERS

MOST_FILES = 4
"""Files that a visit may have on the server: more than its pages can show at a time."""
LONGEST = MAX_CHARACTERS + 1
"""Characters that are kept of a text: one more than any page takes, so that the page refuses it."""
UPLOADS = "/_stcore/upload_file/"


class KeepLittle:
    """Lets a visit keep its latest files, and of each field no more than a page can use."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def cut_receive() -> Message:
            return cut(await receive())

        websocket = scope["type"] == "websocket"
        await self.app(scope, cut_receive if websocket else receive, send)
        if scope["type"] == "http" and scope["method"] == "PUT" and UPLOADS in scope["path"]:
            session, _, _ = scope["path"].partition(UPLOADS)[2].partition("/")
            drop_oldest(Runtime.instance().uploaded_file_mgr, session)


def drop_oldest(manager: Any, session: str) -> None:
    """Remove all files of a session but the latest ones."""
    assert isinstance(manager, MemoryUploadedFileManager)
    for file in list(manager.file_storage.get(session, ()))[:-MOST_FILES]:
        manager.remove_file(session, file)


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
