"""Every answer says what may run in it, and who may frame it."""

import re

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from core.path import PATH
from ui.links.path import BESIDE, UNLISTED, address_of
from ui.page.answer_headers import AnswerHeaders, frames_allowed
from ui.page.first_paint import page_sent

PAGES = [f"/{address_of(name).removeprefix('./')}" for name in (*PATH, *BESIDE, *UNLISTED)]


def fail(request: Request) -> PlainTextResponse:
    raise RuntimeError("nobody foresaw this")


ROUTES = [Route("/fails", fail), Route("/{path:path}", lambda request: PlainTextResponse(""))]


def headers(path: str) -> tuple[int, Headers]:
    """The status and the headers of an answer; what answers an error is around the middleware."""
    app = Starlette(routes=ROUTES, middleware=[Middleware(AnswerHeaders)])
    said = TestClient(app, raise_server_exceptions=False).get(path)
    return said.status_code, Headers(said.headers)


@pytest.mark.parametrize("path", ["/", "/static/js/index.js", "/media/a.csv", "/nowhere", "/fails"])
def test_every_answer_has_the_headers(path: str) -> None:
    status, found = headers(path)
    assert status == (500 if path == "/fails" else 200)
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"
    assert found["content-security-policy"].startswith("default-src 'none'; ")


def test_no_script_runs_but_those_of_the_server() -> None:
    policy = headers("/")[1]["content-security-policy"]
    said = {name: sources.split() for name, _, sources in
            (one.partition(" ") for one in policy.split("; "))}  # fmt: skip
    scripts = " ".join(said.pop("script-src"))
    assert "'unsafe-inline'" not in scripts
    assert "'unsafe-eval'" not in scripts
    assert said.pop("style-src") == ["'self'", "'unsafe-inline'"]
    assert {source for sources in said.values() for source in sources} <= {
        "'none'", "'self'", "data:", "blob:",
    }  # fmt: skip
    assert said["base-uri"] == said["form-action"] == ["'none'"], "default-src is not for these"
    assert "http" not in scripts
    own = len(re.findall(rb"<script>", page_sent()))
    assert own == 2
    assert len(re.findall("'sha256-", scripts)) == own


@pytest.mark.parametrize("allowed", ["", "none", "*", "https://a.example"])
@pytest.mark.parametrize("base", ["", "/attention"])
def test_the_room_is_never_framed(monkeypatch: pytest.MonkeyPatch, allowed: str, base: str) -> None:
    monkeypatch.setenv("ATTENTION_FRAMES", allowed)
    refused = set()
    for path in PAGES:
        found = headers(base + path)[1]
        nobody = found["content-security-policy"].endswith("; frame-ancestors 'none'")
        assert nobody == ("x-frame-options" in found)
        refused |= {path} if nobody else set()
    assert refused == (set(PAGES) if allowed in ("none", "*") else {"/room"})
    assert "x-frame-options" in headers(f"{base}/room/")[1]


@pytest.mark.parametrize(
    ("said", "allowed"),
    [
        ("", ""),
        ("none", "'none'"),
        ("https://a.example", "'self' https://a.example"),
        ("https://*.a.example:8080  http://b", "'self' https://*.a.example:8080 http://b"),
        ("https://a.example; script-src *", "'none'"),
        ("a.example", "'none'"),
    ],
)
def test_the_operator_names_who_may_frame_a_page(said: str, allowed: str) -> None:
    assert frames_allowed(said) == allowed
