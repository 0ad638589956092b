"""What is already computed waits for nobody: the stage with its server slow, busy or stopped."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core import explain
from core.attention.setups import Setup
from core.program.trace import Trace
from tests.browser.conftest import OpenPage, stopped
from tests.browser.drawn import written
from tests.browser.page import SETTLED, box_of, settle
from tests.browser.stage import (
    arithmetic,
    choice,
    expect_selected,
    focus_cell,
    focus_numbers,
    go_to_step,
    heard,
    numbers,
    read_at_each_click,
    strip_phase,
    told_ahead,
)
from tests.sampling import DEEP, some

STEPS = ("X", "Q", "scores", "scaled", "masked", "weights", "context", "output")
READ = [
    *[("Q", name) for name in ("W_Q", "W_K", "K", "V")],
    *zip(STEPS, STEPS, strict=True),
    ("output", "W_O"),
]
"""A step's miniature, and an array that is then drawn with its numbers."""
TRIES = 20 if DEEP else 1
WRITTEN_BEFORE = "box => getComputedStyle(box, '::before').content"
PRESSED = """async ([key, times, gap]) => {
  for (let n = 0; n < times; n++) {
    const pressed = { key, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", pressed));
    await new Promise((done) => setTimeout(done, gap));
  }
}"""


def stage_step(page: Page) -> str:
    return str(page.get_by_test_id("stage").get_attribute("data-step"))


RHYTHMS = f"""async ([gaps, answers]) => {{
  const stage = () => [...globalThis[Symbol.for("attention-stages")]][0].root;
  const says = () => /step=output/.test(location.href);
  const settled = () => !answers || document.querySelector('{SETTLED}');
  const until = async (holds) => {{
    const end = performance.now() + 30_000;
    while (!holds() && performance.now() < end) await new Promise(requestAnimationFrame);
  }};
  const press = {PRESSED};
  const seen = [];
  for (const gap of gaps) {{
    for (let n = 0; n < {TRIES}; n++) {{
      stage().querySelector('{strip_phase("X")}').click();
      document.activeElement.blur();
      const first = stage().dataset.step;
      await press(["PageDown", 7, gap]);
      const last = stage().dataset.step;
      await until(says);
      seen.push([gap, first, last, says()]);
      if (last !== "output" || !says()) return seen;
    }}
    await until(settled);
    const stays = stage().dataset.step, rests = !!settled();
    await press(["PageUp", 7, gap < 600 ? gap : 0]);
    seen.push([gap, stays, stage().dataset.step, rests]);
  }}
  return seen;
}}"""
GAPS = [10, 30, 150, 600]
"""The pauses between presses, in milliseconds."""


@contextmanager
def slowed(page: Page, times: int) -> Iterator[None]:
    """A machine that is so many times slower."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": times})
    try:
        yield
    finally:
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        session.detach()


@pytest.mark.parametrize("answers", some([True, False], 2, 1))
def test_seven_page_downs_are_seven_steps_at_any_rhythm_on_a_slow_machine_or_without_a_server(
    open_page: OpenPage, answers: bool
) -> None:
    """And seven page ups lead back. Most of it is waiting: all are walked at the same time."""
    walks = [
        (open_page("?step=X"), gaps)
        for gaps in some([GAPS[:-1] if DEEP else GAPS[:2], GAPS[-1:]], 2)
    ]
    for page, _ in walks:
        go_to_step(page, "X")
        page.evaluate("document.activeElement.blur()")
    with ExitStack() as slow:
        for page, _ in walks if answers else ():
            slow.enter_context(slowed(page, 4))
        if not answers:
            slow.enter_context(stopped(page.url))
        for page, gaps in walks:
            page.evaluate(f"(told) => {{ globalThis.walked = ({RHYTHMS})(told) }}", [gaps, answers])
        for page, gaps in walks:
            assert page.evaluate("walked") == [
                seen
                for gap in gaps
                for seen in [[gap, "X", "output", True]] * TRIES + [[gap, "output", "X", True]]
            ]
        page.evaluate(PRESSED, ["PageDown", 7, 10])
    heard(page)
    assert stage_step(page) == "output"
    assert "step=output" in page.url


def check_all(page: Page, trace: Trace, head: int) -> None:
    """All numbers of the head's matrices are, at their steps, those of a fresh run."""
    clicks = [(strip_phase(step), focus_numbers(array)) for step, array in READ]
    found = read_at_each_click(page, clicks)
    for (_, array), seen in zip(READ, found, strict=True):
        assert seen == written(trace, array, head), (array, head)


SETTINGS: list[dict[str, Any]] = [
    {"mask": "none"}, {"mask": "none", "scale": False}, {"scale": False},
    {"mask": "window", "scale": False}, {"mask": "window"}, {"mask": "prefix"}, {"mask": "causal"},
]  # fmt: skip


def test_without_the_server_walks_and_flips_show_right_numbers(open_page: OpenPage) -> None:
    page = open_page("?step=X", until=told_ahead)
    with stopped(page.url):
        page.evaluate(PRESSED, ["PageDown", 7, 10])
        assert stage_step(page) == "output"
        expect(page.locator('[data-control="scale"] [role="radio"]')).to_have_count(2)
        for heads in some([4, 1, 8], 3):
            choice(page, "heads", str(heads)).click()
            for head in range(heads):
                if heads > 1:
                    choice(page, "head", str(head + 1)).click()
                check_all(page, Setup(heads=heads).trace, head)
        choice(page, "heads", "2").click()
        for settings in some(SETTINGS, 4):
            trace = Setup(**settings).trace
            choice(page, "mask", settings.get("mask", "causal")).click()
            choice(page, "scale", "off" if settings.get("scale") is False else "on").click()
            for head in (0, 1):
                choice(page, "head", str(head + 1)).click()
                check_all(page, trace, head)
        focus_cell(page, "output.3.2").click()
        expect(focus_cell(page, "output.3.2")).to_have_attribute("aria-selected", "true")
        assert "cell=output.3.2" in page.url
        # Its arithmetic is not known here: its place is kept, and says so; the cells stay there.
        place = box_of(focus_cell(page, "output.3.2"))
        waiting = page.get_by_role("status").filter(has_text="Waiting for the server")
        expect(waiting).to_have_count(1)
        assert box_of(focus_cell(page, "output.3.2")) == place
        assert "Waiting for the server" in arithmetic(page).evaluate(WRITTEN_BEFORE)
        expect(arithmetic(page).locator("math").first).to_be_hidden()
    heard(page)
    expect(page.get_by_text("Waiting for the server")).to_have_count(0)
    row = explain(trace, "output", (3, 2)).plain[0]
    expect(arithmetic(page).get_by_role("img", name=row).first).to_be_visible()
    assert "Waiting" not in arithmetic(page).evaluate(WRITTEN_BEFORE)
    assert "cell=output.3.2" in page.url
    expect_selected(page, "output.3.2")
    again = open_page(page.url)
    expect_selected(again, "output.3.2")
    assert numbers(again, "output") == numbers(page, "output")


@pytest.mark.deep
def test_what_needs_the_server_says_that_it_waits(open_page: OpenPage) -> None:
    page = open_page("?step=weights&text=red+green+blue", until=told_ahead)
    before = numbers(page, "weights")
    with stopped(page.url):
        choice(page, "compare", "mask").click()
        expect(page.get_by_role("status").filter(has_text="Waiting for the server")).to_be_visible()
        assert numbers(page, "weights") == before
        page.keyboard.press("PageUp")
        assert stage_step(page) == "masked"
    expect(page.locator(".badge")).to_contain_text("numbers of masked differ")
    expect(page.get_by_text("Waiting for the server")).to_have_count(0)
    assert stage_step(page) == "masked"


def test_edits_made_quickly_or_without_a_server_arrive_in_order(open_page: OpenPage) -> None:
    page = open_page("?step=X&text=red+green+blue")
    expect(focus_cell(page, "X.0.0")).to_be_visible()
    wanted = np.array(Setup(text="red green blue").trace["X"])

    def typed(row: int, col: int, number: float) -> None:
        focus_cell(page, f"X.{row}.{col}").focus()
        page.keyboard.type(str(number))
        page.keyboard.press("Enter")
        wanted[row, col] = number

    for n in range(5):
        typed(n % 3, n, 1.5 + n)
    with stopped(page.url):
        for n in range(5):
            typed((n + 1) % 3, n + 1, -1.5 - n)
        typed(0, 0, 9)
        typed(0, 0, 8)
        waiting = page.get_by_role("status").filter(has_text="Waiting for the server")
        expect(waiting).to_be_visible()
    expect(focus_cell(page, "X.0.0")).to_have_text("8.00")
    expect(waiting).to_have_count(0)
    settle(page)
    expected = [f"{number:.2f}".replace("-", "−") for number in wanted.ravel()]
    expect(page.locator('[data-part="focus"][data-matrix="X"] .number')).to_have_text(expected)


@pytest.mark.deep
def test_strokes_painted_quickly_all_arrive(open_page: OpenPage) -> None:
    page = open_page("?step=masked&mask=custom&text=a+b+c+d")
    cells = ("mask.0.1", "mask.0.2", "mask.1.3", "mask.3.0", "mask.2.2")
    expect(focus_cell(page, cells[0])).to_have_class(re.compile("masked"))
    before = {
        cell: "masked" in (focus_cell(page, cell).get_attribute("class") or "") for cell in cells
    }
    for cell in cells[:2]:
        focus_cell(page, cell).click()
    with stopped(page.url):
        for cell in cells[2:]:
            focus_cell(page, cell).click()
    for cell in cells:
        look = re.compile(r"(^|\s)masked(\s|$)")
        there = expect(focus_cell(page, cell))
        (there.not_to_have_class if before[cell] else there.to_have_class)(look)
