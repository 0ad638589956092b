"""What is let in: paths of this product, sockets of its own pages; whose address counts."""

import socket
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import ui.links.navigation
import ui.server.gate
from tests.loops import answers, run_aside
from ui.server.gate import REFUSED, Gate, is_used

HOST = "class.example:8501"
OWN = f"http://{HOST}"
FOREIGN = [
    *("http://evil.example", f"http://{HOST}.evil.example", "http://class.example", "null", ""),
    *(f"http://{HOST}@evil.example", "http://[", "http://localhost:8501", "file://", "x" * 9_000),
]
UNUSED = [
    *("/auth/login", "/auth/logout", "/oauth2callback", "/component/a/index.html"),
    *("/_stcore/agent/openapi.json", "/_stcore/agent/mcp", "/_stcore/agent/interact"),
    *("/_stcore/bidi-components/a.js", "/_stcore/metrics", "/_stcore/script-health-check"),
    *("/_stcore/", "/_stcore", "//auth/login", "/auth"),
]
USED = [
    *("/", "/why-mask", "/room", "/media/a.csv", "/static/js/index.js", "/favicon.png"),
    *("/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/a/b"),
    *("/why-mask/_stcore/health", "/authors"),
]


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    found = {"server.enableCORS": True, "server.corsAllowedOrigins": [], "server.baseUrlPath": ""}
    for module in (ui.server.gate, ui.links.navigation):
        monkeypatch.setattr(module, "get_option", found.__getitem__)
    return found


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may look for another computer, let alone ask one."""

    def refuse(*asked: object, **_: object) -> None:
        raise AssertionError(f"looked for {asked}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def answered(scope: Scope) -> list[Message]:
    """What a request gets of Streamlit behind the gate."""

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            return await PlainTextResponse("")(scope, receive, send)
        told = {name.decode(): text.decode() for name, text in scope["headers"]}
        allowed = _is_origin_allowed(told.get("origin"), told.get("host"))
        await send({"type": "websocket.accept" if allowed else "refused by Streamlit"})

    return answers(Gate(streamlit), scope, {"type": "websocket.connect"})


def connects(origin: str | None) -> bool:
    headers = [(b"host", HOST.encode())]
    headers += [] if origin is None else [(b"origin", origin.encode())]
    (answer,) = answered({"type": "websocket", "path": "/_stcore/stream", "headers": headers})
    accepted, refused = {"type": "websocket.accept"}, {"type": "websocket.close", "code": REFUSED}
    assert answer in (accepted, refused)
    return bool(answer == accepted)


def status(path: str) -> int:
    scope: Scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    return int(answered(scope)[0]["status"])


def test_a_socket_of_an_own_page_is_let_in(options: dict[str, Any]) -> None:
    assert connects(OWN)
    assert connects(f"https://{HOST}"), "TLS ends at a proxy"
    assert connects(None), "a program says no origin"


@pytest.mark.parametrize("origin", FOREIGN)
def test_any_other_is_refused_and_nobody_is_asked(options: dict[str, Any], origin: str) -> None:
    assert not connects(origin)


def test_an_origin_that_the_operator_named_is_let_in(options: dict[str, Any]) -> None:
    options["server.corsAllowedOrigins"] = ["https://moodle.example"]
    assert connects("https://moodle.example")
    assert not connects("https://moodle.example.evil.example")
    options["server.enableCORS"] = False
    assert connects("https://anybody.example")


@pytest.mark.parametrize("base", ["", "/attention", "/a/b"])
def test_what_is_not_used_is_not_there(options: dict[str, Any], base: str) -> None:
    options["server.baseUrlPath"] = base
    assert {path: status(base + path) for path in UNUSED} == dict.fromkeys(UNUSED, 404)
    assert {path: status(base + path) for path in USED} == dict.fromkeys(USED, 200)


def test_a_path_below_another_one_is_no_path_of_streamlits(options: dict[str, Any]) -> None:
    options["server.baseUrlPath"] = "attention"
    assert is_used("/attentions")
    assert not is_used("/attention/auth/login")


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
