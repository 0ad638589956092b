"""The grid of all heads of a recording: maps made, first picture of a run, a head enlarged."""

import statistics
import tracemalloc

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks import APPS
from benchmarks.timing import Row, clocked
from tools.browser import SETTLED, serving
from ui.components.head_maps.head_maps import HeadMaps

LAYERS, HEADS, T = 12, 12, 512
PICTURE, MEMORY = 3_000.0, 2.0
"""Milliseconds, and how many times the arrays may be in memory while the maps are made."""
FIND = """const all = document.querySelectorAll("[data-testid=stBidiComponentIsolated]");
const find = (test) => [...all]
  .map((part) => part.shadowRoot?.querySelector(test)).find(Boolean);
const read = () => find(".large[aria-busy=false] .reading")?.textContent || "";"""
PAINTED = f"""([which, text]) => new Promise((resolve) => {{
  {FIND}
  const press = which === "run" ? document.querySelector("[data-testid=stButton] button")
    : find(`[aria-label="${{which}}"]`);
  const start = performance.now();
  press.click();
  const look = () => {{
    const painted = () => setTimeout(() => resolve(performance.now() - start));
    requestAnimationFrame(read().includes(text) ? painted : look);
  }};
  look();
}})"""
"""Presses the button of another run, or a map, and gives the ms until the whole large map, of
tokens with this text, is painted."""
FIRST = f"() => {{ {FIND} return read(); }}"


def rows(browser: Browser, quick: bool) -> list[Row]:
    what = f"the grid of {LAYERS} × {HEADS} heads, T={T}"
    made, memory, bytes_sent = small_maps()
    runs, heads = pictures(browser, 2 if quick else 6)
    return [
        Row(f"{what}: small maps made ({bytes_sent / 1e6:.2f} MB sent)", made),
        Row(f"{what}: {memory:.2f} times its arrays in memory", made, budget=f"≤ {MEMORY:g} times",
            kept=memory <= MEMORY),
        Row(f"{what}: another run → its maps painted", runs, budget=f"≤ {PICTURE:g} ms",
            kept=runs <= PICTURE),
        Row(f"{what}: a map pressed → it is large", heads),
    ]  # fmt: skip


def small_maps() -> tuple[float, float, int]:
    """The ms, the memory as a multiple of the arrays, and the size of what is sent."""
    weights = np.random.default_rng(0).random((LAYERS, HEADS, T, T), np.float32) ** 8
    labels = tuple(map(str, range(T)))
    ms = clocked(lambda: HeadMaps(weights, labels, labels, True).small)()
    tracemalloc.start()
    maps = HeadMaps(weights, labels, labels, True)
    size = len(maps.small["levels"])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return ms, 1 + most / weights.nbytes, size


def pictures(browser: Browser, rounds: int) -> tuple[float, float]:
    """The median ms from a press to another run's maps, and to another large map."""
    with serving(APPS / "head_maps.py") as url:
        page: Page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        page.wait_for_selector(SETTLED)
        page.wait_for_function(FIRST)
        runs, heads = [], []
        for n in range(rounds):
            run = f"run{(n + 1) % 2}"
            runs.append(page.evaluate(PAINTED, ["run", run]))
            page.wait_for_selector(SETTLED)
            heads.append(page.evaluate(PAINTED, [f"Layer {n + 2}, head 3", run]))
            page.wait_for_selector(SETTLED)
        page.close()
    return statistics.median(runs), statistics.median(heads)
