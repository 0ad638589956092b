"""A running app and a real Chromium for the browser tests. Nothing here or there sleeps."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urljoin

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    ViewportSize,
    WebSocket,
    expect,
    sync_playwright,
)
from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError

from tests.browser.axe import BARE, THEMES, Known, found_in
from tests.browser.fonts import fontconfig_file
from tests.browser.waiting import settle
from tools.find_chromium import NOT_FOUND, find
from ui.classroom.data_folder import VARIABLE
from ui.classroom.rooms import FILE, Rooms

ROOT = Path(__file__).parents[2]
# The pages of the address bar, which nobody sees here, cost each visit a third of its time. The
# others are Playwright's own, which a second such switch replaces.
NEEDLESS_FEATURES = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,"
    "HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,"
    "NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,"
    "TcpPortRandomizationWin,ThirdPartyStoragePartitioning"
)
CHROMIUM_FLAGS = [
    "--host-resolver-rules=MAP class.test 127.0.0.1",  # an address that phones could open
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={NEEDLESS_FEATURES}",
    # A page of a test is gone before code that is compiled to run fast has paid.
    "--js-flags=--no-opt --no-maglev --single-threaded-gc",
]
COMPLAINTS = ("Traceback (most recent call last)", "is not a valid config option", "not recognized")
# What is expected may come late on a busy machine; five seconds are the default.
expect.set_options(timeout=30_000)

Serve = Callable[..., AbstractContextManager[str]]
ColdServer = Callable[..., str]
BrowserWith = Callable[[str], Browser]
OpenPage = Callable[..., Page]
LookAt = Callable[..., Page]
MadeOnce = Callable[[str, Callable[[], str]], Path]
Folders = pytest.TempPathFactory
IdleTabs = dict[Browser, list[Page]]
FORGETFUL = Path(__file__).parent / "forgetful_server.py"
"""It keeps no session of a connection that is lost."""
GATED = Path(__file__).parent / "gated_server.py"
"""Its models wait after each layer while somebody holds a lock."""
DOUBLING = Path(__file__).parent / "doubling_server.py"
"""It hears a heartbeat of a page that is left in each moment until the next one is there."""


@dataclass
class _Server:
    data: Path
    process: subprocess.Popen[bytes]
    start: Callable[[], subprocess.Popen[bytes]]


_servers: dict[str, _Server] = {}


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """`with serve(folder) as url`: a fresh server process for the app in that folder.

    With `base` it is served below that path. `script` begins Streamlit in another way, such as
    `FORGETFUL`; `environment` has variables for the server. Each keeps its rooms in a folder of its
    own.
    """

    @contextmanager
    def running(
        folder: Path,
        base: str = "",
        script: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[str]:
        with socket.create_server(("localhost", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://localhost:{port}" + (f"/{base}" if base else "")
        data = tmp_path_factory.mktemp("server")
        log = data / "log"
        streamlit = [str(script)] if script else ["-m", "streamlit"]
        options = ["--server.port", str(port), "--server.headless", "true"]
        options += ["--server.baseUrlPath", base] if base else []

        def start() -> subprocess.Popen[bytes]:
            with log.open("a") as output:
                process = subprocess.Popen(
                    [sys.executable, *streamlit, "run", "app.py", *options],
                    cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                    env={**os.environ, VARIABLE: str(data), **environment},
                )  # fmt: skip
            _wait_for_health(url, log)
            return process

        _servers[url] = _Server(data, start(), start)
        try:
            yield url
        finally:
            process = _servers.pop(url).process
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        written = log.read_text()
        assert not any(complaint in written for complaint in COMPLAINTS), written

    return running


@contextmanager
def stopped(url: str) -> Iterator[None]:
    """The server of that address, or page, stands still, and goes on afterwards."""
    process = next(one.process for address, one in _servers.items() if url.startswith(address))
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@contextmanager
def rooms_of(url: str) -> Iterator[Rooms]:
    """The rooms of the server of that address, from the same file."""
    found = Rooms(folder_of(url) / FILE)
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def store(server: str) -> Iterator[Rooms]:
    with rooms_of(server) as found:
        yield found


def folder_of(url: str) -> Path:
    """Where the server of that address keeps its rooms."""
    return _servers[url].data


def kill(url: str) -> None:
    """The server of that address is gone at once."""
    process = _servers[url].process
    process.kill()
    process.wait()


def restart(url: str) -> None:
    """Kill the server of that address and begin another one in its place."""
    kill(url)
    _servers[url].process = _servers[url].start()


def resident(url: str) -> int:
    """Bytes of the server of that address in memory."""
    statm = Path(f"/proc/{_servers[url].process.pid}/statm").read_text()
    return os.sysconf("SC_PAGE_SIZE") * int(statm.split()[1])


def open_files(url: str) -> int:
    """How many files the server of that address has open."""
    return len(os.listdir(f"/proc/{_servers[url].process.pid}/fd"))


def log_of(url: str) -> str:
    """What the server of that address has written."""
    return (_servers[url].data / "log").read_text()


def _wait_for_health(url: str, log: Path) -> None:
    """Ask until the server answers, for some twenty seconds at most."""
    patience = Retry(total=80, backoff_factor=0.1, backoff_max=0.25)
    try:
        answer = PoolManager(retries=patience).request("GET", f"{url}/_stcore/health")
        assert answer.status == 200
    except HTTPError:
        pytest.fail(f"The app did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def server(serve: Serve) -> Iterator[str]:
    """The address of this app, running. One for all tests, so keep state in the page's link."""
    with serve(ROOT) as url:
        yield url


@pytest.fixture(scope="session")
def browser_with(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserWith]:
    """`browser_with("narrow")`: a Chromium that has that font of tests/browser/fonts.py alone."""
    path = find()
    if path is None:
        pytest.fail(NOT_FOUND)
    with sync_playwright() as playwright:

        @cache
        def launched(fonts: str) -> Browser:
            configuration = fontconfig_file(tmp_path_factory.mktemp(fonts), fonts)
            return playwright.chromium.launch(
                executable_path=path,
                args=CHROMIUM_FLAGS,
                env={**os.environ, "FONTCONFIG_FILE": str(configuration)},
            )

        yield launched


@pytest.fixture(scope="session")
def known(
    serve: Serve, browser_with: BrowserWith, made_once: MadeOnce, tmp_path_factory: Folders
) -> Known:
    """What axe finds on a page of Streamlit's widgets alone, in each theme."""

    def asked() -> str:
        folder: Path = tmp_path_factory.mktemp("bare")
        (folder / "app.py").write_text(BARE)
        shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
        with serve(folder) as url:
            page = browser_with("wide").new_page()
            page.goto(url)
            expect(page.get_by_text("Eight")).to_be_visible()
            settle(page)
            found = {theme: list(found_in(page, theme)) for theme in THEMES}
            page.close()
        return json.dumps(found)

    told = json.loads(made_once("known.json", asked).read_text(encoding="utf-8"))
    return {theme: set(told[theme]) for theme in THEMES}


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """`made_once(name, make)`: a file with that text. The first process that asks makes it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def made(name: str, make: Callable[[], str]) -> Path:
        path = folder / name
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_text(make(), encoding="utf-8")
        return path

    return made


@pytest.fixture
def fonts() -> str:
    """The browser's fonts. A test about layout takes both: `parametrize("fonts", FONTS)`."""
    return "wide"


@pytest.fixture
def chromium(browser_with: BrowserWith, fonts: str) -> Browser:
    return browser_with(fonts)


@pytest.fixture
def cold_server(serve: Serve) -> Iterator[ColdServer]:
    """`cold_server(folder)`: the address of a server of the test's own that nobody has visited."""
    with ExitStack() as servers:
        yield lambda *given, **options: servers.enter_context(serve(*given, **options))


@pytest.fixture(scope="session")
def idle_tabs() -> IdleTabs:
    """Tabs that earlier tests have left: they hold the app's scripts, fetched and compiled."""
    return defaultdict(list)


def _leave(tab: Page) -> None:
    """Make a tab a new visitor's: nothing stored, allowed or pointed at."""
    if tab.url.startswith("http"):
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.goto("about:blank")
    tab.unroute_all()
    tab.mouse.move(0, 0)
    tab.context.clear_cookies()
    tab.context.clear_permissions()


def _new_tab(chromium: Browser) -> Page:
    tab = chromium.new_context().new_page()
    tab.add_init_script(MEANT)
    return tab


MEANT = """(() => {
  const toggle = DOMTokenList.prototype.toggle;
  DOMTokenList.prototype.toggle = function (...given) {
    const missing = given.length > 1 && given[1] === undefined;
    if (missing) console.error(`${given[0]} is toggled by what is undefined`);
    return toggle.apply(this, given);
  };
})()"""
"""A class that is set by what is undefined comes and goes by turns: the page logs an error."""


MOST_KEPT = 6
"""Pages that stay open for tests that look at them again."""


@dataclass
class _Kept:
    """A page that tests share, and what went wrong in it."""

    page: Page
    errors: list[str]


@pytest.fixture(scope="session")
def kept_pages() -> dict[tuple[object, ...], _Kept]:
    """By what was asked for; the one that was looked at last is the last."""
    return {}


@pytest.fixture
def look_at(chromium: Browser, kept_pages: dict[tuple[object, ...], _Kept]) -> Iterator[LookAt]:
    """`look_at(url, width=1440, height=900, theme="light")`: a settled page, for reading alone.

    Tests share it: what one of them does to it must not stay (pointing and scrolling do not). One
    that presses, types or resizes has a page of its own (`open_page`). Fails as that one does.
    """
    looked: list[_Kept] = []

    def kept(
        url: str, *, width: int = 1440, height: int = 900, theme: Literal["light", "dark"] = "light"
    ) -> Page:
        key = (chromium, url, width, height, theme)
        found = kept_pages.pop(key, None) or _opened_to_keep(chromium, url, width, height, theme)
        kept_pages[key] = found
        looked.append(found)
        if len(kept_pages) > MOST_KEPT:
            kept_pages.pop(next(iter(kept_pages))).page.context.close()
        found.page.mouse.move(0, 0)
        return found.page

    yield kept
    errors = [error for found in looked for error in found.errors]
    assert not errors, "\n".join(errors)


def _opened_to_keep(
    chromium: Browser, url: str, width: int, height: int, theme: Literal["light", "dark"]
) -> _Kept:
    size = ViewportSize(width=width, height=height)
    page = chromium.new_context(viewport=size, color_scheme=theme).new_page()
    page.add_init_script(MEANT)
    made = _Kept(page, [])
    page.on("console", partial(_note_console, made.errors))
    page.on("pageerror", partial(_note_error, made.errors))
    page.goto(url)
    settle(page)
    return made


def _note_console(errors: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        errors.append(f"{message.text} ({message.location['url']})")


def _note_error(errors: list[str], error: Error) -> None:
    errors.append(error.stack or str(error))


def _note_frames(sent: list[object], socket: WebSocket) -> None:
    socket.on("framesent", lambda frame: sent.append(frame))


@pytest.fixture
def errors() -> list[str]:
    """What the pages of `open_page` raised or logged, for a test that expects some of it."""
    return []


@pytest.fixture
def open_page(
    chromium: Browser, idle_tabs: IdleTabs, cold_server: ColdServer, errors: list[str]
) -> Iterator[OpenPage]:
    """`open_page(url, width=1440, height=900, theme="light")`: a new visitor's settled page.

    One that is no page of Streamlit's is `settled=False`. What the page sends to the server goes
    into the list `sent`; `listen` is given each of its sockets. `prepare(page)` is done before the
    page is loaded, in a tab that no other test is given: such a tab has nothing compiled yet.

    The test fails at its end if any of its pages raised an error or logged one. It asks for
    `cold_server` so that pages are closed before a server of the test's own stops: a page that
    is still fetching its modules then would log their absence.
    """
    watched: list[tuple[Page, Callable[[WebSocket], None]]] = []
    tabs: list[Page] = []
    prepared: list[Page] = []

    heard, raised = partial(_note_console, errors), partial(_note_error, errors)

    def opened(
        url: str,
        *,
        width: int = 1440,
        height: int = 900,
        theme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
        sent: list[object] | None = None,
        listen: Callable[[WebSocket], None] | None = None,
        settled: bool = True,
        prepare: Callable[[Page], None] | None = None,
    ) -> Page:
        idle = [] if prepare else idle_tabs[chromium]
        page = idle.pop() if idle else _new_tab(chromium)
        (prepared if prepare else tabs).append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            media="null", color_scheme=theme, reduced_motion=reduced_motion, forced_colors="none"
        )
        page.on("console", heard)
        page.on("pageerror", raised)
        for watch in (listen, partial(_note_frames, sent) if sent is not None else None):
            if watch:
                watched.append((page, watch))
                page.on("websocket", watch)
        if prepare:
            prepare(page)
        page.goto(url)
        if settled:
            settle(page)
        return page

    yield opened
    for page, watch in watched:
        page.remove_listener("websocket", watch)
    for page in tabs:
        _leave(page)
        page.remove_listener("console", heard)
        page.remove_listener("pageerror", raised)
        idle_tabs[chromium].append(page)
    for page in prepared:
        page.context.close()
    assert not errors, "\n".join(errors)


@pytest.fixture
def visit(server: str, open_page: OpenPage) -> OpenPage:
    """`visit("softmax?…", width=390)`: the same, of a page of the one server."""
    return lambda address="", **options: open_page(urljoin(f"{server}/", address), **options)
