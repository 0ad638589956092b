"""A running app and a real Chromium for the browser tests. Nothing here or there sleeps."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError

from tests.browser.waiting import settle
from tools.find_chromium import NOT_FOUND, find

ROOT = Path(__file__).parents[2]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]
COMPLAINTS = ("Traceback (most recent call last)", "is not a valid config option", "not recognized")
# What is expected may come late on a busy machine; five seconds are the default.
expect.set_options(timeout=15_000)

Serve = Callable[[Path], AbstractContextManager[str]]
ColdServer = Callable[[Path], str]
OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """`with serve(folder) as url`: a fresh server process for the app in that folder."""

    @contextmanager
    def running(folder: Path) -> Iterator[str]:
        with socket.create_server(("localhost", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://localhost:{port}"
        log = tmp_path_factory.mktemp("server") / "log"
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        options = ["--server.port", str(port), "--server.headless", "true"]
        with log.open("w") as output:
            process = subprocess.Popen(
                command + options, cwd=folder, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            _wait_for_health(url, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        written = log.read_text()
        assert not any(complaint in written for complaint in COMPLAINTS), written

    return running


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
def chromium() -> Iterator[Browser]:
    path = find()
    if path is None:
        pytest.fail(NOT_FOUND)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def cold_server(serve: Serve) -> Iterator[ColdServer]:
    """`cold_server(folder)`: the address of a server of the test's own that nobody has visited."""
    with ExitStack() as servers:
        yield lambda folder: servers.enter_context(serve(folder))


@pytest.fixture
def open_page(chromium: Browser, cold_server: ColdServer) -> Iterator[OpenPage]:
    """`open_page(url, width=1440, height=900, theme="light")`: a new visitor's settled page.

    `prepare(page)` is done before the page is loaded.

    The test fails at its end if any of its pages raised an error or logged one. It asks for
    `cold_server` so that pages are closed before a server of the test's own stops: a page that
    is still fetching its modules then would log their absence.
    """
    errors: list[str] = []
    contexts: list[BrowserContext] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(f"{message.text} ({message.location['url']})")

    def opened(
        url: str,
        *,
        width: int = 1440,
        height: int = 900,
        theme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
        prepare: Callable[[Page], None] = lambda page: None,
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion=reduced_motion,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: errors.append(str(error)))
        prepare(page)
        page.goto(url)
        settle(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors, "\n".join(errors)
