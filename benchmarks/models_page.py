"""The page of models with a recording in a folder: its first maps, a head on the stage."""

import os
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from playwright.sync_api import Browser

from benchmarks.recording import HEAD, HEADS, LAYERS, MAPS, T, capturing
from benchmarks.timing import Row
from tools.browser import ROOT, SETTLED, serving
from ui.models.offered_models import FOLDERS

FIND = """const all = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
const find = (test) => all.map((part) => part.shadowRoot?.querySelector(test)).find(Boolean);
const read = (text) => document.body.textContent.includes(text);"""
MAPS_DRAWN = f"""() => {{ {FIND}
  return find(".large[aria-busy=false] .reading")?.textContent && performance.now();
}}"""
"""The ms since navigation, once the large map can be read."""
HEAD_DRAWN = f"""([map, name]) => new Promise((resolve) => {{
  {FIND}
  const start = performance.now();
  find(`[aria-label^="${{map}}"]`).click();
  const look = () => {{
    const chosen = find(".stage [data-part=focus] [aria-selected=true]");
    const painted = () => setTimeout(() => resolve(performance.now() - start));
    requestAnimationFrame(read(name) && chosen ? painted : look);
  }};
  look();
}})"""
"""Presses a map and gives the ms until the page names its head, with a selected number."""


def rows(browser: Browser, quick: bool) -> list[Row]:
    what = f"the page of models, a recording of {LAYERS} × {HEADS} heads, T={T}"
    with TemporaryDirectory() as folder:
        capturing(Path(folder) / "run.safetensors")["captured"]()
        with patch.dict(os.environ, {FOLDERS: folder}), serving(ROOT / "app.py") as url:
            maps, heads = _drawn(browser, url, 2 if quick else 5)
    return [
        Row(f"{what}: opened → its maps", maps, budget=f"≤ {MAPS:g} ms", kept=maps <= MAPS),
        Row(f"{what}: a map pressed → its head on the stage", heads, budget=f"≤ {HEAD:g} ms",
            kept=heads <= HEAD),
    ]  # fmt: skip


def _drawn(browser: Browser, url: str, rounds: int) -> tuple[float, float]:
    """The median ms of opening the page, which has been seen once, and of pressing a map."""
    opened, heads = [], []
    for n in range(rounds + 1):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{url}/models")
        opened.append(float(page.wait_for_function(MAPS_DRAWN).json_value()))
        page.wait_for_selector(SETTLED)
        page.get_by_text("On the stage:").wait_for()
        name = f"call {n + 2}, head 1 (index {n + 1}, 0)"
        heads.append(float(page.evaluate(HEAD_DRAWN, [f"Call {n + 2} ", name])))
        page.close()
    return statistics.median(opened[1:]), statistics.median(heads[1:])
