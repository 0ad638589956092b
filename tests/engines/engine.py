"""Firefox and WebKit, each driven by its own well-kept client: Marionette, and WebDriver.

Both run scripts in a page and take pictures of it; that is all that the tests here need. A page
stands in a frame, which has exactly the size that is asked for, also that of a phone.
"""

import json
import shutil
import socket
import subprocess
import tempfile
import warnings
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

WINDOW = (1500, 1020)
PATIENCE = 60.0
"""Seconds for what a page has to become; these engines draw without a graphics card here."""
FRAME = """
document.body.replaceChildren();
document.documentElement.style.cssText = document.body.style.cssText = "margin: 0; height: 100%";
const frame = document.createElement("iframe");
frame.style.cssText = "border: 0; display: block; width: {width}px; height: {height}px";
frame.src = {address};
document.body.append(frame);
return true;
"""
INSIDE = "return document.querySelector('iframe').contentWindow.eval({script});"
POLL = """
const done = arguments[arguments.length - 1], until = Date.now() + {patience};
const holds = () => {{ {script} }};
const look = () => {{
  let found = false;
  try {{ found = holds(); }} catch {{ /* the page is on its way */ }}
  if (found || Date.now() > until) done(found);
  else setTimeout(look, 200);
}};
look();
"""
NAMES = """
const all = (wanted, root = document) => [...root.querySelectorAll("*")].flatMap((node) => [
  ...(node.matches(wanted) ? [node] : []), ...(node.shadowRoot ? all(wanted, node.shadowRoot) : []),
]);
const seen = (wanted) => all(wanted).filter((node) => node.checkVisibility());
const stage = () => [...(globalThis[Symbol.for("attention-stages")] ?? [])]
  .find(({ root }) => root.checkVisibility());
"""
"""What scripts here call: everything that matches, also inside of components; the first stage."""


class Engine(ABC):
    """A browser with one page."""

    name: str

    @abstractmethod
    def _go(self, address: str) -> None: ...

    @abstractmethod
    def _run(self, script: str) -> Any: ...

    @abstractmethod
    def _poll(self, script: str) -> bool: ...

    @abstractmethod
    def picture(self) -> bytes: ...

    @abstractmethod
    def close(self) -> None: ...

    def go(self, server: str, address: str, size: tuple[int, int]) -> None:
        """Show a page of the server, in a frame of that size."""
        self._go(f"{server}/_stcore/health")
        width, height = size
        asked = json.dumps(f"{server}/{address}")
        self._run(FRAME.format(width=width, height=height, address=asked))
        self.wait("document.querySelector('h1') && !document.querySelector('[data-stale=true]')")

    def go_to_file(self, file: Path) -> None:
        """Show a file by itself."""
        self._go(file.as_uri())

    def run(self, script: str, framed: bool = True) -> Any:
        """What a script in the page returns; it may call what `NAMES` defines."""
        whole = f"(() => {{ {NAMES} {script} }})()"
        inside = INSIDE.format(script=json.dumps(whole))
        return self._run(inside if framed else f"return {whole};")

    def wait(self, condition: str, framed: bool = True) -> None:
        """Wait until an expression holds in the page."""
        whole = f"(() => {{ {NAMES} return !!({condition}); }})()"
        inside = INSIDE.format(script=json.dumps(whole)) if framed else f"return {whole};"
        if not self._poll(POLL.format(script=inside, patience=1000 * PATIENCE)):
            raise AssertionError(f"{self.name}: never {condition}")


class Firefox(Engine):
    name = "firefox"

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own, about what it imports
            from marionette_driver.marionette import Marionette

        with socket.create_server(("localhost", 0)) as free:
            port = free.getsockname()[1]
        self._profile = Path(tempfile.mkdtemp())
        told = {
            "marionette.port": port,
            "app.update.enabled": False,
            "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False,
        }
        lines = [
            f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in told.items()
        ]
        (self._profile / "user.js").write_text("\n".join(lines))
        path = shutil.which("firefox-esr") or shutil.which("firefox") or "firefox"
        command = [path, "--headless", "--marionette", "--no-remote", "--profile"]
        self._process = subprocess.Popen(
            [*command, str(self._profile)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._client = Marionette(host="127.0.0.1", port=port)
        self._client.raise_for_port(timeout=60)
        self._client.start_session()
        self._client.set_window_rect(width=WINDOW[0], height=WINDOW[1])

    def _go(self, address: str) -> None:
        self._client.navigate(address)

    def _run(self, script: str) -> Any:
        return self._client.execute_script(script, sandbox=None)

    def _poll(self, script: str) -> bool:
        patience = 1000 * (PATIENCE + 10)
        return bool(
            self._client.execute_async_script(script, sandbox=None, script_timeout=patience)
        )

    def picture(self) -> bytes:
        return b64decode(self._client.screenshot(full=False))

    def close(self) -> None:
        self._client.delete_session()
        self._process.terminate()
        self._process.wait(timeout=20)
        shutil.rmtree(self._profile, ignore_errors=True)


class WebKit(Engine):
    name = "webkit"

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.webkitgtk.options import Options
        from selenium.webdriver.webkitgtk.service import Service

        options = Options()
        (browser,) = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))[-1:]
        options.binary_location = str(browser)
        options.add_argument("--automation")
        service = Service(shutil.which("WebKitWebDriver") or "WebKitWebDriver")
        self._client = webdriver.WebKitGTK(options=options, service=service)
        self._client.set_window_rect(width=WINDOW[0], height=WINDOW[1])

    def _go(self, address: str) -> None:
        self._client.get(address)

    def _run(self, script: str) -> Any:
        return self._client.execute_script(script)

    def _poll(self, script: str) -> bool:
        self._client.set_script_timeout(PATIENCE + 10)
        return bool(self._client.execute_async_script(script))

    def picture(self) -> bytes:
        return bytes(self._client.get_screenshot_as_png())

    def close(self) -> None:
        self._client.quit()


ENGINES: dict[str, Callable[[], Engine]] = {"firefox": Firefox, "webkit": WebKit}
