"""A page that Streamlit's own error takes away comes back; one that is just left is let be."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import OpenPage
from tests.browser.test_never_blank import GO, Blanks
from tests.browser.waiting import settle
from ui.page_texts import component_texts
from ui.path import address_of

PATIENCE = 2
"""Seconds after a script's end, in which ui/nothing_drawn.js looks whether anything is drawn."""
ENDS_NOW = """() => document.querySelector("[data-testid=stApp]")
  .setAttribute("data-test-script-state", "notRunning")"""
NOTHING_THERE = "() => !document.querySelector('#root > *')"


def begins_page(text: ForwardMsg) -> bool:
    """Whether it says that a run begins, of a whole page."""
    return text.WhichOneof("type") == "new_session" and not text.metadata.run.fragment_ids


class Between:
    """Stands between a browser and the server; holds or changes what the browser is told."""

    def __init__(self) -> None:
        self.misplaces = self.holds = False
        self.asked = 0
        self._held = list[str | bytes]()

    def on(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def let_go(self) -> None:
        self.holds = False
        while self._held:
            self._browser.send(self._held.pop(0))

    def _between(self, browser: WebSocketRoute) -> None:
        server, self._browser = browser.connect_to_server(), browser
        is_held = False

        def told(message: str | bytes) -> None:
            nonlocal is_held
            assert isinstance(message, bytes)
            text = ForwardMsg.FromString(message)
            if self.misplaces and text.WhichOneof("type") == "delta":
                self.misplaces = False
                text.metadata.delta_path[-1] += 1_000
                message = text.SerializeToString()
            is_held = is_held and self.holds
            if is_held:
                self._held.append(message)
                return
            is_held = self.holds and begins_page(text)
            browser.send(message)

        def said(message: str | bytes) -> None:
            self.asked += 1
            server.send(message)

        server.on_message(told)
        browser.on_message(said)


@pytest.fixture
def raised() -> list[str]:
    """What the page's scripts have raised."""
    return []


@pytest.fixture
def page(chromium: Browser, raised: list[str]) -> Iterator[Page]:
    context = chromium.new_context()
    opened = context.new_page()
    opened.on("pageerror", lambda error: raised.append(str(error)))
    yield opened
    context.close()


@pytest.mark.parametrize("while_it", ["is loaded", "goes on"])
def test_a_page_that_an_error_of_streamlit_s_takes_away_is_loaded_again(
    server: str, page: Page, raised: list[str], while_it: str
) -> None:
    """An element for a place that is not there: Streamlit shows nothing then, and says nothing."""
    between = Between()
    between.on(page)
    between.misplaces = while_it == "is loaded"
    page.goto(server)
    if while_it == "goes on":
        settle(page)
        between.misplaces = True
        page.evaluate(GO, address_of("softmax"))
    page.wait_for_function(NOTHING_THERE)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    assert raised
    assert all("Bad delta path" in error for error in raised)
    expect(page.get_by_text(component_texts()("nothing_drawn"))).to_have_count(0)


def test_a_page_that_is_just_left_is_not_taken_for_one_that_stays_empty(
    server: str, open_page: OpenPage
) -> None:
    """A run that begins empties the page a moment before it says that it runs."""
    between = Between()

    def prepare(page: Page) -> None:
        between.on(page)
        page.clock.install()

    page = open_page(f"{server}/{address_of('words')}", prepare=prepare)
    blanks = Blanks(page)
    between.holds, between.asked = True, 0
    page.evaluate(ENDS_NOW)
    page.evaluate(GO, address_of("softmax"))
    expect(page.get_by_role("heading", level=1)).to_have_count(0)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + PATIENCE)
    between.let_go()
    page.clock.resume()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    assert not blanks.count
