"""How often a phone asks its server for news and looks at its room, by a clock of a test's own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from stage.assets import module
from tests.browser.conftest import ROOT

DAY = 86_400
EVERY, SELDOM = 2_000, 20_000
"""Milliseconds between two looks that the server tells a phone: without news, and with them."""
MINUTE = 60_000
LOAD = """async (code) => {
  const made = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: show } = await import(made);
  const parentElement = document.body.appendChild(document.createElement("div"));
  Object.assign(globalThis, { asked: 0, looks: 0, answer: "same", late: 5_000, hears: true });
  globalThis.fetch = (_, { signal }) => {
    asked += 1;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", reject);
      const say = { ok: true, text: async () => answer };
      setTimeout(() => answer === "" ? reject() : resolve(say), late);
    });
  };
  const setStateValue = (_, heard) => {
    looks += 1;
    if (hears) setTimeout(() => tell(heard), 100);
  };
  globalThis.tell = (heard) => {
    const data = [{ address: "news", every: %d, seldom: %d, heard }];
    globalThis.leave = show({ data, parentElement, setStateValue });
  };
  globalThis.away = () => {
    parentElement.remove();
    leave();
  };
  tell(null);
}""" % (EVERY, SELDOM)  # noqa: UP031


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.clock.pause_at(DAY)  # from here on only as far as a test says
    page.evaluate(LOAD, module(ROOT / "ui" / "classroom" / "room_news.js"))
    yield page
    page.close()


def passed(page: Page, time: int) -> tuple[int, int]:
    """How often it asked and looked in so many milliseconds."""
    before = page.evaluate("[asked, looks]")
    for _ in range(time // 100):
        page.clock.run_for(100)  # what was promised goes on in between
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
    assert MINUTE / EVERY / 2 <= looks <= MINUTE / EVERY


def test_a_hidden_phone_is_silent_until_it_is_seen_again(phone: Page) -> None:
    turn = """state => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    phone.evaluate(turn, "hidden")
    assert passed(phone, MINUTE) == (0, 0)
    phone.evaluate(turn, "visible")
    assert passed(phone, 1_000) == (1, 0)


def test_a_page_that_was_left_asks_no_more(phone: Page) -> None:
    passed(phone, 1_000)
    phone.evaluate("away()")
    assert passed(phone, MINUTE) == (0, 0)
