"""How a visitor's requests reach the page they are for."""

from asyncio import get_running_loop, run_coroutine_threadsafe, sleep, wait_for
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn, TypeVar
from urllib.parse import parse_qs
from weakref import WeakValueDictionary

import streamlit as st
from google.protobuf.message import DecodeError
from google.protobuf.message import Message as ProtoMessage
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import get_option
from streamlit.navigation.page import StreamlitPage
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

Said = TypeVar("Said", bound=ProtoMessage)
PATIENCE = 1.0
"""The seconds that a browser may take to ask for its address after it has reconnected."""
_ENDED = ForwardMsg.FINISHED_SUCCESSFULLY


def use_own_navigation() -> None:
    """Tell Streamlit, before any session, that `app.py` and not the folder `pages/` routes.

    `st.navigation` sets the same flag, but only in the first visitor's first run, which comes too
    late for that visitor's own link.
    """
    PagesManager.uses_pages_directory = False


def redirect(path: str, target: str) -> Route:
    """Answer `path` with a redirect to `target`, its query parameters kept.

    `target` is relative to `path`, so that it also holds behind a proxy's prefix.
    """

    def respond(request: Request) -> RedirectResponse:
        query = request.url.query
        return RedirectResponse(f"{target}?{query}" if query else target)

    return Route(below_base(path), respond)


def server_is_elsewhere() -> list[Route]:
    """Answer a page that looks for Streamlit's server under its own path, as each does first.

    Not with 2xx, or it would stay there; not with an error, which the browser would log: with 300,
    a choice of other places. The page then asks one level up, where the server is.
    """

    def respond(request: Request) -> PlainTextResponse:
        asked = request.url.path.rsplit("/", 1)[-1]
        return PlainTextResponse(
            f"../../_stcore/{asked}", status_code=300, headers={"Cache-Control": "no-cache"}
        )

    asked_for = [f"/{{page}}/_stcore/{asked}" for asked in ("health", "host-config")]
    return [Route(below_base(path), respond) for path in asked_for]


def below_base(path: str) -> str:
    """A path where the server has a base path (`--server.baseUrlPath`), as Streamlit's own are."""
    base = str(get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path


def say_address() -> None:
    """Tell the browser, before a run changes anything, for which address it is: see `_Visit`.

    A visitor's first run needs not, for none was before it.
    """
    if len(st.session_state):
        st.query_params.update({})


def go_to(page: StreamlitPage, query: Mapping[str, str]) -> NoReturn:
    """Go to a page for which the browser has not asked, as `st.switch_page` does.

    Until the browser is told, it speaks for the page that it has: see `_Visit`. What it said last
    may have values of the next page's widgets, which it has forgotten by then. They become older
    ones, because Streamlit tells those to it once more.
    """
    context = get_script_run_ctx()
    goes: str | None = None
    visit = _visits.get(context.session_id) if context else None
    if visit:
        visit.leave()
    if context:
        context.session_state._state._compact_state()
    try:
        st.switch_page(page, query_params=query)
    except RerunException as next_run:  # there, or where the browser has asked to go meanwhile
        goes = next_run.rerun_data.page_script_hash
        raise
    finally:
        if visit:
            visit.goes = goes


class OneAddressAtATime:
    """Lets nothing through that is of an address from which a visitor's browser has gone on.

    What the browser says for a part of a page after it has asked for another page: Streamlit would
    run it once the new one is made, and empty the new one. A busy browser says things some
    milliseconds late: an answer, a slider let go, a click too many. And what the server says of an
    address then: the browser would take it for its own, and with it the scene or page before.

    Nor does it let an error through of a visitor who went while Streamlit was writing to them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self.app(scope, receive, send)
        visit = _Visit(receive, send, _reconnects(scope))
        with suppress(WebSocketDisconnected):
            await self.app(scope, visit.receive, visit.send)


class _Visit:
    """What one browser and Streamlit say to each other, and the address that it is about.

    A browser says with everything what it believes to be its query: the last that it was told or
    asked for itself. On the way back that may be an older one, so here it is the newest. Until the
    run that was asked for says its address (`say_address`), another one is of a run before it. The
    browser is told it at that run's end: before it stands on the new page, it would write it over
    the entry of its history that is the old one's.

    What was done on a page just before it was left is done: a request for another page brings no
    values, and Streamlit would take it in the place of those that wait, with what they brought.

    Where the server leads to another page by itself, the browser speaks for the old one until it is
    told, and what it says is dropped from the moment in which the server leaves. Streamlit would
    take it for a wish to go back: it would empty the new page, or not even make it.

    A browser that `reconnects` first says what its widgets hold, and then asks for its address
    (ui/server/visits.js). Its session may be a new one, so both come to it in one.
    """

    def __init__(self, receive: Receive, send: Send, reconnects: bool = False) -> None:
        self.page = ""  # not known at first
        self.query: str | None = None
        self.awaited = False  # whether no run has said the query yet
        self.goes: str | None = None  # where the server leads by itself, "" if it is not known yet
        self._kept: Message | None = None
        self._waiting: dict[str, WidgetState] = {}  # with which no run has begun yet
        self._receive, self._send = receive, send
        self._reconnects = reconnects
        self._held: Message | None = None  # asked for after it reconnected, before the address
        self._loop = get_running_loop()

    def leave(self) -> None:
        """From a script's thread: let nothing more through of the page, and what was let through
        before be heard."""
        self.goes = ""
        with suppress(TimeoutError):
            run_coroutine_threadsafe(sleep(0), self._loop).result(PATIENCE)

    async def receive(self) -> Message:
        while True:
            message = await self._next_message()
            text = _read(BackMsg, message)
            if text.WhichOneof("type") != "rerun_script":
                return message
            asked, of = text.rerun_script, text.rerun_script.page_script_hash
            if self._reconnects and not asked.is_history_navigation:
                self._waiting |= {w.id: w for w in asked.widget_states.widgets}
                self._held = self._held or message
                continue
            self._reconnects = False
            leads = not asked.fragment_id and (asked.is_history_navigation or of != self.page)
            if self.goes is not None and not leads:
                continue
            if not asked.fragment_id:
                self.page, self.goes = of or self.page, None
            if self.page and of and of != self.page:
                continue
            if leads or self.query is None:
                self.query, self.awaited = asked.query_string, self.query is not None
                self._kept = None
            held = {w.id: w for w in asked.widget_states.widgets}
            brings = [w for name, w in self._waiting.items() if leads and name not in held]
            if brings:
                asked.widget_states.widgets.extend(brings)
            self._waiting |= {name: w for name, w in held.items() if not _pressed(w)}
            if not brings and asked.query_string == self.query:
                return message
            asked.query_string = self.query or ""
            return {**message, "bytes": text.SerializeToString()}

    async def _next_message(self) -> Message:
        """What the browser says next. One that does not ask for its address gets what it asked for:
        a whole run, because a new session has no parts of a page yet."""
        if not self._held:
            return await self._receive()
        held, self._held = self._held, None
        try:
            return await wait_for(self._receive(), PATIENCE)
        except TimeoutError:
            self._reconnects = False
            text = _read(BackMsg, held)
            text.rerun_script.fragment_id = ""
            return {**held, "bytes": text.SerializeToString()}

    async def send(self, message: Message) -> None:
        told = _read(ForwardMsg, message)
        kind = told.WhichOneof("type")
        if kind == "new_session":
            self._waiting = {}
            _visits[told.new_session.initialize.session_id] = self
        elif kind == "navigation":
            self.page = told.navigation.page_script_hash
            self.goes = None if self.goes == self.page else self.goes
        elif kind == "page_info_changed":
            query = told.page_info_changed.query_string
            if self.awaited and parse_qs(query) != parse_qs(self.query or ""):
                return
            keep = self.awaited
            self.query, self.awaited, self._kept = query, False, message if keep else None
            if keep:
                return
        elif kind == "script_finished" and told.script_finished == _ENDED:
            self.awaited = False  # whatever it has said; most likely it was that run
            if self._kept is not None:
                kept, self._kept = self._kept, None
                await self._send(kept)
        await self._send(message)


_visits = WeakValueDictionary[str, _Visit]()
"""Of each session the visit that it speaks with."""


def _reconnects(scope: Scope) -> bool:
    """Return whether the browser had a session before: Streamlit's third protocol names it."""
    return len(scope.get("subprotocols", [])) > 2


def _pressed(widget: WidgetState) -> bool:
    """Whether this is something that happens once, as a click: said twice it would happen twice."""
    return str(widget.WhichOneof("value")).endswith("trigger_value")


def _read(kind: type[Said], message: Message) -> Said:
    """What a message of a socket says, or nothing where it is not of that kind."""
    text: Said = kind()
    try:
        text.ParseFromString(message.get("bytes") or b"")
    except DecodeError:  # for Streamlit to refuse
        text.Clear()
    return text
