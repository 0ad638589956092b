"""From nothing to the first stage, and what was loaded on the way."""

import time

from playwright.sync_api import Browser

from benchmarks.browser import APPS, ROOT, serving
from benchmarks.timing import Row


def rows(browser: Browser, quick: bool) -> list[Row]:
    start = time.perf_counter()
    with serving(APPS / "bare.py") as url:
        page = browser.new_page()
        page.goto(url)
        page.wait_for_selector("[data-testid=stText]")
        bare = 1000 * (time.perf_counter() - start)
        page.close()
    start = time.perf_counter()
    with serving(ROOT / "app.py") as url:
        page = browser.new_page()
        hosts: set[str] = set()
        page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
        page.goto(url)
        page.wait_for_selector("[data-testid=stage] .cell")
        ours = 1000 * (time.perf_counter() - start)
        page.close()
    own = hosts == {url.split("/")[2]}
    budget = "≤ 1.5×, nothing fetched from elsewhere"
    kept = own and ours <= 1.5 * bare
    return [Row("server start to first stage", ours, "bare page", bare, budget, kept)]
