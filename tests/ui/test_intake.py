"""What a visit may leave on the server: its latest files, and texts that a page could use."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from core.files.lesson import MAX_LESSON_BYTES
from core.files.text import MAX_CHARACTERS
from core.limits import MAX_TEXT
from ui.intake import LONGEST, MOST_FILES, KeepLittle, cut, drop_oldest


def asked(**values: str) -> Message:
    said = BackMsg()
    for name, value in values.items():
        widget = said.rerun_script.widget_states.widgets.add(id=name)
        setattr(widget, f"{name.split('_')[0]}_value", value)
    return {"type": "websocket.receive", "bytes": said.SerializeToString()}


def values(message: Message) -> dict[str, str]:
    said = BackMsg.FromString(message["bytes"])
    found = said.rerun_script.widget_states.widgets
    return {widget.id: getattr(widget, str(widget.WhichOneof("value"))) for widget in found}


def test_a_text_is_kept_up_to_one_character_more_than_any_page_takes() -> None:
    assert max(MAX_CHARACTERS, MAX_TEXT, MAX_LESSON_BYTES) < LONGEST
    longest, longer = "é" * LONGEST, "é" * 1_000_000
    assert values(cut(asked(string_1=longer, string_2="a word"))) == {
        "string_1": longest, "string_2": "a word",
    }  # fmt: skip


def test_what_a_page_can_use_passes_as_it_is() -> None:
    message = asked(string_1="x" * MAX_CHARACTERS, string_2="y" * MAX_TEXT, json_1="[1]")
    assert values(cut(message)) == values(message)
    short = asked(string_1="a word")
    assert cut(short) is short


def test_other_values_of_such_size_are_left_out() -> None:
    message = asked(json_1="x" * 1_000_000, string_1="a word")
    assert values(cut(message)) == {"string_1": "a word"}


@pytest.mark.parametrize("message", [{"bytes": b"\xff" * 1_000_000}, {"text": "x" * 1_000_000}])
def test_what_is_no_message_of_a_browser_is_for_streamlit_to_refuse(message: Message) -> None:
    assert cut(message) is message


def test_what_a_browser_says_is_cut_before_anything_else_hears_it() -> None:
    heard: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        heard.append(await receive())

    async def receive() -> Message:
        return asked(string_1="x" * 1_000_000)

    async def send(message: Message) -> None:
        raise AssertionError

    asyncio.run(KeepLittle(app)({"type": "websocket"}, receive, send))
    assert [len(values(message)["string_1"]) for message in heard] == [LONGEST]


def test_a_visit_keeps_its_latest_files_and_takes_none_from_others() -> None:
    manager = MemoryUploadedFileManager("/upload")
    for number in range(60):
        file = UploadedFileRec(str(number), "W.csv", "text/csv", b"1")
        manager.add_file("one", file)
        drop_oldest(manager, "one")
        if number == 0:
            manager.add_file("other", file)
    assert [*manager.file_storage["one"]] == [str(n) for n in range(60 - MOST_FILES, 60)]
    assert [*manager.file_storage["other"]] == ["0"]
    drop_oldest(manager, "nobody")
    assert "nobody" not in manager.file_storage
