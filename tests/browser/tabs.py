"""A tab of the browser: a test looks at its page, or several do; then it is a new visitor's."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, WebSocket

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
Size = tuple[int, int]
"""Of a window, in pixels."""
Watch = Callable[[WebSocket], None]
SHARED = Path(__file__).with_name("shared.js")


def new_page(chromium: Browser) -> Page:
    page = chromium.new_context().new_page()
    page.add_init_script(path=SHARED)
    return page


class Finger:
    """Touches the page of which it was made the preparation: `open_page(url, prepare=finger)`."""

    def __call__(self, page: Page) -> None:
        self._tools = page.context.new_cdp_session(page)
        self._tools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(self, kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        self._tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


class Tab:
    """What its page logs or raises goes into `errors`; `watches` are given each of its sockets.

    The script runs before those of every page that the tab shows, until it is left.
    """

    def __init__(
        self, page: Page, errors: list[str], watches: Sequence[Watch] = (), script: str = ""
    ) -> None:
        self.page, self.errors = page, errors
        self._watches = [partial(watch) for watch in watches]  # a bound method takes no mark
        self._logged, self._raised = partial(_note_log, errors), partial(_note_error, errors)
        page.on("console", self._logged)
        page.on("pageerror", self._raised)
        for watch in self._watches:
            page.on("websocket", watch)
        self._tools = page.context.new_cdp_session(page) if script else None
        if self._tools:
            self._tools.send("Page.enable")
            self._tools.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def open(self, url: str, size: Size, **media: Any) -> None:
        """With the media that are said; else nothing is asked for."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        asked = {"reduced_motion": "no-preference", "forced_colors": "none"} | media
        self.page.emulate_media(media="null", **asked)
        self.page.goto(url)

    def leave(self) -> Page:
        """Make it a new visitor's: nothing stored, allowed, added or pointed at."""
        page = self.page
        for watch in self._watches:
            page.remove_listener("websocket", watch)
        if self._tools:
            self._tools.detach()
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.goto("about:blank")
        page.unroute_all()
        page.mouse.move(0, 0)
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.remove_listener("console", self._logged)
        page.remove_listener("pageerror", self._raised)
        return page


def _note_log(errors: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        errors.append(f"{message.text} ({message.location['url']})")


def _note_error(errors: list[str], error: Error) -> None:
    errors.append(error.stack or str(error))


def frames_into(sent: list[object], socket: WebSocket) -> None:
    socket.on("framesent", lambda frame: sent.append(frame))
