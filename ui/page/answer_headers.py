"""What every answer of the server says of itself: what may run in it, and who may frame it.

Links have the keys of classes, so no page tells another server where it was.
"""

import os
import re
from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.page.first_paint import page_sent

VARIABLE = "ATTENTION_FRAMES"
"""Names the origins whose pages may frame this product's, or `none`; without it all may."""
_NEVER_FRAMED = "room"
"""The page of a teacher's window."""
_SOURCE = re.compile(r"https?://[\w.*-]+(:\d+)?", re.ASCII)


def script_hashes(page: bytes) -> list[str]:
    """Return the hashes of a page's own scripts, as a policy names them."""
    scripts = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in scripts]


POLICY = {
    "default-src": ["'none'"],
    # Streamlit runs a component's module from a blob, and counts in WebAssembly.
    "script-src": ["'self'", "blob:", "'wasm-unsafe-eval'", *script_hashes(page_sent())],
    # Streamlit and its charts write style sheets into the page.
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "data:", "blob:"],
    "font-src": ["'self'", "data:"],
    "connect-src": ["'self'"],
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
}


class AnswerHeaders:
    """Adds the headers to every answer, to that of an error nobody foresaw too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._policy = "; ".join(" ".join((name, *said)) for name, said in POLICY.items())
        self._frames = frames_allowed(os.environ.get(VARIABLE, ""))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._add(MutableHeaders(scope=message), scope["path"])
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            if not has_begun:
                error = HTTPStatus.INTERNAL_SERVER_ERROR
                await PlainTextResponse(error.phrase, error)(scope, receive, send_with_headers)
            raise

    def _add(self, headers: MutableHeaders, path: str) -> None:
        framed = "'none'" if path.rstrip("/").rpartition("/")[2] == _NEVER_FRAMED else self._frames
        policy = f"{self._policy}; frame-ancestors {framed}" if framed else self._policy
        headers["content-security-policy"] = policy
        headers["x-content-type-options"] = "nosniff"
        headers["referrer-policy"] = "no-referrer"
        if framed == "'none'":
            headers["x-frame-options"] = "DENY"


def frames_allowed(said: str) -> str:
    """Return who may frame a page, as a policy says it; "" for everybody.

    What makes no sense as an origin allows nobody: it was meant to keep others out.
    """
    named = said.split()
    if not named:
        return ""
    sources = [one for one in named if _SOURCE.fullmatch(one)]
    return " ".join(["'self'", *sources]) if sources else "'none'"
