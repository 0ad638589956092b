"""What a browser says reaches the page that it is for, or nobody."""

import asyncio
from contextlib import suppress

import pytest
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui.navigation import OnePageAtATime


def run(page: str, fragment: str = "") -> Message:
    asked = BackMsg()
    asked.rerun_script.page_script_hash = page
    asked.rerun_script.fragment_id = fragment
    return {"type": "websocket.receive", "bytes": asked.SerializeToString()}


def goes(page: str) -> Message:
    """What Streamlit tells a browser of the page that it makes."""
    told = ForwardMsg()
    told.navigation.page_script_hash = page
    return {"type": "websocket.send", "bytes": told.SerializeToString()}


def heard(*said: Message) -> list[Message]:
    """What reaches Streamlit of what a browser says; what it tells between comes to the browser."""
    end: Message = {"type": "websocket.disconnect"}
    left, came, told = [*said, end], [], []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            while left[0]["type"] == "websocket.send":
                await send(left.pop(0))
            if (message := await receive()) == end:
                return
            came.append(message)

    async def receive() -> Message:
        return left.pop(0)

    async def send(message: Message) -> None:
        told.append(message)

    asyncio.run(OnePageAtATime(app)({"type": "websocket"}, receive, send))
    assert told == [message for message in said if message["type"] == "websocket.send"]
    return came


def test_what_is_said_for_a_page_that_was_left_reaches_nobody() -> None:
    first, there, late, new = run(""), run("b"), run("a", "x"), run("b", "y")
    assert heard(first, run("a", "x"), there, late, new, late) == [
        first, run("a", "x"), there, new,
    ]  # fmt: skip


def test_of_the_page_that_comes_back_everything_is_heard() -> None:
    said = [run("a"), run("a", "x"), run("b"), run("b", "y"), run("a"), run("a", "x"), run("")]
    assert heard(*said) == said
    assert heard(*said, run("b", "y")) == said


def test_where_streamlit_itself_goes_to_another_page_that_page_is_heard() -> None:
    said = [run("a"), goes("b"), run("a", "x"), run("b", "y")]
    assert heard(*said) == [run("a"), run("b", "y")]
    said = [run(""), goes("a"), run("a", "x"), run("b"), goes("b"), run("a", "x")]
    assert heard(*said) == [run(""), run("a", "x"), run("b")]


def test_what_names_no_page_is_heard() -> None:
    said = [run("a"), goes("a"), run("", "x"), run("b", "y")]
    assert heard(*said) == [run("a"), run("", "x")]


def test_what_asks_for_no_run_passes_as_it_is() -> None:
    other = BackMsg(clear_cache=True).SerializeToString()
    said: list[Message] = [
        run("a"), {"type": "websocket.connect"}, {"type": "websocket.receive", "text": "hello"},
        {"type": "websocket.receive", "bytes": other},
        {"type": "websocket.receive", "bytes": b"\xff\xff no message"},
        run("a", "x"),
    ]  # fmt: skip
    assert heard(*said) == said


def test_a_visitor_who_goes_while_streamlit_writes_is_no_error() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        with suppress(WebSocketDisconnect):
            await socket.send_bytes(b"a page")
        await socket.receive_bytes()

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        if message["type"] == "websocket.send":
            raise OSError

    scope = {"type": "websocket"}
    with pytest.raises(WebSocketDisconnected):
        asyncio.run(app(scope, receive, send))
    asyncio.run(OnePageAtATime(app)(scope, receive, send))
