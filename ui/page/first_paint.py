"""What a page has before anything of it is painted: the house's style sheets, its font, its order.

Streamlit sends the same `index.html` for every page and lets nobody add to it. What a page brings
by itself comes after much of it is painted, which then jumps.
"""

from pathlib import Path

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from stage.hosts.assets import classic, compact, module
from stage.hosts.component import font_script
from ui.page_texts import component_texts

_FOLDER = Path(__file__).parent / "browser"
_UI = _FOLDER.parents[1]
_SHEETS = (
    "page/browser/controls.css",
    "page/browser/house.css",
    "page/browser/arriving.css",
    "classroom/teacher/room.css",
    "classroom/teacher/window.css",
    "classroom/student/student_page.css",
    "page/browser/printing.css",
)
_STYLE = "\n".join(compact(_UI / name) for name in _SHEETS)
_SCRIPT = "\n".join(
    [
        classic(module(_FOLDER / "first_paint.js", component_texts(), {"STYLE": _STYLE})),
        font_script(),
    ]
)
_END = b"</head>"
_OF_THE_FILE = {b"accept-encoding", b"if-modified-since", b"if-none-match", b"if-range", b"range"}
"""What a browser asks for about the file that Streamlit has, which is not the one that is sent."""


def with_own_head(page: bytes) -> bytes:
    """Return a page of HTML with the house's own head."""
    script = _SCRIPT.replace("</", r"<\/")  # nothing in it ends it
    head = f"{_FONTS}<script>(() => {{\n{script}\n}})();</script>"
    return page.replace(_END, head.encode() + _END, 1)


def page_sent() -> bytes:
    """Return the page that a browser is sent, whatever its address."""
    return with_own_head(_plain_page())


def _plain_page() -> bytes:
    """Streamlit's own."""
    return (Path(get_static_dir()) / "index.html").read_bytes()


def _preload(font: Path) -> str:
    """Return the link that fetches a font of Streamlit's before the page asks for it."""
    place = font.relative_to(get_static_dir()).as_posix()
    return f'<link rel="preload" href="./{place}" as="font" type="font/woff2" crossorigin>'


_MEDIA = Path(get_static_dir()) / "static" / "media"
_LETTERS = ("SourceSans*Italic*.woff2", "KaTeX_Main-Regular*.woff2", "KaTeX_Math-Italic*.woff2")
_FONTS = "".join(_preload(font) for named in _LETTERS for font in sorted(_MEDIA.glob(named)))
"""Streamlit itself fetches the upright letters ahead. Tokens stand in italics. Formulas of a first
paragraph stand in letters of their own: a line breaks elsewhere before these come."""


class OwnHead:
    """Sends Streamlit's page with the house's own head, the same to everybody."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._plain, self._dressed = _plain_page(), page_sent()
        self._compressing = GZipMiddleware(self._page)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        goes_to = scope["type"] == "http" and scope["method"] == "GET" and _wants_page(scope)
        await (self._compressing if goes_to else self.app)(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as Streamlit does, but for its page."""
        kept = [header for header in scope["headers"] if header[0] not in _OF_THE_FILE]
        held: list[Message] = []

        async def put(message: Message) -> None:
            if message["type"] == "http.response.start" and self._may_be_page(message):
                held.append(message)
            elif not held:
                await send(message)
            else:
                held.append(message)
                if not message.get("more_body"):
                    for told in self._with_head(held):
                        await send(told)

        await self.app({**scope, "headers": kept, "extensions": {}}, receive, put)

    def _may_be_page(self, start: Message) -> bool:
        length = Headers(raw=start["headers"]).get("content-length")
        return start["status"] == 200 and length == str(len(self._plain))

    def _with_head(self, held: list[Message]) -> list[Message]:
        """Return the messages of an answer; another file of that length stays as it is."""
        start, *parts = held
        if b"".join(part.get("body", b"") for part in parts) != self._plain:
            return held
        told = {"content-type": "text/html; charset=utf-8", "cache-control": "no-cache"}
        told["content-length"] = str(len(self._dressed))
        body = {"type": "http.response.body", "body": self._dressed}
        return [{**start, "headers": Headers(told).raw}, body]


def _wants_page(scope: Scope) -> bool:
    """Return whether a browser goes to an address, which it does with these words."""
    return "text/html" in Headers(scope=scope).get("accept", "")
