"""Streamlit with a browser at its worst: a page that is left says something in each moment.

In each step of a switch, and for as long as the next page is made, the server hears once more from
a part of the page that is left, as from a heartbeat that was late. The switch waits until it has
heard. What a browser itself says for a part of a page is said twice.

`/go/<page>` has the server lead its last visitor to a page.
"""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import streamlit as st
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

import ui.server.fragments
from ui.links.navigation import go_to
from ui.links.path import page_named
from ui.server.uploads import KeepLittle

PATIENCE = 20.0
GO = "/go/"


class Visitor:
    """One browser's connection, and what a page that it leaves says through it."""

    last: "Visitor"
    by_session: ClassVar[dict[str, "Visitor"]] = {}

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.loop = asyncio.get_running_loop()
        self.waiting: asyncio.Queue[tuple[Message, asyncio.Event]] = asyncio.Queue()
        self.handled = asyncio.Event()
        self.session = ""
        self.asked = BackMsg()
        self.left: Message | None = None  # what the page says that is left, while it is
        self.over = False
        self.goes_to = ""

    async def listen(self) -> None:
        while True:
            message = await self._receive()
            self.waiting.put_nowait((message, asyncio.Event()))
            said = BackMsg()
            said.ParseFromString(message.get("bytes") or b"")
            if said.rerun_script.fragment_id:
                self.waiting.put_nowait((message, asyncio.Event()))
            if message["type"] == "websocket.disconnect":
                return

    async def receive(self) -> Message:
        self.handled.set()
        message, self.handled = await self.waiting.get()
        said = BackMsg()
        said.ParseFromString(message.get("bytes") or b"")
        if said.WhichOneof("type") == "rerun_script":
            self.asked, asks = said, said.rerun_script
            if not asks.fragment_id and asks.page_script_hash != self.page():
                self.leave()
        return message

    async def send(self, message: Message) -> None:
        told = ForwardMsg()
        told.ParseFromString(message.get("bytes") or b"")
        if told.WhichOneof("type") == "new_session":
            self.session = told.new_session.initialize.session_id
            Visitor.by_session[self.session], Visitor.last = self, self
        await self._send(message)

    def state(self) -> AppSession | None:
        found = Runtime.instance()._session_mgr.get_session_info(self.session)
        return found.session if found else None

    def page(self) -> str:
        session = self.state()
        return session._pages_manager.current_page_script_hash if session else ""

    def of_a_part(self) -> Message | None:
        """What the browser says for a part of the page that it is on."""
        session, said = self.state(), BackMsg()
        parts = list(vars(session._fragment_storage)["_fragments"]) if session else []
        if not parts:
            return None
        said.CopyFrom(self.asked)
        said.rerun_script.page_script_hash, said.rerun_script.fragment_id = self.page(), parts[-1]
        del said.rerun_script.cached_message_hashes[:]  # which it has by now, nobody knows here
        return {"type": "websocket.receive", "bytes": said.SerializeToString()}

    def leave(self) -> None:
        if self.left is None:
            self.left, self.over = self.of_a_part(), False

    def say(self) -> None:
        """From the script's thread: the page that is left says something, and it is heard."""
        if self.left is not None:
            asyncio.run_coroutine_threadsafe(self._say(self.left), self.loop).result(PATIENCE)

    async def _say(self, message: Message) -> None:
        heard = asyncio.Event()
        self.waiting.put_nowait((message, heard))
        await heard.wait()


def visitor_here() -> Visitor | None:
    context = get_script_run_ctx(suppress_warning=True)
    return Visitor.by_session.get(context.session_id) if context else None


def around(act: Callable[..., Any], *, leaves: bool = False) -> Callable[..., Any]:
    """The same, and a page that is left says something before and afterwards."""

    def acts(*args: Any, **kwargs: Any) -> Any:
        visitor = visitor_here()
        if visitor is None:
            return act(*args, **kwargs)
        if leaves:
            visitor.leave()
        visitor.say()
        try:
            return act(*args, **kwargs)
        finally:
            visitor.say()

    return acts


def until_over(act: Callable[..., None]) -> Callable[..., None]:
    """What a run tells its session: a page is no longer left once the next one's run is over."""
    told = around(act)

    def acts(session: AppSession, sender: Any, event: Any, *args: Any, **kwargs: Any) -> None:
        visitor, part = visitor_here(), kwargs.get("fragment_ids_this_run")
        if visitor and visitor.over and event.name == "SCRIPT_STARTED" and part:
            visitor.left = None
        told(session, sender, event, *args, **kwargs)
        if visitor and event.name == "SCRIPT_STOPPED_WITH_SUCCESS":
            visitor.over = True
        elif visitor and event.name == "SHUTDOWN":
            visitor.left = None

    return acts


def led(look: Callable[[], None]) -> Callable[[], None]:
    def looks() -> None:
        visitor = visitor_here()
        if visitor and visitor.goes_to:
            name, visitor.goes_to = visitor.goes_to, ""
            go_to(page_named(name), {})
        look()

    return looks


def with_visitors(serve: Callable[..., Any]) -> Callable[..., Any]:
    async def serves(self: KeepLittle, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            visitor = Visitor(receive, send)
            listening = asyncio.create_task(visitor.listen())
            await serve(self, scope, visitor.receive, visitor.send)
            listening.cancel()
        elif scope["path"].startswith(GO):
            visitor = Visitor.last
            visitor.goes_to = scope["path"].removeprefix(GO)
            part = visitor.of_a_part()
            if part:
                await visitor._say(part)
            await Response(status_code=200 if part else 409)(scope, receive, send)
        else:
            await serve(self, scope, receive, send)

    return serves


def change() -> None:
    setattr(KeepLittle, "__call__", with_visitors(KeepLittle.__call__))  # noqa: B010
    setattr(AppSession, "_on_scriptrunner_event", until_over(AppSession._on_scriptrunner_event))  # noqa: B010
    setattr(ScriptRequests, "request_rerun", around(ScriptRequests.request_rerun))  # noqa: B010
    setattr(st, "switch_page", around(st.switch_page, leaves=True))  # noqa: B010
    ui.server.fragments._run_all_of_what_changed = led(ui.server.fragments._run_all_of_what_changed)
