"""Finds the Chromium that the browser tests drive; with --install, gets one where there is none.

In this order: the one named by the variable CHROMIUM, an installed one, Playwright's own, and, as
root on Debian or a relative of it, the distribution's. Prints its path, or says what to do.

Best is Chromium without a window, a package of Debian's: it draws the same, and needs a sixth less
of the processor. As root it is got there even beside another one.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain

SHELL = "chromium-headless-shell"
NAMES = (
    SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
NOT_FOUND = (
    "No Chromium was found, and the browser tests are never skipped. Install Chromium or Google "
    "Chrome (Debian: apt install chromium), or set CHROMIUM=/path/to/one."
)


def find() -> str | None:
    """The path of the first Chromium here that runs, or None."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else chain(NAMES, _playwrights_own())
    return next((path for path in map(shutil.which, candidates) if path and _runs(path)), None)


def find_or_install() -> str | None:
    """As `find`, after trying each way to get one, or the best."""
    path = find()
    if os.environ.get("CHROMIUM") or shutil.which(SHELL):
        return path
    for steps in _ways_to_install(has_one=path is not None):
        print("Getting Chromium:", *steps[-1], file=sys.stderr, flush=True)
        if all(_succeeds(step) for step in steps) and (got := find()):
            return got
        print("That did not work.", file=sys.stderr, flush=True)
    return path


def _ways_to_install(has_one: bool) -> Iterator[list[list[str]]]:
    if shutil.which("apt-get") and os.geteuid() == 0:
        for package in [SHELL] if has_one else [SHELL, "chromium"]:
            install = ["apt-get", "install", "--yes", "--no-install-recommends", package]
            yield [["apt-get", "update"], install]
    if not has_one:
        yield [[sys.executable, "-m", "playwright", "install", "chromium"]]


def _succeeds(command: list[str]) -> bool:
    # Playwright waits half a minute per mirror for one that does not answer.
    patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "5000"}
    try:
        done = subprocess.run(
            command,
            env={"DEBIAN_FRONTEND": "noninteractive", **patience, **os.environ},
            capture_output=True,
            timeout=900,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _playwrights_own() -> Iterator[str]:
    """Asked last: for its answer a process is started."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _runs(path: str) -> bool:
    """Some distributions install a stub under the name, which only says where the real one is."""
    try:
        return not subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    chromium = find_or_install() if "--install" in sys.argv else find()
    sys.exit(print(chromium) if chromium else NOT_FOUND)
