"""A real model's head on the stage, from its Q, K and V: document, explanations, page, hovering."""

import statistics
import time
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser

from benchmarks.hover import pointing
from benchmarks.timing import Row
from core import Inputs, attention_from, explain
from core.models.captures import load_capture
from core.models.transformer.model_programs import NEIGHBOURS, head_program
from core.models.transformer.numpy_parts import feature_frequencies
from core.models.transformer.settings import Rope, pair_frequencies
from core.program.trace import Trace
from stage.document.document import document
from stage.hosts.standalone import standalone
from tools.browser import ROOT, SETTLED, serving

DOCUMENT, EXPLAINED, MADE, FRAME, OPENED = 50.0, 10.0, 10_000.0, 16.0, 1_000.0
BYTES, MEMORY = 2_000_000, 500_000_000
SIZES = ((64, 64), (256, 128))
"""Tokens and d_k; the budgets are about the first."""
OPENING = ("scores", (0, 0, 0))
OPENED_BY_CLICK = """([name, tokens]) => new Promise((resolve) => {
  const find = (test) => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .map((part) => part.shadowRoot?.querySelector(test)).find(Boolean);
  const start = performance.now();
  find(`[data-head="${name}"]`).click();
  const look = () => {
    const stage = find(".stage"), whole = `${tokens} × ${tokens}`;
    const chosen = stage?.querySelector("[data-part=focus] [aria-selected=true]");
    const painted = () => setTimeout(() => resolve(performance.now() - start));
    requestAnimationFrame(chosen && stage.textContent.includes(whole) ? painted : look);
  };
  look();
})"""
"""Clicks a card and gives the ms until a selected number of a head of so many tokens is painted."""
EXPLAINED_ARRAYS = ("scores", "masked", "weights", "context")


def rows(browser: Browser, quick: bool) -> list[Row]:
    found = []
    from_x = statistics.median(_document(head_from_x(seed)) for seed in range(5))
    of_query = statistics.median(_of_query(100 + seed) for seed in range(5))
    found += [
        _row("a real head from X, T=64, d_model=576: document", from_x, DOCUMENT, True),
        _row("the same: the explanation of a query's number", of_query, EXPLAINED, True),
    ]
    for tokens, d_k in SIZES:
        budgeted, what = tokens == SIZES[0][0], f"a real head, T={tokens}, d_k={d_k}"
        described = statistics.median(_document(head(tokens, d_k, seed)) for seed in range(5))
        longest = max(_explained(tokens, d_k, name) for name in EXPLAINED_ARRAYS)
        start = time.perf_counter()
        page = standalone(head(tokens, d_k), OPENING)
        made, size = 1000 * (time.perf_counter() - start), len(page.encode())
        found += [
            _row(f"{what}: document", described, DOCUMENT, budgeted),
            _row(f"{what}: the longest explanation, of new numbers", longest, EXPLAINED, budgeted),
            _row(f"{what}: a page of its own ({size / 1e6:.2f} MB)", made, MADE, budgeted,
                 f", {BYTES / 1e6:g} MB", size <= BYTES),
            _row(f"{what}: hover", _hover(browser, page, 20 if quick else 100), FRAME, budgeted),
        ]  # fmt: skip
        if not quick:
            memory = _memory(tokens, d_k)
            found.append(
                Row(f"{what}: most memory while its page is made, in MB", memory / 1e6,
                    budget=f"≤ {MEMORY / 1e6:g} MB", kept=memory <= MEMORY)
            )  # fmt: skip
    opened = statistics.median(_opened(browser, 1 if quick else 3))
    found.append(
        _row("a captured head, T=64, d_k=64: click to its first picture", opened, OPENED, True)
    )
    return found


def _row(
    what: str, ours: float, budget: float, budgeted: bool, also: str = "", kept: bool = True
) -> Row:
    if not budgeted:
        return Row(what, ours)
    return Row(what, ours, budget=f"≤ {budget:g} ms{also}", kept=ours <= budget and kept)


def head(tokens: int, d_k: int, seed: int = 0) -> Trace:
    draw = np.random.default_rng(seed)
    q, k, v = (draw.normal(size=(tokens, d_k)) for _ in range(3))
    names = [f"w{n}" for n in range(tokens)]
    return attention_from(q, k, v, tokens=names, mask="causal")


def _opened(browser: Browser, rounds: int) -> list[float]:
    """The ms from a click on a head's card until a number of the head is on the stage."""
    with serving(ROOT / "app.py") as url:
        page = browser.new_page()
        page.goto(f"{url}/real-heads")
        page.wait_for_selector(f"{SETTLED} .focus [data-head]")
        times = []
        for _ in range(rounds):
            for name in ("smollm2-punctuation", "smollm2-own-token"):
                page.wait_for_timeout(2_000)
                ms = page.evaluate(OPENED_BY_CLICK, [name, len(load_capture(name).run.tokens)])
                times += [ms] if name == "smollm2-punctuation" else []
        page.close()
    return times


def head_from_x(seed: int) -> Trace:
    """A head with RoPE at the sizes of a Llama-like model of 135 million numbers."""
    draw = np.random.default_rng(seed)
    tokens, d_model, d_k = 64, 576, 64
    program = head_program(rope=NEIGHBOURS)
    shapes: dict[str, tuple[int, ...]] = {"X": (tokens, d_model), "W_O": (d_k, d_model)}
    shapes |= {f"W_{name}": (1, d_model, d_k) for name in "QKV"}
    arrays = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    arrays["places"] = np.arange(float(tokens))[:, None]
    turning = Rope(pair_frequencies(1e5, d_k), halves=False)
    arrays["frequency"] = feature_frequencies(turning)[None]
    return program.run(Inputs(arrays, tuple(f"w{n}" for n in range(tokens))))


def _of_query(seed: int) -> float:
    """The ms of the first explanation of a run, of a number of Q."""
    trace = head_from_x(seed)
    start = time.perf_counter()
    explain(trace, "Q", (0, 60, 3))
    return 1000 * (time.perf_counter() - start)


def _document(trace: Trace) -> float:
    start = time.perf_counter()
    document(trace, OPENING, code=True)
    return 1000 * (time.perf_counter() - start)


def _explained(tokens: int, d_k: int, name: str) -> float:
    """The ms of the first explanation of a run, of a cell of its last row; the median of five."""
    times = []
    for seed in range(5):
        trace = head(tokens, d_k, 100 + seed)
        start = time.perf_counter()
        explain(trace, name, (0, tokens - 1, 0))
        times.append(1000 * (time.perf_counter() - start))
    return float(statistics.median(times))


def _memory(tokens: int, d_k: int) -> int:
    tracemalloc.start()
    standalone(head(tokens, d_k), OPENING)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def _hover(browser: Browser, text: str, count: int) -> float:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_function("() => document.querySelector('.focus .pane .number')?.textContent")
        _, *times = page.evaluate(pointing("document"), count + 1)
        page.close()
    return float(statistics.median(times))
