"""A page of which nothing is drawn draws itself again, or says so: whatever of it is lost."""

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from tests.browser.test_never_blank import GO, Blanks
from tests.sampling import DEEP, paired, some
from ui.links.path import PAGE_NAMES, address_of
from ui.page_texts import component_texts

TEXTS = component_texts()
LONG = 60_000
"""Milliseconds after which a page would have drawn itself again several times."""
PATIENCE = 2
"""Seconds after a script's end, in which nothing_drawn.js looks whether anything is drawn."""
ENDS_NOW = """() => document.querySelector("[data-testid=stApp]")
  .setAttribute("data-test-script-state", "notRunning")"""
NOTHING_THERE = "() => !document.querySelector('#root > *')"
ALWAYS = 10**6
DRAWN = PAGE_NAMES if DEEP else ("join", "room")


class Between:
    """Stands between a browser and the server; keeps back or changes what the browser is told.

    Of so many first runs, of so many first connections, it tells of nothing drawn. It gives the
    next element a place that is not there (`misplaces`), or keeps all of a run of a page until it
    is let go (`holds`).
    """

    def __init__(self, runs: int = 0, connections: int = 0) -> None:
        self.runs, self.connections = runs, connections
        self.misplaces = self.holds = False
        self.opened = self.asked = 0
        self._held = list[str | bytes]()

    def on(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def on_with_clock(self, page: Page) -> None:
        self.on(page)
        page.clock.install()

    def let_go(self) -> None:
        self.holds = False
        while self._held:
            self._browser.send(self._held.pop(0))

    def _between(self, browser: WebSocketRoute) -> None:
        server, self._browser = browser.connect_to_server(), browser
        self.opened += 1
        is_emptied, is_held, run = self.opened <= self.connections, False, 0

        def told(message: str | bytes) -> None:
            nonlocal is_held, run
            assert isinstance(message, bytes)
            text = ForwardMsg.FromString(message)
            kind = text.WhichOneof("type")
            run += kind == "new_session"
            if is_emptied and run <= self.runs and kind in ("delta", "ref_hash"):
                return
            if self.misplaces and kind == "delta":
                self.misplaces = False
                text.metadata.delta_path[-1] += 1_000
                message = text.SerializeToString()
            is_held = is_held and self.holds
            if is_held:
                self._held.append(message)
                return
            begins_page = kind == "new_session" and not text.metadata.run.fragment_ids
            is_held = self.holds and begins_page
            browser.send(message)

        def said(message: str | bytes) -> None:
            self.asked += 1
            server.send(message)

        server.on_message(told)
        browser.on_message(said)


def is_drawn(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    expect(page.get_by_text(TEXTS("nothing_drawn"))).to_have_count(0)


CASES = {"asks anew": (1, 1, 1), "is loaded again": (ALWAYS, 1, 2)}
"""So many first runs and connections are emptied, and so many connections are opened."""


@pytest.mark.parametrize(("name", "case"), paired(DRAWN, list(CASES)))
def test_a_page_of_which_nothing_came_is_drawn(open_page: OpenPage, name: str, case: str) -> None:
    """It asks for its address anew; where nothing comes of that either, it is loaded again."""
    runs, connections, opened = CASES[case]
    between = Between(runs, connections)
    page = open_page(address_of(name), prepare=between.on, until=None)
    is_drawn(page)
    assert between.opened == opened


def test_where_nothing_helps_a_page_says_so_and_asks_for_no_more(open_page: OpenPage) -> None:
    between = Between(ALWAYS, ALWAYS)
    page = open_page(prepare=between.on_with_clock, until=None)
    said = page.get_by_role("alert").filter(has_text=TEXTS("nothing_drawn"))
    expect(said).to_be_visible()
    asked = between.asked
    assert between.opened == 2
    page.clock.run_for(LONG)
    assert (between.asked, between.opened) == (asked, 2)
    between.connections = 0
    said.get_by_role("button", name=TEXTS("load_again")).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(said).to_have_count(0)


@pytest.mark.parametrize("name", some(PAGE_NAMES, 22, PAGE_NAMES.index("join")))
def test_a_page_that_is_there_is_left_alone(open_page: OpenPage, name: str) -> None:
    """However short it is."""
    between = Between()
    page = open_page(address_of(name), prepare=between.on_with_clock)
    blanks = Blanks(page)
    page.clock.run_for(LONG)
    settle(page)
    assert between.opened == 1
    assert not blanks.count


@pytest.mark.parametrize("while_it", some(["is loaded", "goes on"], 2))
def test_a_page_that_an_error_of_streamlit_s_takes_away_is_loaded_again(
    open_page: OpenPage, errors: list[str], while_it: str
) -> None:
    """An element for a place that is not there: Streamlit shows nothing then, and says nothing."""
    between = Between()
    between.misplaces = while_it == "is loaded"
    goes_on = while_it == "goes on"
    page = open_page(prepare=between.on, until=settle if goes_on else None)
    if goes_on:
        between.misplaces = True
        page.evaluate(GO, address_of("softmax"))
    page.wait_for_function(NOTHING_THERE)
    is_drawn(page)
    assert errors
    assert all("Bad delta path" in error for error in errors)
    errors.clear()


def test_a_page_just_left_is_not_taken_for_one_that_stays_empty(open_page: OpenPage) -> None:
    """A run that begins empties the page a moment before it says that it runs."""
    between = Between()
    page = open_page(address_of("words"), prepare=between.on_with_clock)
    blanks = Blanks(page)
    between.holds = True
    page.evaluate(ENDS_NOW)
    page.evaluate(GO, address_of("softmax"))
    expect(page.get_by_role("heading", level=1)).to_have_count(0)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + PATIENCE)
    between.let_go()
    page.clock.resume()
    is_drawn(page)
    assert not blanks.count
