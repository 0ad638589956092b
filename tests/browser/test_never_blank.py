"""No switch leaves a page blank: a heartbeat comes in each moment of it."""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from core.path import PATH
from tests.browser.conftest import ROOT, OpenPage, Serve, rooms_of
from tests.browser.page import settle
from tests.browser.test_projector_screen import LINKS, projected_room
from tests.browser.test_scene_on_show import on_question
from tests.sampling import DEEP, some
from ui.links.path import PAGE_NAMES, address_of
from ui.page_texts import component_texts

SWITCHES = 200
WALKED = PAGE_NAMES if DEEP else ("dot_products", "why_mask")
SLOWER = 4
"""So many times slower than it is the browser computes, in the long run."""
GO = """(address) => {
  history.pushState({}, "", new URL(address, document.baseURI));
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""
DRAWN = """() => document.querySelector("[data-testid=stMain] h1")
  && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")"""


def slowed(page: Page) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


class Blanks:
    """How often a page has found nothing drawn on itself (ui/page/browser/nothing_drawn.js)."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        page.on("console", self._hear)

    def _hear(self, said: ConsoleMessage) -> None:
        self.count += said.text == component_texts()("nothing_drawn")


@pytest.fixture(scope="module")
def doubling(serve: Serve) -> Iterator[str]:
    with serve(ROOT, changed="doubling") as url:
        yield url


@pytest.mark.deep
def test_no_switch_between_scene_and_question_leaves_the_projector_blank(
    doubling: str, open_page: OpenPage
) -> None:
    with rooms_of(doubling) as store:
        code, key = store.create()
        page = projected_room(open_page, code, key, doubling, prepare=slowed)
        blanks = Blanks(page)

        def staged() -> None:
            expect(page.locator(".stage.present .focus .cell").first).to_be_visible()
            assert not blanks.count

        for link in islice(cycle(LINKS.values()), SWITCHES // 4):
            number = store.ask(code, key, link).number
            on_question(page, number)
            store.show_scene(code, key, True)
            staged()
            store.show_scene(code, key, False)
            on_question(page, number)
            store.show_scene(code, key, True)
            staged()


def every_way(names: Sequence[str]) -> list[str]:
    """A walk from the first page back to it that goes once from each page to each other one."""
    left = {name: [other for other in names if other != name] for name in names}
    stack, walk = [names[0]], list[str]()
    while stack:
        if onward := left[stack[-1]]:
            stack.append(onward.pop())
        else:
            walk.append(stack.pop())
    return walk


def lead(page: Page, server: str, name: str) -> bool:
    """Have the server lead there, if the page has a part that can be run alone."""
    # a connection that the server has closed meanwhile is made anew
    return page.request.get(f"{server}/go/{name}", max_retries=3).ok


@pytest.mark.parametrize("led", some([True, False], 2))
def test_no_way_from_a_page_to_another_leaves_it_blank_or_without_what_is_chosen(
    doubling: str, open_page: OpenPage, led: bool
) -> None:
    """Whether the server leads there, or the browser asks.

    What the browser last said on a page comes once more, as it is about to come back to it.
    """
    first, *walk = every_way(WALKED)
    page = open_page(f"{doubling}/{address_of(first)}", prepare=slowed if DEEP else None)
    blanks = Blanks(page)
    questions = page.get_by_role("radiogroup", name="Questions")
    for name in walk:
        title = page.title()
        if not (led and lead(page, doubling, name)):
            page.evaluate(GO, address_of(name))
        page.wait_for_url(f"{doubling}/{address_of(name).removeprefix('./')}*")
        page.wait_for_function("(title) => document.title !== title", arg=title)
        page.wait_for_function(DRAWN)
        settle(page)
        assert not blanks.count
        if name in PATH:
            expect(questions.get_by_role("radio", checked=True)).to_have_count(1)
