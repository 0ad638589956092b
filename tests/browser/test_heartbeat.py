"""A page that watches long work says so now and then: in front, and not before it was heard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from stage.assets import module
from tests.browser.conftest import ROOT

EVERY = 400
DAY = 86_400
LOAD = """async (code) => {
  const made = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: show } = await import(made);
  const parentElement = document.createElement("div");
  globalThis.said = [];
  globalThis.tell = (data) =>
    show({ data, parentElement, setStateValue: (_, number) => said.push(number) });
}"""


@pytest.fixture
def heart(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.clock.pause_at(DAY)  # from here on only as far as a test says
    page.evaluate(LOAD, module(ROOT / "ui" / "heartbeat.js"))
    yield page
    page.close()


def tell(page: Page, *, running: bool = True, heard: int | None = None) -> None:
    page.evaluate("data => { tell(data); }", {"running": running, "every": EVERY, "heard": heard})


def said(page: Page) -> list[int]:
    numbers: list[int] = page.evaluate("said")
    return numbers


def test_it_is_heard_before_it_says_the_next_one(heart: Page) -> None:
    tell(heart)
    assert said(heart) == []
    heart.clock.run_for(EVERY)
    (first,) = said(heart)
    heart.clock.run_for(2 * EVERY)
    assert said(heart) == [first], "a run that is overtaken draws nothing"
    tell(heart, heard=first)
    tell(heart, heard=first)
    heart.clock.run_for(EVERY - 1)
    assert said(heart) == [first]
    heart.clock.run_for(1)
    assert said(heart) == [first, first + 1]


def test_one_that_is_lost_is_said_again(heart: Page) -> None:
    tell(heart)
    heart.clock.run_for(EVERY)
    heart.clock.run_for(10 * EVERY)
    assert len(said(heart)) == 4
    tell(heart, heard=said(heart)[0])
    heart.clock.run_for(EVERY)
    assert len(said(heart)) == 4, "this one was for an older one"


@pytest.mark.parametrize("how", ["over", "hidden"])
def test_it_is_silent_once_the_work_is_over_or_the_tab_is_hidden(heart: Page, how: str) -> None:
    tell(heart)
    heart.clock.run_for(EVERY)
    if how == "over":
        tell(heart, running=False)
    else:
        heart.evaluate(
            """Object.defineProperty(document, "visibilityState", { value: "hidden" });
            document.dispatchEvent(new Event("visibilitychange"));"""
        )
    heart.clock.run_for(10 * EVERY)
    assert len(said(heart)) == 1
