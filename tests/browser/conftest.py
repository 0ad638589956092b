"""A running app and a real Chromium for the browser tests. Nothing here or there sleeps."""

import fcntl
import json
import os
import re
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
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError

from tests.browser.axe import BARE, Known, found_in
from tests.browser.fonts import fontconfig_file
from tests.browser.page import settle
from tests.browser.stage import expect_step
from tests.browser.tabs import THEMES, Size, Tab, Theme, Watch, frames_into, new_page
from tools.find_chromium import NOT_FOUND, find
from ui.classroom.store.rooms import FILE, VARIABLE, Rooms

ROOT = Path(__file__).parents[2]
CHANGED = Path(__file__).with_name("changed_server.py")
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
    # A page of a test is gone before code that is compiled to run fast has paid, and before its
    # memory is wanted again. The next page of its tab runs what was compiled for it.
    "--js-flags=--no-opt --no-maglev --single-threaded-gc --no-flush-bytecode "
    "--min-semi-space-size=16 --initial-old-space-size=128",
]
COMPLAINTS = ("Traceback (most recent call last)", "is not a valid config option", "not recognized")
# What is expected may come late on a busy machine; five seconds are the default.
expect.set_options(timeout=30_000)

Serve = Callable[..., AbstractContextManager[str]]
ColdServer = Callable[..., str]
BrowserWith = Callable[[str], Browser]
OpenPage = Callable[..., Page]
LookAt = Callable[..., Page]
Whole = Callable[[str], str]
PageOf = Callable[[str, str], str]
MadeOnce = Callable[[str, Callable[[], str]], Path]
Folders = pytest.TempPathFactory
Take = Callable[[], Page]
IdleTabs = dict[Browser, list[Page]]
KeptTabs = dict[tuple[Browser, str, Size, Theme], Tab]


@dataclass
class _Server:
    data: Path
    process: subprocess.Popen[bytes]
    start: Callable[[], subprocess.Popen[bytes]]


_servers: dict[str, _Server] = {}


@pytest.fixture(scope="session")
def serve(tmp_path_factory: Folders) -> Serve:
    """`with serve(folder) as url`: a fresh server process for the app in that folder.

    With `base` it is served below that path. `changed` is one of the ways in changed_server.py;
    `environment` has variables for the server. Each keeps its rooms in a folder of its own.
    """

    @contextmanager
    def running(
        folder: Path,
        base: str = "",
        changed: str = "",
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[str]:
        with socket.create_server(("localhost", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://localhost:{port}" + (f"/{base}" if base else "")
        data = tmp_path_factory.mktemp("server")
        log = data / "log"
        streamlit = [str(CHANGED), changed] if changed else ["-m", "streamlit"]
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
    """The server of that address, or of a page's, stands still, and goes on afterwards."""
    process = next(one for own, one in _servers.items() if url.startswith(own)).process
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
def browser_with(tmp_path_factory: Folders) -> Iterator[BrowserWith]:
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


RUNS = """
import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, ROOT)
name = st.session_state.setdefault("script", st.query_params.get("script"))
exec(compile(Path(name).read_text(encoding="utf-8"), name, "exec"), {"__name__": "__main__"})
"""


@pytest.fixture(scope="session")
def page_of(serve: Serve, tmp_path_factory: Folders) -> Iterator[PageOf]:
    """`page_of(name, script)`: the address of a page that is this script of Streamlit's alone."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "app.py").write_text(RUNS.replace("ROOT", repr(str(ROOT))))
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    with serve(folder) as url:

        def made(name: str, script: str) -> str:
            (folder / name).write_text(script, encoding="utf-8")
            return f"{url}/?script={name}"

        yield made


@pytest.fixture(scope="session")
def known(request: pytest.FixtureRequest, browser_with: BrowserWith, made_once: MadeOnce) -> Known:
    """What axe finds on a page of Streamlit's widgets alone, in each theme."""

    def asked() -> str:
        page = browser_with("wide").new_page()
        page.goto(request.getfixturevalue("page_of")("bare", BARE))
        expect(page.get_by_text("Eight")).to_be_visible()
        settle(page)
        found = {theme: list(found_in(page, theme)) for theme in THEMES}
        page.close()
        return json.dumps(found)

    told = json.loads(made_once("known.json", asked).read_text(encoding="utf-8"))
    return {theme: set(told[theme]) for theme in THEMES}


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: Folders) -> MadeOnce:
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


@pytest.fixture(scope="module")
def empty(browser_with: BrowserWith) -> Iterator[Page]:
    """An empty page that the tests of a file share, for scripts without a server."""
    page = browser_with("wide").new_page()
    yield page
    page.close()


@pytest.fixture
def cold_server(serve: Serve) -> Iterator[ColdServer]:
    """`cold_server(folder)`: the address of a server of the test's own that nobody has visited."""
    with ExitStack() as servers:
        yield lambda *given, **options: servers.enter_context(serve(*given, **options))


@pytest.fixture(scope="session")
def idle_tabs() -> IdleTabs:
    """Tabs that earlier tests have left: they hold the app's scripts, fetched and compiled."""
    return defaultdict(list)


@pytest.fixture
def take(chromium: Browser, idle_tabs: IdleTabs) -> Take:
    """A blank page, in a tab that was left if there is one."""
    return lambda: idle_tabs[chromium].pop() if idle_tabs[chromium] else new_page(chromium)


MOST_KEPT = 6
"""Pages that stay open for tests that look at them again."""


@pytest.fixture(scope="session")
def kept_tabs() -> KeptTabs:
    """By what was asked for; the one that was looked at last is the last."""
    return {}


@pytest.fixture
def whole(request: pytest.FixtureRequest) -> Whole:
    """An address as a browser needs it: one as in a link of the app is of the server of all tests.

    That server is started by who asks first.
    """

    def made(url: str) -> str:
        if re.match(r"[a-z]+:", url):
            return url
        return f"{request.getfixturevalue('server')}/{url.lstrip('./')}"

    return made


@pytest.fixture
def look_at(
    chromium: Browser, take: Take, whole: Whole, idle_tabs: IdleTabs, kept_tabs: KeptTabs
) -> Iterator[LookAt]:
    """`look_at(url, size=(1440, 900), theme="light")`: a settled page, for reading alone.

    Tests share it: what one of them does to it must not stay (pointing and scrolling do not). One
    that presses, types or resizes has a page of its own (`open_page`). Fails as that one does.
    """
    looked: list[Tab] = []

    def kept(url: str, *, size: Size = (1440, 900), theme: Theme = "light", step: str = "") -> Page:
        key = (chromium, url, size, theme)
        tab = kept_tabs.pop(key, None)
        if not tab:
            tab = Tab(take(), [])
            tab.open(whole(url), size, color_scheme=theme)
            settle(tab.page)
        kept_tabs[key] = tab
        looked.append(tab)
        if len(kept_tabs) > MOST_KEPT:
            oldest = next(iter(kept_tabs))
            idle_tabs[oldest[0]].append(kept_tabs.pop(oldest).leave())
        tab.page.mouse.move(0, 0)
        if step:
            expect_step(tab.page, step)
        return tab.page

    yield kept
    errors = [error for tab in looked for error in tab.errors]
    assert not errors, "\n".join(errors)


@pytest.fixture
def open_file(open_page: OpenPage, tmp_path: Path) -> OpenPage:
    """`open_file(text, size=(390, 844))`: the page of a file with this text, without a server."""

    def opened(text: str, **look: Any) -> Page:
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        return open_page(file.as_uri(), until=None, **look)

    return opened


@pytest.fixture
def errors() -> list[str]:
    """What the pages of `open_page` raised or logged, for a test that expects some of it."""
    return []


@pytest.fixture
def open_page(
    chromium: Browser,
    take: Take,
    idle_tabs: IdleTabs,
    whole: Whole,
    cold_server: ColdServer,
    errors: list[str],
) -> Iterator[OpenPage]:
    """`open_page(url, size=(1440, 900), theme="light")`: a new visitor's settled page.

    The address may be as in a link of the app: `open_page("softmax?softmax_1=3")`. What is waited
    for is `until` (None on a page that is not Streamlit's), and that its stage is at a `step`.
    `media` are those of `Page.emulate_media`. What the page sends to the server goes into the list
    `sent`; `listen` is given each of its sockets. `script` runs before the page's own do.
    `prepare(page)` is done before the page is loaded, in a tab that no other test is given: such a
    tab has nothing compiled yet.

    The test fails at its end if any of its pages raised an error or logged one, but for one that
    may, because it loses its server: such a page `complains`. It asks for
    `cold_server` so that pages are closed before a server of the test's own stops: a page that
    is still fetching its modules then would log their absence.
    """
    tabs: list[Tab] = []
    prepared: list[Page] = []

    def opened(
        url: str = "",
        *,
        size: Size = (1440, 900),
        theme: Theme = "light",
        sent: list[object] | None = None,
        listen: Watch | None = None,
        until: Callable[[Page], None] | None = settle,
        step: str = "",
        script: str = "",
        prepare: Callable[[Page], None] | None = None,
        complains: bool = False,
        **media: Any,
    ) -> Page:
        noted = partial(frames_into, sent) if sent is not None else None
        page = new_page(chromium) if prepare else take()
        heard: list[str] = [] if complains else errors
        tab = Tab(page, heard, [watch for watch in (listen, noted) if watch], script)
        if prepare:
            prepared.append(page)
            prepare(page)
        else:
            tabs.append(tab)
        tab.open(whole(url), size, color_scheme=theme, **media)
        if until:
            until(page)
        if step:
            expect_step(page, step)
        return page

    yield opened
    idle_tabs[chromium].extend([tab.leave() for tab in tabs])
    for page in prepared:
        page.context.close()
    assert not errors, "\n".join(errors)
