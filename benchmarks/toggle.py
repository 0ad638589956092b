"""From a click to new numbers on the stage, against a bare toggle and against Plotly heatmaps."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page

from benchmarks.browser import APPS, ROOT, STAGE, serving, settle
from benchmarks.timing import Row, alternating

TEXT = "one+two+three+four+five+six+seven+eight"
NUMBERS = f"[...{STAGE}.querySelectorAll('[data-matrix=weights] .number')].map(c => c.textContent)"
READ_STAGE = f"{NUMBERS}.join()"
READ_BARE = "document.querySelector('[data-testid=stText]').textContent"
READ_PLOTLY = """(() => {
  const charts = [...document.querySelectorAll('.js-plotly-plot')];
  const texts = charts.map((chart) => chart.querySelector('.heatmap-label')?.textContent);
  return charts.length === 8 && texts.every(Boolean) ? texts.join() : '';
})()"""
MEASURE = """async ([click, read]) => {
  const get = new Function('return ' + read);
  const before = get(), start = performance.now();
  document.querySelector(click).click();
  return new Promise((done) => {
    const look = () => {
      const now = get();
      if (now && now !== before) done(performance.now() - start);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}"""


def rows(browser: Browser, quick: bool) -> list[Row]:
    with (
        serving(ROOT / "app.py") as ours,
        serving(APPS / "bare.py") as bare,
        serving(APPS / "heatmaps.py") as plotly,
        serving(APPS / "stage_alone.py") as alone,
    ):
        actions = {
            "stage": _stage(browser.new_page(), f"{ours}/?step=weights&text={TEXT}"),
            "alone": _toggle(browser.new_page(), alone, READ_STAGE),
            "bare": _toggle(browser.new_page(), bare, READ_BARE),
            "plotly": _toggle(browser.new_page(), plotly, READ_PLOTLY),
        }
        for action in actions.values():
            action()
        found = alternating(actions, rounds=5 if quick else 20)
    stage, bare_ms, plotly_ms = found["stage"], found["bare"], found["plotly"]
    what = "toggle → new numbers on the stage"
    alone_ms = found["alone"]
    return [
        Row("the same, the stage alone on a page", alone_ms, "bare toggle", bare_ms),
        Row(what, stage, "bare toggle", bare_ms, "≤ 2×", stage <= 2 * bare_ms),
        Row(what, stage, "8 Plotly heatmaps", plotly_ms, "≤ 0.4×", stage <= 0.4 * plotly_ms),
    ]


def _toggle(page: Page, url: str, read: str) -> Callable[[], float]:
    page.goto(url)
    settle(page)
    page.wait_for_function(f"() => {read}")

    def action() -> float:
        page.bring_to_front()
        settle(page)
        return float(page.evaluate(MEASURE, ["[data-testid=stCheckbox] input", read]))

    return action


def _stage(page: Page, url: str) -> Callable[[], float]:
    """Flip the mask; a new seed before each click makes the numbers fresh."""
    page.goto(url)
    settle(page)
    page.wait_for_selector("[data-testid=stage] .cell")
    count = 0

    def action() -> float:
        nonlocal count
        count += 1
        page.bring_to_front()
        settle(page)
        before = page.evaluate(READ_STAGE)
        page.get_by_role("button", name="Sizes and seed").click()
        seed = page.locator(".st-key-seed input")
        seed.fill(str(count))
        seed.press("Enter")
        page.wait_for_function(f"before => {READ_STAGE} !== before", arg=before)
        page.keyboard.press("Escape")
        settle(page)
        label = "none" if count % 2 else "causal"
        page.evaluate(
            """label => [...document.querySelectorAll('.st-key-mask label, .st-key-mask button')]
            .find((option) => option.textContent === label).setAttribute('data-bench', 'now')""",
            label,
        )
        found = float(page.evaluate(MEASURE, ["[data-bench=now]", READ_STAGE]))
        page.evaluate("document.querySelector('[data-bench=now]').removeAttribute('data-bench')")
        return found

    return action
