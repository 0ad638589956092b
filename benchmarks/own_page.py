"""A page of its own: how long it takes to make, how large it is, and how soon its numbers stand."""

import statistics
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from benchmarks.timing import Row
from core.attention.family import MASK_TOGGLE, SCALE_TOGGLE
from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.attention.setups import Setup
from core.program.explanations import explain
from stage.hosts.standalone import Packer, everything, standalone

MADE, FIRST, EXPLAINED, BYTES = 5_000.0, 500.0, 0.5, 1_500_000
KEEP = {MASK_TOGGLE.key: ("causal", "none"), SCALE_TOGGLE.key: ("on", "off")}


# When the numbers are there to be painted, told by the page itself.
STANDING = """(() => {
  const look = () => {
    if (document.querySelector(".focus .number")) globalThis.stood = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def rows(browser: Browser) -> list[Row]:
    setup = Setup()
    start = time.perf_counter()
    page = standalone(
        setup.trace, ("scores", (0, 2, 1)), family=setup.family, options=setup.options, keep=KEEP,
        mistakes=KNOWN_MISTAKES,
    )  # fmt: skip
    made = 1000 * (time.perf_counter() - start)
    start = time.perf_counter()
    everything(setup.trace, Packer())
    cells = sum(values.size for values in setup.trace.values())
    again = 1000 * (time.perf_counter() - start) / cells
    longest, new = explained_anew()
    size = len(page.encode())
    first = _opened(browser, page)
    what = "a page of its own, T=6, H=2, mask × scale"
    return [
        Row(f"{what}: made ({size / 1000:.0f} KB)", made,
            budget=f"≤ {MADE:g} ms, {BYTES / 1e6:g} MB", kept=made <= MADE and size <= BYTES),
        Row("one explanation, of a cell that was asked before", again,
            budget=f"≤ {EXPLAINED:g} ms", kept=again <= EXPLAINED),
        Row(f"one explanation, the first of a new run (the longest: {longest})", new),
        Row(f"{what}: first numbers from disk", first, budget=f"≤ {FIRST:g} ms",
            kept=first <= FIRST),
    ]  # fmt: skip


def explained_anew(runs: int = 25) -> tuple[str, float]:
    """The array whose cells take the longest to explain, and the ms: the median over new runs.

    Each cell is the first that is asked of numbers that nobody has seen: nothing of it is kept.
    """
    times: dict[str, list[float]] = {}
    seeds = count(start=1)
    for name in [*Setup().trace] * runs:
        trace = Setup(seed=next(seeds)).trace
        cell = tuple(size - 1 for size in trace[name].shape)
        start = time.perf_counter()
        explain(trace, name, cell)
        times.setdefault(name, []).append(1000 * (time.perf_counter() - start))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    return max(medians.items(), key=lambda one: one[1])


def _opened(browser: Browser, text: str) -> float:
    """The ms from the page's beginning until its numbers are drawn; the median of five."""
    times = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        for _ in range(5):
            page = browser.new_page()
            page.add_init_script(STANDING)
            page.goto(path.as_uri())
            times.append(float(page.wait_for_function("() => globalThis.stood").json_value()))
            page.close()
    return sorted(times)[2]
