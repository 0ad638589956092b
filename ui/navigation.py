"""How a visitor's requests reach the page they are for."""

from contextlib import suppress
from typing import TypeVar

from google.protobuf.message import DecodeError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import get_option
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager

Said = TypeVar("Said", BackMsg, ForwardMsg)


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

    return Route(_below_base(path), respond)


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
    return [Route(_below_base(path), respond) for path in asked_for]


def _below_base(path: str) -> str:
    """A path where the server has a base path (`--server.baseUrlPath`), as Streamlit's own are."""
    base = str(get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path


class OnePageAtATime:
    """Lets nothing through that a visitor's browser says for a page after it has asked for another.

    Streamlit would run a part of the old page once the new one is made, and empty the new one. A
    busy browser says things some milliseconds late: an answer, a slider let go, a click too many.

    Nor does it let an error through of a visitor who went while Streamlit was writing to them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self.app(scope, receive, send)
        visit = _Visit(receive, send)
        with suppress(WebSocketDisconnected):
            await self.app(scope, visit.receive, visit.send)


class _Visit:
    """What one browser and Streamlit say to each other, and the page that it is about."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.page = ""  # not known at first
        self._receive, self._send = receive, send

    async def receive(self) -> Message:
        while True:
            message = await self._receive()
            asked = _read(BackMsg, message).rerun_script
            of = asked.page_script_hash
            if not asked.fragment_id:
                self.page = of or self.page
            if not (self.page and of) or of == self.page:
                return message

    async def send(self, message: Message) -> None:
        told = _read(ForwardMsg, message)
        if told.HasField("navigation"):
            self.page = told.navigation.page_script_hash
        await self._send(message)


def _read(kind: type[Said], message: Message) -> Said:
    """What a message of a socket says, or nothing where it is not of that kind."""
    said = kind()
    with suppress(DecodeError):  # for Streamlit to refuse
        said.ParseFromString(message.get("bytes") or b"")
    return said
