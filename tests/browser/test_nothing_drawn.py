"""A page of which nothing is drawn draws itself again, or says so: whatever of it is lost."""

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import OpenPage
from tests.browser.waiting import settle
from tests.sampling import paired, three
from ui.page_texts import component_texts
from ui.path import PAGE_NAMES, address_of

TEXTS = component_texts()
LONG = 60_000
"""Milliseconds after which a page would have drawn itself again several times."""


class Emptied:
    """Of so many first runs, of so many first connections, the browser is told of nothing drawn."""

    def __init__(self, runs: int, connections: int) -> None:
        self.runs, self.connections = runs, connections
        self.opened = self.asked = 0

    def on(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def _between(self, browser: WebSocketRoute) -> None:
        server, run = browser.connect_to_server(), 0
        self.opened += 1
        is_emptied = self.opened <= self.connections

        def told(message: str | bytes) -> None:
            nonlocal run
            assert isinstance(message, bytes)
            kind = ForwardMsg.FromString(message).WhichOneof("type")
            run += kind == "new_session"
            if kind not in ("delta", "ref_hash") or not is_emptied or run > self.runs:
                browser.send(message)

        def said(message: str | bytes) -> None:
            self.asked += 1
            server.send(message)

        server.on_message(told)
        browser.on_message(said)


ALWAYS = 10**6
CASES = {"asks anew": (1, 1, 1), "is loaded again": (ALWAYS, 1, 2)}
"""So many first runs and connections are emptied, and so many connections are opened."""


@pytest.mark.parametrize(("name", "case"), paired(three(PAGE_NAMES), list(CASES)))
def test_a_page_of_which_nothing_came_draws_itself_again(
    server: str, open_page: OpenPage, name: str, case: str
) -> None:
    """It asks for its address anew; where nothing comes of that either, it is loaded again."""
    runs, connections, opened = CASES[case]
    emptied = Emptied(runs, connections)
    page = open_page(f"{server}/{address_of(name)}", prepare=emptied.on, settled=False)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    assert emptied.opened == opened
    expect(page.get_by_text(TEXTS("nothing_drawn"))).to_have_count(0)


def test_where_nothing_helps_a_page_says_so_and_asks_for_no_more(
    server: str, open_page: OpenPage
) -> None:
    emptied = Emptied(ALWAYS, ALWAYS)

    def prepare(page: Page) -> None:
        emptied.on(page)
        page.clock.install()

    page = open_page(server, prepare=prepare, settled=False)
    said = page.get_by_role("alert").filter(has_text=TEXTS("nothing_drawn"))
    expect(said).to_be_visible()
    asked = emptied.asked
    assert emptied.opened == 2
    page.clock.run_for(LONG)
    assert (emptied.asked, emptied.opened) == (asked, 2)
    emptied.connections = 0
    said.get_by_role("button", name=TEXTS("load_again")).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(said).to_have_count(0)


@pytest.mark.parametrize("name", three(PAGE_NAMES, 1))
def test_a_page_that_is_there_is_left_alone(server: str, open_page: OpenPage, name: str) -> None:
    """However short it is."""
    said = list[str]()

    def prepare(page: Page) -> None:
        page.clock.install()
        page.on("console", lambda message: said.append(message.text))

    page = open_page(f"{server}/{address_of(name)}", prepare=prepare)
    page.evaluate("globalThis.isStillHere = true")
    page.clock.run_for(LONG)
    settle(page)
    assert page.evaluate("globalThis.isStillHere")
    assert TEXTS("nothing_drawn") not in said
