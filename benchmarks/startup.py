"""From nothing to the first stage, and what was loaded on the way."""

import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks import APPS
from benchmarks.timing import Row
from tools.browser import PROMPT, ROOT, STAGE, serving

TEXT = "document.querySelector('[data-testid=stText]')"
CELL = f"{STAGE}?.querySelector('.cell')"


def rows(browser: Browser, quick: bool) -> list[Row]:
    bare = APPS / "bare.py"
    rounds = [
        (
            _started(browser, bare, TEXT)[0],
            _started(browser, bare, TEXT, PROMPT)[0],
            *_started(browser, ROOT / "app.py", CELL),
        )
        for _ in range(3 if quick else 5)
    ]
    plain, prompt, ours = (median(times) for times in list(zip(*rounds, strict=True))[:3])
    budget = "≤ 1.5×, nothing fetched from elsewhere"
    kept = all(own for *_, own in rounds) and ours <= 1.5 * plain
    what = "server start to first stage"
    return [
        Row(what, ours, "bare page", plain, budget, kept),
        Row(f"{what}, compared with another", ours, "bare page, its packets sent at once", prompt),
    ]


def _started(
    browser: Browser, script: Path, first: str, module: str = "streamlit"
) -> tuple[float, bool]:
    """The ms until `first`, an expression, finds something, and whether all came from the server.

    It is asked in each frame: to wait for a selector looks every half second at last.
    """
    hosts: set[str] = set()
    start = time.perf_counter()
    with serving(script, module) as url:
        page = browser.new_page()
        page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
        page.goto(url)
        page.wait_for_function(f"() => {first}", polling="raf")
        taken = 1000 * (time.perf_counter() - start)
        page.close()
    return taken, hosts == {url.split("/")[2]}
