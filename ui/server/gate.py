"""What a server lets in: the paths that this product has, and sockets of its own pages."""

from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import get_option

from ui.links.navigation import below_base

REFUSED = 1008
"""A socket is closed with this code: against the server's rules (RFC 6455, 7.4.1)."""
_OF_THE_SERVER = {"health", "host-config", "stream", "upload_file"}
"""What is used of Streamlit's paths below `_stcore/`."""
_UNUSED = {"auth", "oauth2callback", "component"}
"""Streamlit's paths for signing in and for components of another kind."""


class Gate:
    """Answers 404 for what this product has not, and refuses sockets of other sites' pages.

    Streamlit would ask a server elsewhere for its own address before it refuses a socket, and also
    before it takes one of `server.corsAllowedOrigins`. So where a socket comes from is decided
    here, and Streamlit is not told.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            if not is_own(Headers(scope=scope)):
                await receive()
                await send({"type": "websocket.close", "code": REFUSED})
                return
            kept = [header for header in scope["headers"] if header[0] != b"origin"]
            scope = {**scope, "headers": kept}
        elif scope["type"] == "http" and not is_used(scope["path"]):
            nothing = HTTPStatus.NOT_FOUND
            await PlainTextResponse(nothing.phrase, nothing)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def is_own(headers: Headers) -> bool:
    """Return whether a socket is of a page of this server, or of an origin that the operator named.

    A program that is no browser says no origin.
    """
    origin = headers.get("origin")
    if origin is None or not get_option("server.enableCORS"):
        return True
    if origin.partition("://")[2] == headers.get("host"):
        return True
    named = {urlsplit(text.strip()).hostname for text in get_option("server.corsAllowedOrigins")}
    return (_host(origin) or "") in named


def _host(origin: str) -> str | None:
    """The name in an origin; None for one that has none, as `null`. Anybody may send anything."""
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None


def is_used(path: str) -> bool:
    """Return whether a path may be of this product."""
    first, _, rest = path.removeprefix(below_base("")).lstrip("/").partition("/")
    if first == "_stcore":
        return rest.partition("/")[0] in _OF_THE_SERVER
    return first not in _UNUSED
