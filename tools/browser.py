"""Servers and a browser for the measurements that need them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from tools.find_chromium import NOT_FOUND, find

ROOT = Path(__file__).parents[1]
PROMPT = "tools.prompt"
"""Streamlit as a module that sends at once, as the product's server does."""
ASKED_EACH = 0.005
"""The seconds between two looks whether a server answers."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
SETTLED = (
    '[data-testid="stApp"][data-test-script-state="notRunning"]'
    '[data-test-connection-state="CONNECTED"]'
)
STAGE = (
    "[...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
    ".map((part) => part.shadowRoot).find((shadow) => shadow?.querySelector('.stage'))"
)
"""The stage's shadow root, once the stage is drawn; a page can be settled a moment before that."""

# True once the stage has been told of the runs that its toggles lead to; then it asks no more.
AHEAD = (
    "() => globalThis[Symbol.for('attention-told')]?.get('stage')?.alternatives?.documents.length"
)


@contextmanager
def serving(script: Path, module: str = PROMPT, **variables: str) -> Iterator[str]:
    """A fresh Streamlit server for a script, with the product's own settings and these variables.

    Python keeps what it has compiled, as it does for who starts the app for the second time.
    """
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", module, "run", str(script)]
    options = ["--server.port", str(port), "--server.headless", "true"]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept |= variables
    process = subprocess.Popen(
        command + options, cwd=ROOT, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://localhost:{port}"
    try:
        while not _healthy(url):
            if process.poll() is not None:
                raise RuntimeError(f"{script.name} did not start")
            time.sleep(ASKED_EACH)
        yield url
    finally:
        process.terminate()
        process.wait()


def _healthy(url: str) -> bool:
    try:
        with urlopen(f"{url}/_stcore/health", timeout=1) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


@contextmanager
def chromium() -> Iterator[Browser]:
    path = find()
    if path is None:
        raise RuntimeError(NOT_FOUND)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def settle(page: Page) -> None:
    page.wait_for_selector(SETTLED)
