"""From a click to new numbers on the stage: by itself, and where the server has to compute them."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page

from benchmarks import APPS
from benchmarks.timing import Row, alternating
from tools.browser import AHEAD, ROOT, STAGE, serving, settle

TEXT = "one+two+three+four+five+six+seven+eight"
CELLS = f"{STAGE}?.querySelectorAll('[data-matrix=weights] .number')"
READ_STAGE = f"[...({CELLS} ?? [])].map((cell) => cell.textContent).join()"
READ_BARE = "document.querySelector('[data-testid=stText]')?.textContent"
READ_PLOTLY = """(() => {
  const charts = [...document.querySelectorAll('.js-plotly-plot')];
  const texts = charts.map((chart) => chart.querySelector('.heatmap-label')?.textContent);
  return charts.length === 8 && texts.every(Boolean) ? texts.join() : '';
})()"""
CLICK = "document.querySelector('[data-testid=stCheckbox] input').click()"
ENTER = """document.querySelector('%s').dispatchEvent(
  new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true }))"""
TYPED: dict[str, tuple[str, Callable[[int], str]]] = {
    "another sentence": (
        "input[aria-label=Sentence]",
        lambda n: TEXT.replace("one", f"word{n}").replace("+", " "),
    ),
    "another d_model": (".st-key-d_model input", lambda n: str(8 + 2 * (n % 5))),
    "another seed": (".st-key-seed input", str),
}
"""What the server has to compute, the field it is typed into, and what is typed each time."""


def rows(browser: Browser, quick: bool) -> list[Row]:
    with (
        serving(ROOT / "app.py") as ours,
        serving(APPS / "bare.py") as bare,
        serving(APPS / "heatmaps.py") as plotly,
        serving(APPS / "stage_alone.py") as alone,
    ):
        link = f"{ours}/?step=weights&text={TEXT}"
        actions = {
            **{what: _typed(browser.new_page(), link, *how) for what, how in TYPED.items()},
            "alone": _toggle(browser.new_page(), alone, READ_STAGE),
            "bare": _toggle(browser.new_page(), bare, READ_BARE),
            "plotly": _toggle(browser.new_page(), plotly, READ_PLOTLY),
        }
        for action in actions.values():
            action()
        found = alternating(actions, rounds=5 if quick else 20)
    most = 0.4 * found["plotly"]
    return [
        *_frames(browser, quick),
        Row("a page with only the stage", found["alone"], "bare toggle", found["bare"]),
        *(
            Row(f"{what} → new numbers on the stage", found[what], "8 Plotly heatmaps",
                found["plotly"], "≤ 0.4×", found[what] <= most)
            for what in TYPED
        ),
    ]  # fmt: skip


FRAME = 16.7
LARGE = 50.0
"""The ms within which a frame is painted at T=24, H=8."""
# A click, when the numbers stand painted (after the next frame), and whether those were others than
# before, and the last. One at a time, as a person who looks at each: the page has heard of the one
# before.
PAINTED = """async (selectors) => {
  const root = [...document.querySelectorAll("*")].map((part) => part.shadowRoot)
    .find((shadow) => shadow?.querySelector('[data-testid="stage"]'));
  const numbers = () => [...root.querySelectorAll("[data-part=focus] .number")]
    .map((number) => number.textContent).join();
  const times = [];
  for (const selector of selectors) {
    const before = numbers();
    const target = root.querySelector(selector), start = performance.now();
    target.click();
    const script = performance.now() - start;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const painted = performance.now() - start, now = numbers();
    await new Promise((done) => setTimeout(done, 400));
    times.push([script, painted, now !== before && now === numbers()]);
  }
  return times;
}"""


def _frames(browser: Browser, quick: bool) -> list[Row]:
    """Script and paint of a step, a head, a flip of mask, scale, heads or cover, each seen once."""
    what = "step, heads, head, mask, scale, cover or reveal"
    rounds = 3 if quick else 12
    script, painted, there = _painted(browser, 12, 4, rounds)
    half, most = script[len(script) // 2], painted[int(0.95 * len(painted))]
    _, large, wide_there = _painted(browser, 24, 8, rounds)
    wide = large[len(large) // 2]
    return [
        Row(f"{what}, T=12, H=4: script, p50", half, budget=f"≤ {FRAME} ms",
            kept=there and half <= FRAME),
        Row(f"{what}, T=12, H=4: painted, p95", most, budget=f"≤ {3 * FRAME:.0f} ms",
            kept=there and most <= 3 * FRAME),
        Row(f"{what}, T=24, H=8: painted, p50", wide, budget=f"≤ {LARGE:g} ms",
            kept=wide_there and wide <= LARGE),
    ]  # fmt: skip


def _painted(
    browser: Browser, tokens: int, heads: int, rounds: int
) -> tuple[list[float], list[float], bool]:
    """The ms of script and until painted, each in order of size, and whether numbers were there."""
    words = "+".join(f"w{n}" for n in range(tokens))
    with serving(ROOT / "app.py") as url:
        page = browser.new_page()
        page.goto(f"{url}/?text={words}&heads={heads}")
        settle(page)
        page.wait_for_function(AHEAD)
        steps = [f'.strip .phase[data-step="{name}"]' for name in ("Q", "scores", "weights")]
        flips = [
            f'[data-control="{key}"] [data-value="{value}"]'
            for values in ({"mask": "none", "scale": "off", "head": "2", "cover": "result"},
                           {"mask": "causal", "scale": "on", "head": "1", "cover": ""})
            for key, value in values.items()
        ]  # fmt: skip
        fewer = [f'[data-control="heads"] [data-value="{n}"]' for n in (heads // 2, heads)]
        acts = [*steps, *fewer, *flips[:4], '[data-action="next"]', *flips[4:]]
        same = {flips[-1]}  # "next" has revealed what was covered
        if heads == 8:  # d_k is 1
            same |= {flips[1], flips[5]}
        page.evaluate(PAINTED, acts)
        times = page.evaluate(PAINTED, acts * rounds)
        page.close()
    script, painted, changed = zip(*times, strict=True)
    there = all(now for act, now in zip(acts * rounds, changed, strict=True) if act not in same)
    return sorted(script), sorted(painted), there


def _until_read(act: str, read: str) -> str:
    """A script that does something, and gives the ms until something else is read."""
    return f"""async () => {{
  const get = () => {read};
  const before = get(), start = performance.now();
  {act};
  return new Promise((done) => {{
    const look = () => {{
      const now = get();
      if (now && now !== before) done(performance.now() - start);
      else requestAnimationFrame(look);
    }};
    requestAnimationFrame(look);
  }});
}}"""


def _toggle(page: Page, url: str, read: str) -> Callable[[], float]:
    page.goto(url)
    settle(page)
    page.wait_for_function(f"() => {read}")

    def action() -> float:
        page.bring_to_front()
        settle(page)
        return float(page.evaluate(_until_read(CLICK, read)))

    return action


def _typed(page: Page, url: str, where: str, value: Callable[[int], str]) -> Callable[[], float]:
    """Something else is typed into a field: until the server's numbers stand on the stage."""
    page.goto(url)
    settle(page)
    page.wait_for_selector("[data-testid=stage] .focus .cell")
    count = 0

    def action() -> float:
        nonlocal count
        count += 1
        page.bring_to_front()
        settle(page)
        field = page.locator(where)
        if not field.count():
            page.get_by_role("button", name="Numbers: ").click()
        field.fill(value(count))
        settle(page)
        return float(page.evaluate(_until_read(ENTER % where, READ_STAGE)))

    return action
