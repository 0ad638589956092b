"""Whose address counts behind a proxy, as docs/deploy.md says it, with uvicorn's own reader."""

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tests.loops import run_aside

PROXY, VISITOR, LIE = "127.0.0.1", "198.51.100.7", "203.0.113.9"
TRUSTED = "127.0.0.1,::1"
"""Uvicorn's default."""


def counted(peer: str, forwarded: str | None, trusted: str = TRUSTED) -> str:
    """The address that is counted, of a connection from `peer` with this header."""
    found: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(scope["client"][0])

    told = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope: Scope = {"type": "websocket", "client": (peer, 1), "headers": told}
    run_aside(ProxyHeadersMiddleware(app, trusted)(scope, None, None))  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "counts"),
    [
        (PROXY, VISITOR, VISITOR),  # replaced by the proxy
        (PROXY, f"{LIE}, {VISITOR}", VISITOR),  # appended to
        (PROXY, LIE, LIE),  # passed on unchanged
        (PROXY, None, PROXY),  # removed
        (VISITOR, LIE, VISITOR),  # no proxy
    ],
)
def test_a_proxy_says_whose_address_counts(peer: str, forwarded: str | None, counts: str) -> None:
    assert counted(peer, forwarded) == counts


def test_a_star_believes_what_a_visitor_wrote_first() -> None:
    assert counted(VISITOR, LIE, "*") == LIE
    assert counted(PROXY, f"{LIE}, {VISITOR}", "*") == LIE
