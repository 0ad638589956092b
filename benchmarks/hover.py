"""Pointing at a cell: the time of the script that lights its sources and uses."""

import statistics

from playwright.sync_api import Browser

from benchmarks.timing import Row
from tools.browser import AHEAD, ROOT, STAGE, serving, settle

FRAME = 16.0
AIM = 5.0
HOVER = """(all) => {
  const cells = [...STAGE.querySelectorAll('[data-part=focus] [data-cell]')];
  const times = [];
  for (let n = 0; n < all; n++) {
    const cell = cells[(n * 7919) % cells.length];
    const start = performance.now();
    cell.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, composed: true }));
    times.push(performance.now() - start);
    if (!cell.classList.contains('here')) throw new Error('the cell pointed at is not lit');
  }
  return times;
}"""


def pointing(stage: str) -> str:
    """The script that points at so many cells of a stage and returns the ms that each took."""
    return HOVER.replace("STAGE", stage)


def rows(browser: Browser, quick: bool) -> list[Row]:
    with serving(ROOT / "app.py") as url:
        found = {tokens: _hover(browser, url, tokens, 20 if quick else 100) for tokens in (8, 24)}
    made = []
    for tokens, (first, median, sent) in found.items():
        budget = FRAME if tokens == 24 else AIM
        word = "<" if tokens == 24 else "aim"
        kept = median < budget and not sent
        made.append(
            Row(f"hover, {tokens} tokens (first {first:.1f} ms; {sent} messages sent)", median,
                budget=f"{word} {budget:g} ms", kept=kept)
        )  # fmt: skip
    return made


def _hover(browser: Browser, url: str, tokens: int, count: int) -> tuple[float, float, int]:
    """The first and the median time in ms, and how many messages went to the server."""
    page = browser.new_page()
    sent: list[object] = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(frame)))
    words = "+".join(f"w{n}" for n in range(tokens))
    page.goto(f"{url}/?text={words}&step=scores")
    settle(page)
    page.wait_for_function(AHEAD)
    settle(page)
    sent.clear()
    first, *times = page.evaluate(pointing(STAGE), count + 1)
    page.close()
    return first, statistics.median(times), len(sent)
