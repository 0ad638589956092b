"""A slow way back: what is done before the server's answer has come counts as it was meant."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.path import PATH
from tests.browser.conftest import OpenPage, stopped
from tests.browser.lessons import arrived, open_scene, way
from tests.browser.page import go_by_path, settle, type_in
from tests.browser.stage import STAGE, choice, example, strip_phase
from ui.lessons.shelf import shipped

FRAMES = 3600
"""How long an answer may take: a minute's frames."""


def sentence(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Sentence")


def ends_a_run(message: str | bytes) -> bool:
    assert isinstance(message, bytes)
    return ForwardMsg.FromString(message).WhichOneof("type") == "script_finished"


def says_address(query: str, message: str | bytes) -> bool:
    assert isinstance(message, bytes)
    return query in ForwardMsg.FromString(message).page_info_changed.query_string


class SlowWayBack:
    """Holds what the server sends, from `hold` on; what is sent to it goes through."""

    def __init__(self) -> None:
        self.held: list[str | bytes] | None = None

    def on(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def _between(self, browser: WebSocketRoute) -> None:
        def told(message: str | bytes) -> None:
            if self.held is None:
                browser.send(message)
            else:
                self.held.append(message)

        self.browser, server = browser, browser.connect_to_server()
        server.on_message(told)
        browser.on_message(server.send)

    def hold(self) -> None:
        self.held = []

    def answered(
        self, page: Page, times: int, what: Callable[[str | bytes], bool] = ends_a_run
    ) -> None:
        """Wait until so many messages of that kind have come since `hold`."""
        for _ in range(FRAMES):
            if len(list(filter(what, self.held or []))) >= times:
                return
            page.evaluate("() => new Promise(requestAnimationFrame)")  # lets messages come
        raise AssertionError("the server does not answer")

    def click_meanwhile(self, page: Page, what: Locator) -> None:
        """When the answer to what was done is made, and not here yet."""
        self.answered(page, 1)
        what.click()
        self.answered(page, 2)
        self.let_go()

    def let_go(self) -> None:
        held, self.held = self.held or [], None
        for message in held:
            self.browser.send(message)


def another_example(page: Page) -> Locator:
    """After a toggle of the example that is on show."""
    choice(page, "mask", "none").click()
    expect(page.get_by_text("You have changed the mask of the example.")).to_be_visible()
    settle(page)
    return example(page, "P1")


def the_one_that_was_left(page: Page) -> Locator:
    type_in(sentence(page), "red green blue")
    page.wait_for_url("**text=red+green+blue**")
    return page.get_by_role("button", name="Back to the example")


def ones_own_sentence(page: Page) -> Locator:
    return page.get_by_role("button", name="Back to my sentence")


CHOSEN = [
    ("?preset=P3&step=weights", another_example, ("cover", "result"), "1 2 3",
     r"\?preset=P1&step=weights&cover=result$"),
    ("?preset=P1&step=weights", the_one_that_was_left, ("cover", "result"), "1 2 3",
     r"\?step=weights&preset=P1&cover=result$"),
    ("?text=red+green&preset=P4&step=weights", ones_own_sentence, ("mask", "none"), "red green",
     r"\?text=red\+green&step=weights.*mask=none"),
]  # fmt: skip
"""Where a page is, what is pressed and what on the stage at once; the sentence and the address."""


@pytest.mark.deep
@pytest.mark.parametrize(("address", "button", "toggle", "text", "link"), CHOSEN)
def test_what_is_chosen_stays_chosen_whatever_is_done_on_the_stage_at_once(
    address: str,
    button: Callable[[Page], Locator],
    toggle: tuple[str, str],
    text: str,
    link: str,
    open_page: OpenPage,
) -> None:
    slow = SlowWayBack()
    page = open_page(address, prepare=slow.on)
    chosen = button(page)
    expect(chosen).to_be_visible()
    settle(page)
    slow.hold()
    chosen.click()
    slow.click_meanwhile(page, choice(page, *toggle))
    expect(sentence(page)).to_have_value(text)
    expect(choice(page, *toggle)).to_have_attribute("aria-checked", "true")
    if "preset" not in link:
        expect(page.locator(".story strong")).to_have_count(0)
    expect(page).to_have_url(re.compile(link))
    expect(page.get_by_text("This is no longer the example")).to_have_count(0)


@pytest.mark.deep
def test_words_that_are_typed_stay_whatever_is_done_at_once(open_page: OpenPage) -> None:
    slow = SlowWayBack()
    page = open_page("?text=red+green&step=weights", prepare=slow.on)
    settle(page)
    slow.hold()
    type_in(sentence(page), "one two three four")
    slow.click_meanwhile(page, choice(page, "mask", "none"))
    expect(page.locator(".focus .cell")).not_to_have_count(0)
    expect(sentence(page)).to_have_value("one two three four")
    expect(choice(page, "mask", "none")).to_have_attribute("aria-checked", "true")
    page.wait_for_url("**text=one+two+three+four**mask=none**")


@pytest.mark.deep
def test_two_words_are_written_by_two_clicks(open_page: OpenPage) -> None:
    slow = SlowWayBack()
    page = open_page("block?block_part=model", prepare=slow.on)
    prompt = page.get_by_role("textbox", name="Prompt")
    write = page.get_by_role("button", name="Write the next word")
    expect(prompt).to_have_value("a cat saw a")
    settle(page)
    slow.hold()
    write.click()
    slow.click_meanwhile(page, write)
    expect(prompt).to_have_value("a cat saw a cat saw")


@pytest.mark.deep
def test_an_answer_of_a_scene_before_takes_no_scene_back(server: str, open_page: OpenPage) -> None:
    """It says which address its run had. What is told from there on is of the scene before, too."""
    slow = SlowWayBack()
    page = open_scene(open_page, "from-nothing.8", prepare=slow.on)
    slow.hold()
    choice(page, "mask", "none").click()
    slow.answered(page, 1, partial(says_address, "mask=none"))
    with stopped(page.url):
        way(page).get_by_role("link", name=re.compile("^Next")).click()
        slow.let_go()
        page.wait_for_url("**mask=none**")
        page.locator(strip_phase("scores")).first.click()
        page.wait_for_function(f"() => !{STAGE}.unsent")
    arrived(page, 9, len(shipped("from-nothing").scenes))
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "weights")
    expect(choice(page, "mask", "causal")).to_have_attribute("aria-checked", "true")
    expect(page).to_have_url(f"{server}/?lesson=from-nothing.9")


@pytest.mark.deep
def test_an_answer_of_a_page_before_leaves_no_address(server: str, open_page: OpenPage) -> None:
    slow = SlowWayBack()
    page = open_page("softmax", prepare=slow.on)
    settle(page)
    slow.hold()
    page.get_by_role("slider", name="Key 1").press("ArrowRight")
    slow.answered(page, 1, partial(says_address, "softmax_1="))
    go_by_path(page, PATH["dot_products"].title)
    slow.answered(page, 2)
    slow.let_go()
    expect(page.locator("h1")).to_contain_text("Dot products")
    settle(page)
    expect(page).to_have_url(f"{server}/dot-products")
