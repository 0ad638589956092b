"""What a page does by a clock of a test's own: its heartbeat, a phone's looks, a held press."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from stage.hosts.assets import module
from tests.browser.conftest import ROOT

Shown = Callable[..., Page]
DAY = 86_400
MINUTE = 60_000
LOAD = """async ([code, begin]) => {
  const made = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: show } = await import(made);
  const parentElement = document.body.appendChild(document.createElement("div"));
  globalThis.away = () => {
    parentElement.remove();
    leave();
  };
  globalThis.shows = (data, setStateValue) => {
    globalThis.leave = show({ data, parentElement, setStateValue });
  };
  eval(begin);
}"""
TURN = """state => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def showing(chromium: Browser) -> Iterator[Shown]:
    """`showing(file, begin)`: a page with a component of that file, where that script has run. Its
    clock goes on only as far as a test says.
    """
    page = chromium.new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.clock.pause_at(DAY)

    def shown(file: str, begin: str) -> Page:
        page.evaluate(LOAD, [module(ROOT / file), begin])
        return page

    yield shown
    page.close()


EVERY = 400


@pytest.fixture
def heart(showing: Shown) -> Page:
    return showing(
        "ui/server/heartbeat.js",
        "globalThis.said = [];"
        "globalThis.tell = (data) => shows(data, (_, number) => said.push(number));",
    )


def tell(page: Page, *, running: bool = True, heard: int | None = None) -> None:
    told = {"running": running, "every": EVERY, "received": heard}
    page.evaluate("data => { tell(data); }", told)


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
        heart.evaluate(TURN, "hidden")
    heart.clock.run_for(10 * EVERY)
    assert len(said(heart)) == 1


OFTEN, SELDOM = 2_000, 20_000
"""Milliseconds between two looks that the server tells a phone: without news, and with them."""


PHONE = """Object.assign(globalThis, {
  asked: 0, looks: 0, answer: "same", late: 5_000, hears: true, every: OFTEN, seldom: SELDOM,
  fetch: (_, { signal }) => {
    asked += 1;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", reject);
      const say = { ok: true, text: async () => answer };
      setTimeout(() => answer === "" ? reject() : resolve(say), late);
    });
  },
});
const look = (_, heard) => {
  looks += 1;
  if (hears) setTimeout(() => tell(heard), 100);
};
globalThis.tell = (heard) => shows([{ address: "news", every, seldom, received: heard }], look);
tell(null);"""


@pytest.fixture
def phone(showing: Shown) -> Page:
    begin = PHONE.replace("OFTEN", str(OFTEN)).replace("SELDOM", str(SELDOM))
    return showing("ui/classroom/room_news.js", begin)


def passed(page: Page, time: int) -> tuple[int, int]:
    """How often it asked and looked in so many milliseconds."""
    before = page.evaluate("[asked, looks]")
    for _ in range(time // 500):
        page.clock.run_for(500)  # what was promised goes on in between
    asked, looks = page.evaluate("[asked, looks]")
    return asked - before[0], looks - before[1]


def test_an_idle_phone_looks_seldom_and_goes_on_asking(phone: Page) -> None:
    for _ in range(2):
        asked, looks = passed(phone, MINUTE)
        assert MINUTE / 5_000 - 4 <= asked <= MINUTE / 5_000
        assert 2 <= looks <= MINUTE / SELDOM


def test_a_phone_looks_soon_after_news_and_again_only_if_nobody_heard(phone: Page) -> None:
    phone.evaluate("Object.assign(globalThis, { answer: 'new', late: 100, hears: false })")
    assert passed(phone, 1_000) == (1, 1)
    asked, looks = passed(phone, MINUTE)
    assert asked == 0
    assert 5 <= looks <= 12


@pytest.mark.parametrize("answer", ["", "<html>"])
def test_a_phone_without_news_looks_as_often_as_other_pages(phone: Page, answer: str) -> None:
    phone.evaluate("said => Object.assign(globalThis, { answer: said, late: 100 })", answer)
    _, looks = passed(phone, MINUTE)
    assert MINUTE / OFTEN / 2 <= looks <= MINUTE / OFTEN


def test_a_phone_is_silent_while_it_is_hidden_and_when_it_was_left(phone: Page) -> None:
    phone.evaluate(TURN, "hidden")
    assert passed(phone, MINUTE) == (0, 0)
    phone.evaluate(TURN, "visible")
    assert passed(phone, 1_000) == (1, 0)
    phone.evaluate("away()")
    assert passed(phone, MINUTE) == (0, 0)


APP = """
  const app = document.body.appendChild(document.createElement("div"));
  globalThis.is = (what, value) => app.setAttribute(`data-test-${what}-state`, value);
  is("connection", "CONNECTED");
  is("script", "notRunning");
  const button = document.body.appendChild(document.createElement("button"));
  globalThis.pressed = 0;
  button.onclick = () => { pressed += 1; };
  shows([{ lost: "" }], () => {});
"""
HALF_A_MINUTE = 30_000


def test_a_press_after_a_lost_connection_waits_for_a_first_run_however_long(showing: Shown) -> None:
    page = showing("ui/server/visits.js", APP)

    def become(what: str, state: str) -> None:
        page.evaluate("([what, state]) => is(what, state)", [what, state])

    become("connection", "CONNECTING")
    become("connection", "CONNECTED")
    page.locator("button").dispatch_event("click")
    become("script", "running")
    page.clock.run_for(HALF_A_MINUTE)
    assert page.evaluate("pressed") == 0
    become("script", "notRunning")
    page.clock.run_for(1)
    assert page.evaluate("pressed") == 1
